import { enqueue, Park } from '../../platform/lanes/index.ts';
import { cardOf } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import type { OutboxBody } from '../chat/outbox.ts';
import type { Call, OutboxRow } from '../chat/send.ts';
import type { ChatWriter } from '../chat/writer.ts';
import { CONVERSATION_QUEUE } from '../intake/store.ts';
import { conversationOfThread } from '../links/conversations.ts';
import { factsOf } from './ticket-facts.ts';

/** Turns a planned row into the call that carries it out, and says what is recorded once chat has taken it. */
export async function prepareCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: OutboxBody,
): Promise<Call | undefined> {
  const channel = row.channel_id;
  switch (body.kind) {
    case 'post':
      return {
        method: 'post',
        lookIn: { thread: body.thread },
        make: async (mark) =>
          (
            await writer.post({
              channel,
              text: body.text,
              blocks: body.blocks,
              thread: body.thread,
              as: namedAs(body.as),
              mark,
            })
          ).ts,
        after: async (tx, ts) => {
          await tx
            .updateTable('message_link')
            .set({ ts: ts ?? null })
            .where('id', '=', body.link)
            .execute();
          await enqueue(tx, [
            { queue: CONVERSATION_QUEUE, key: row.conversation_id ?? row.id, payload: { copied: body.link } },
          ]);
        },
      };
    case 'line':
      return {
        method: 'post',
        lookIn: { thread: body.thread },
        make: async (mark) => (await writer.post({ channel, text: body.text, thread: body.thread, mark })).ts,
      };
    case 'root':
      return {
        method: 'post',
        lookIn: { thread: undefined },
        make: async (mark) =>
          (await writer.post({ channel, text: body.text, blocks: body.blocks, as: namedAs(body.as), mark }))
            .ts,
        after: async (tx, ts) => {
          if (ts === undefined) return;
          const { id } = await conversationOfThread(tx, { team: row.team_id, channel, root: ts }, bridge);
          await enqueue(tx, [
            {
              queue: CONVERSATION_QUEUE,
              key: id,
              payload: {
                open: { ...body.open, responseUrl: body.open.responseUrl ?? null },
                conversation: id,
              },
            },
          ]);
        },
      };
    case 'edit': {
      const ts = await postedAt(bridge, body.link);
      return {
        method: 'edit',
        make: () => writer.update(channel, ts, body.text, body.blocks).then(() => ts),
      };
    }
    case 'delete': {
      const ts = await postedAt(bridge, body.link);
      return { method: 'edit', make: () => writer.remove(channel, ts).then(() => ts) };
    }
    case 'card':
      return cardCall(bridge, writer, row);
    case 'whisper':
      return {
        method: 'whisper',
        make: () => writer.whisper(channel, body.user, body.text, body.thread).then(() => undefined),
      };
  }
}

/** An edit waits in its lane behind its post: a post that never went through takes its edits with it (B49). */
async function postedAt(bridge: Bridge, linkId: string): Promise<string> {
  const link = await bridge.database.db
    .selectFrom('message_link')
    .select('ts')
    .where('id', '=', linkId)
    .executeTakeFirst();
  if (!link?.ts) throw new Park('the post that this belongs to never went through');
  return link.ts;
}

async function cardCall(bridge: Bridge, writer: ChatWriter, row: OutboxRow): Promise<Call | undefined> {
  const { db } = bridge.database;
  const conversation = await db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', row.conversation_id)
    .executeTakeFirst();
  if (!conversation?.ticket_id) return undefined;
  const ticket = await bridge.service.readTicket({ params: { id: conversation.ticket_id } });
  const card = await db
    .selectFrom('card')
    .selectAll()
    .where('conversation_id', '=', conversation.id)
    .executeTakeFirst();
  // An older state is never drawn over a newer one, nor the same one twice (B31).
  if (card?.shown && card.shown.toISOString() >= ticket.updatedAt) return undefined;
  const { text, blocks } = cardOf(await factsOf(bridge, ticket));
  const shown = ticket.updatedAt;
  if (card?.ts) {
    const { ts } = card;
    return {
      method: 'edit',
      make: () => writer.update(row.channel_id, ts, text, blocks).then(() => ts),
      after: async (tx) => {
        await tx.updateTable('card').set({ shown }).where('conversation_id', '=', conversation.id).execute();
      },
    };
  }
  return {
    method: 'post',
    lookIn: { thread: conversation.root_ts },
    make: async (mark) =>
      (await writer.post({ channel: row.channel_id, text, blocks, thread: conversation.root_ts, mark })).ts,
    after: async (tx, ts) => {
      await tx
        .insertInto('card')
        .values({ conversation_id: conversation.id, channel_id: row.channel_id, ts: ts ?? null, shown })
        .onConflict((conflict) => conflict.column('conversation_id').doUpdateSet({ ts: ts ?? null, shown }))
        .execute();
      await enqueue(tx, [
        { queue: CONVERSATION_QUEUE, key: conversation.id, payload: { carded: conversation.id } },
      ]);
    },
  };
}

function namedAs(
  as: { name: string; iconUrl?: string | undefined; iconEmoji?: string | undefined } | undefined,
) {
  return as ? { name: as.name, iconUrl: as.iconUrl, iconEmoji: as.iconEmoji } : undefined;
}
