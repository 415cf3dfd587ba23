import { sql } from 'kysely';

import type { Bridge } from '../../bridge.ts';
import { type Attempt, type BridgeTx, CARDED, EVENT, type NewWork, workFor, type Write } from '../../work.ts';
import { planPosts, type OutboxRow } from '../../store/posts.ts';
import { type CardCopy, drawCard, isDrawn, readQueueSettings } from './draw-card.ts';
import { CARD, planCard } from './redraw.ts';
import { planPromiseEnd } from './promise.ts';
import { NamedSimilar } from './similar.ts';
import { cardReaders, type CardPolicyFacts, wantsTriageCard } from './rules.ts';
import { hasEnded } from '../../tickets/rules.ts';
import { ticketCheck, mirrorWork } from '../../inbox/store.ts';
import {
  adoptCard,
  bindCopy,
  type Conversation,
  conversationOfThread,
  COPY_TYPE,
  conversationOfRow,
  unbindCopy,
} from '../../store/conversations.ts';
import { copyKey } from '../../slack/ids.ts';
import { chatUsersOf, peopleNamed } from '../../people/people.ts';
import { addNote } from '../../tickets/create-once.ts';
import { directWith, isServedElsewhere, channelMembers } from '../../tickets/reach.ts';
import { type Ticket, readTicket } from '../../tickets/find-ticket.ts';
import { messageCall } from '../../outbox/desired-state.ts';
import type { Call } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { mayShow } from '../../tickets/permissions.ts';
import { postUnlessOrphaned } from '../../threads/post-in-thread.ts';

type Place = Pick<CardCopy, 'role' | 'party'> & { channel: string };

interface Placed {
  request: Conversation | undefined;
  existing: readonly Conversation[];
}

/**
 * Plans a ticket's cards in the places that have none yet (B24, B26, B27); undefined if there are none. Throws
 * ServiceError or ChatError.
 */
export async function planCopies(
  bridge: Bridge,
  attempt: Attempt,
  ticket: Ticket,
  placed: Placed,
): Promise<Write | undefined> {
  const settings = await readQueueSettings(bridge, ticket);
  const isForAll = await bridge.channels.isForEveryone(ticket);
  const situation = {
    restricted: !isForAll,
    ended: hasEnded(ticket.status.statusGroup.label) || ticket.archivedAt !== null,
    assigned: ticket.assigneeId !== null,
    silent: settings?.silentMode ?? false,
    all: settings?.sendAllTicketToTriageChannel ?? false,
  };
  const places: Place[] = [];
  for (const channel of await bridge.channels.triagesOf(ticket.queueId ?? undefined)) {
    const isPrivate = !isForAll && (await bridge.chat.isPrivate(channel));
    if (wantsTriageCard(situation, isPrivate)) places.push({ channel, role: 'triage' });
  }
  places.push(...(await directPlaces(bridge, attempt, ticket, situation, placed)));
  const taken = [placed.request, ...placed.existing].map((one) => one?.channel_id);
  const wanted = places.filter(({ channel }) => !taken.includes(channel));
  if (wanted.length === 0) return undefined;
  return async (tx) => {
    for (const place of wanted) await plantCard(tx, bridge, ticket, place);
  };
}

/** Returns the direct messages of those who may see a private ticket and are not in its thread (B27). */
async function directPlaces(
  bridge: Bridge,
  attempt: Attempt,
  ticket: Ticket,
  situation: CardPolicyFacts,
  { existing, request }: Placed,
): Promise<Place[]> {
  // It is being moved to its own place, with its participants (B8, B11).
  if (request?.relocating) return [];
  const readers = cardReaders(ticket, { ...situation, started: request !== undefined }).filter(
    (id) => !existing.some(({ recipient_user_id }) => recipient_user_id === id),
  );
  if (readers.length === 0) return [];
  const chatUsers = await chatUsersOf(bridge, readers);
  const people = await peopleNamed(bridge, bridge.bot.team, [...chatUsers.values()]);
  const present = request?.direct ? await channelMembers(bridge, request.channel_id) : [];
  const places: Place[] = [];
  for (const [party, chatUser] of chatUsers) {
    const person = people.get(chatUser);
    if (present.includes(chatUser) || person?.is_bot !== false) continue;
    const channel = await directWith(bridge, chatUser);
    if (channel !== undefined) {
      places.push({ channel, role: 'direct', party });
      continue;
    }
    // Users of other organisations, or deactivated ones: a note on the ticket, once (B0a). For its assignee, the
    // notification says it (B43).
    if (party === ticket.assigneeId || (await isServedElsewhere(bridge, chatUser))) continue;
    const note = `${person.name} is not reachable in Slack: they get no card of this private ticket.`;
    // Repeated at every check: an earlier one may have written it.
    const again = { firstAttempt: false, receivedAt: attempt.receivedAt };
    await addNote(bridge, again, ticket.id, `unreachable ${party}`, note);
  }
  return places;
}

/** Plans a card in a place without one, or adopts the one in the record: it existed before. */
async function plantCard(
  tx: BridgeTx,
  bridge: Bridge,
  ticket: Ticket,
  { channel, role, party }: Place,
): Promise<void> {
  const { team } = bridge.bot;
  const copy = { ticket: ticket.id, role, party };
  const named = ticket.chatThreads.find(
    (thread) => thread.channelId === channel && thread.type === COPY_TYPE[role] && thread.mirrorTs !== null,
  );
  if (named && !(await isForgotten(tx, { team_id: team, channel_id: channel, thread_ts: named.messageTs })))
    return recordCopyCard(tx, bridge, { team, channel, ts: named.messageTs }, copy, { shown: null });
  const planned = await tx
    .selectFrom('outbox')
    .select('id')
    .where('kind', '=', 'card')
    .where(sql<string>`body -> 'copy' ->> 'ticket'`, '=', ticket.id)
    .where('channel_id', '=', channel)
    .where('state', 'in', ['planned', 'sending', 'dead'])
    .executeTakeFirst();
  if (planned) return;
  const orderingKey = copyKey(ticket.id, channel);
  await planPosts(tx, bridge, { conversationId: null, team, channel, orderingKey }, [{ kind: CARD, copy }]);
}

/** A thread that is known here but not (any more) a copy: its card was deleted. */
async function isForgotten(
  tx: BridgeTx,
  thread: Pick<Conversation, 'team_id' | 'channel_id' | 'thread_ts'>,
): Promise<boolean> {
  const known = await tx
    .selectFrom('conversation')
    .select('id')
    .where((where) => where.and(thread))
    .executeTakeFirst();
  return known !== undefined;
}

function isSameSimilar(named: NamedSimilar | undefined, stored: unknown): boolean {
  return NamedSimilar.safeParse(stored).data?.at === named?.at;
}

const storedSimilar = (named: NamedSimilar | undefined) => (named ? JSON.stringify(named) : null);

/**
 * A copy of a ticket's card was posted: its thread now belongs to the ticket.
 * @param card the ticket's `updatedAt` that it shows, null if unknown, and the similar tickets that it names.
 */
async function recordCopyCard(
  tx: BridgeTx,
  bridge: Bridge,
  { team, channel, ts }: { team: string; channel: string; ts: string },
  { ticket, role, party }: CardCopy,
  card: { shown: string | null; names?: string | null },
): Promise<void> {
  const conversation = await conversationOfThread(tx, { team, channel, root: ts }, bridge);
  const { again } = await bindCopy(tx, conversation, ticket, { role, party });
  await adoptCard(tx, conversation, ts, card);
  tx.plan.add(
    ...again.map((inbox) => workFor(EVENT, conversation.id, { inbox })),
    cardedWork(conversation.id),
    mirrorWork(conversation.id, ticket),
  );
}

/** Returns the work that follows a card's first post. */
function cardedWork(conversation: string): NewWork {
  return workFor(CARDED, conversation, { conversation });
}

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
  if (!card?.ts && (await readQueueSettings(bridge, ticket))?.silentMode) return undefined;
  const { channel_id: channel } = row;
  const drawn = await drawCard(bridge, ticket, conversation, card?.names);
  const { text, blocks, similar: named } = drawn;
  const shown = ticket.updatedAt;
  // Only what was searched now: what it named before may have been taken back meanwhile.
  const names = isSameSimilar(named, card?.names) ? {} : { names: storedSimilar(named) };
  const claimed_until = ticket.metadata.claim?.until ?? null;
  const { thread_ts: thread, ticket_id } = conversation;
  const as = await bridge.channels.botIdentity(channel);
  return messageCall(
    writer,
    { channel, ts: card?.ts ?? null, text, blocks },
    {
      thread,
      post: async (id) => {
        const metadata = { id, card: ticket_id };
        return postUnlessOrphaned(bridge, writer, conversation, { text, blocks, as, metadata });
      },
      takeBack: (ts) => writer.remove(channel, ts),
      record: card?.ts
        ? async (tx) => {
            // A later row draws what changed after it was read.
            const values = { shown, claimed_until, ...names, ...(card.stale ? { stale: false } : {}) };
            await tx.updateTable('card').set(values).where('conversation_id', '=', conversation.id).execute();
            if (ticket.status.statusGroup.label !== 'Open') await forgetReopened(tx, ticket.id);
            planPromiseEnd(tx, bridge, ticket.id, drawn.promisedUntil);
          }
        : async (tx, ts, isCurrent) => {
            // Replies may have started another thread meanwhile: the card is posted again there (B58).
            const now = await tx
              .selectFrom('conversation')
              .select('thread_ts')
              .where('id', '=', conversation.id)
              .forShare()
              .executeTakeFirst();
            if (now?.thread_ts !== thread) return planCard(tx, bridge, conversation);
            const values = { ts, shown: isCurrent ? shown : null, claimed_until, ...names };
            await tx
              .insertInto('card')
              .values({ conversation_id: conversation.id, channel_id: channel, ...values })
              .onConflict((conflict) => conflict.column('conversation_id').doUpdateSet(values))
              .execute();
            if (!isCurrent) await planCard(tx, bridge, conversation);
            tx.plan.add(cardedWork(conversation.id));
            planPromiseEnd(tx, bridge, ticket.id, drawn.promisedUntil);
          },
      // The card was deleted: another one is posted.
      gone: async (tx) => {
        if (conversation.role !== 'request') {
          await unbindCopy(tx, conversation.id);
          tx.plan.add(ticketCheck(ticket.id));
          return;
        }
        await tx.deleteFrom('card').where('conversation_id', '=', conversation.id).execute();
        await planCard(tx, bridge, conversation);
      },
    },
  );
}

/** Posts a copy of a ticket's card in a place without one (B26, B27). */
export async function copyCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  copy: CardCopy,
): Promise<Call | undefined> {
  const { ticket: ticketId, role, party } = copy;
  const { team_id: team, channel_id: channel } = row;
  const existing = await bridge.database.db
    .selectFrom('conversation')
    .select('id')
    .where('ticket_id', '=', ticketId)
    .where('channel_id', '=', channel)
    .where('role', '<>', 'request')
    .executeTakeFirst();
  const ticket = await readTicket(bridge, ticketId);
  if (existing || !ticket) return undefined;
  const place = { channel_id: channel, direct: role === 'direct', role, recipient_user_id: party ?? null };
  // Not everyone may read it any more since it waited; a started one is looked up and recorded.
  if (row.state !== 'sending' && !(await mayShow(bridge, ticket, place))) return undefined;
  const { text, blocks, similar, promisedUntil } = await drawCard(bridge, ticket, place);
  const as = await bridge.channels.botIdentity(channel);
  const shown = { channel, ts: null, text, blocks };
  return messageCall(writer, shown, {
    thread: undefined,
    post: async (id) =>
      (await writer.post({ channel, text, blocks, as, metadata: { id, card: ticketId } })).ts,
    record: async (tx, ts, isCurrent) => {
      await recordCopyCard(tx, bridge, { team, channel, ts }, copy, {
        shown: isCurrent ? ticket.updatedAt : null,
        names: storedSimilar(similar),
      });
      planPromiseEnd(tx, bridge, ticketId, promisedUntil);
    },
  });
}

async function forgetReopened(tx: BridgeTx, ticketId: string): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ reopened: false })
    .where((where) => where.and({ ticket_id: ticketId, reopened: true }))
    .execute();
}
