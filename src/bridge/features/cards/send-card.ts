import type { Tx } from '../../../platform/database/open.ts';
import { enqueue } from '../../../platform/jobs/index.ts';
import type { Bridge } from '../../bridge.ts';
import type { OutboxRow } from '../../outbox/outbox.ts';
import type { Call } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { CONVERSATION_QUEUE, enqueueTicket } from '../../inbox/store.ts';
import { conversationOfRow, unbindCopy } from '../../threads/conversations.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { mayShow } from '../../tickets/may-show.ts';
import { type CardCopy, drawCard, isDrawn, planCard } from './draw-card.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { recordCopyCard } from './plan-copies.ts';
import { postUnlessFallen } from '../../threads/post-in-thread.ts';

/** Posts or updates the card of a conversation (B24, B31). */
export async function cardCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
): Promise<Call | undefined> {
  const { db } = bridge.database;
  const conversation = await conversationOfRow(bridge, row);
  // A card alone does not start a thread: the next reply does, and the card follows below it (B58).
  if (!conversation?.ticket_id || conversation.parent_deleted || conversation.relocating) return undefined;
  const ticket = await bridge.service.readTicket({ params: { id: conversation.ticket_id } });
  const card = await db
    .selectFrom('card')
    .selectAll()
    .where('conversation_id', '=', conversation.id)
    .executeTakeFirst();
  if (isDrawn(card, ticket)) return undefined;
  // A silent queue gets no new card; an existing one is kept up to date (B28).
  if (!card?.ts && (await isSilent(bridge, ticket))) return undefined;
  const { text, blocks } = await drawCard(bridge, ticket, conversation);
  const shown = ticket.updatedAt;
  const claimed_until = ticket.metadata.claim?.until ?? null;
  if (card?.ts) {
    const { ts, stale } = card;
    // A later row draws what changed after it was read.
    const values = { shown, claimed_until, ...(stale ? { stale: false } : {}) };
    return {
      methods: ['chat.update'],
      make: () => writer.update(row.channel_id, ts, text, blocks).then(() => ts),
      after: async (tx) => {
        await tx.updateTable('card').set(values).where('conversation_id', '=', conversation.id).execute();
        if (ticket.status.statusGroup.label !== 'Open') await forgetReopened(tx, ticket.id);
      },
      // The card was deleted: another one is posted.
      gone: async (tx) => {
        if (conversation.role !== 'request') {
          await unbindCopy(tx, conversation.id);
          return enqueueTicket(tx, ticket.id);
        }
        await tx.deleteFrom('card').where('conversation_id', '=', conversation.id).execute();
        await planCard(tx, bridge, conversation);
      },
    };
  }
  const { thread_ts: thread, ticket_id } = conversation;
  const as = await bridge.channels.botFace(row.channel_id);
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread },
    make: async (id) => {
      const mark = { id, card: ticket_id };
      return postUnlessFallen(bridge, writer, conversation, { text, blocks, as, mark });
    },
    takeBack: (ts) => writer.remove(row.channel_id, ts),
    after: async (tx, ts, found) => {
      if (ts === undefined) return;
      // Replies may have started another thread meanwhile: the card is posted again there (B58).
      const now = await tx
        .selectFrom('conversation')
        .select('thread_ts')
        .where('id', '=', conversation.id)
        .forShare()
        .executeTakeFirst();
      if (now?.thread_ts !== thread) return planCard(tx, bridge, conversation);
      // A post that was looked up shows what it was posted with, not what was read just now.
      const values = { ts, shown: found ? null : shown, claimed_until };
      await tx
        .insertInto('card')
        .values({ conversation_id: conversation.id, channel_id: row.channel_id, ...values })
        .onConflict((conflict) => conflict.column('conversation_id').doUpdateSet(values))
        .execute();
      if (found) await planCard(tx, bridge, conversation);
      await enqueue(tx, [
        { queue: CONVERSATION_QUEUE, orderingKey: conversation.id, payload: { carded: conversation.id } },
      ]);
    },
  };
}

/** Posts a copy of a ticket's card in a place without one (B26, B27). */
export async function copyCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { ticket: ticketId, role, party }: CardCopy,
): Promise<Call | undefined> {
  const { team_id: team, channel_id: channel } = row;
  const standing = await bridge.database.db
    .selectFrom('conversation')
    .select('id')
    .where('ticket_id', '=', ticketId)
    .where('channel_id', '=', channel)
    .where('role', '<>', 'request')
    .executeTakeFirst();
  const ticket = await readTicket(bridge, ticketId);
  if (standing || !ticket) return undefined;
  const place = { channel_id: channel, direct: role === 'direct', role, recipient_user_id: party ?? null };
  // It became private while it waited; a started one is looked up and recorded.
  if (row.state !== 'sending' && !(await mayShow(bridge, ticket, place))) return undefined;
  const { text, blocks } = await drawCard(bridge, ticket, place);
  const as = await bridge.channels.botFace(channel);
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread: undefined },
    make: async (id) => (await writer.post({ channel, text, blocks, as, mark: { id, card: ticketId } })).ts,
    after: async (tx, ts, found) => {
      if (ts === undefined) return;
      const shown = found ? null : ticket.updatedAt;
      await recordCopyCard(tx, bridge, { team, channel, ts }, { ticket: ticketId, role, party }, shown);
    },
  };
}

async function isSilent(bridge: Bridge, { queueId }: Ticket): Promise<boolean> {
  const queue = queueId === null ? undefined : await bridge.channels.queue(queueId);
  return queue?.settings?.silentMode ?? false;
}

async function forgetReopened(tx: Tx<BridgeTables>, ticketId: string): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ reopened: false })
    .where('ticket_id', '=', ticketId)
    .where('reopened', '=', true)
    .execute();
}
