import { sql } from 'kysely';

import type { Tx } from '../../../platform/database/open.ts';
import { enqueue } from '../../../platform/jobs/index.ts';
import type { Bridge } from '../../bridge.ts';
import { plan } from '../../outbox/outbox.ts';
import { CARD, type CardCopy } from './draw-card.ts';
import { cardReaders, type CopySituation, wantsTriageCard } from './rules.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import { CONVERSATION_QUEUE, enqueueMirror } from '../../inbox/store.ts';
import {
  adoptCard,
  bindCopy,
  type Conversation,
  conversationOfThread,
  copiesOf,
  COPY_TYPE,
} from '../../threads/conversations.ts';
import { copyKey } from '../../slack/ids.ts';
import { chatUsersOf, peopleNamed } from '../../people/people.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { addNote } from '../../tickets/add-note.ts';
import type { Begun } from '../../tickets/create-once.ts';
import { directWith, isSpokenWithElsewhere } from '../../slack/direct-with.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { membersOf } from '../../slack/members-of.ts';

type Place = Pick<CardCopy, 'role' | 'party'> & { channel: string };

/**
 * Updates every place that shows a ticket's card, under its own ordering key, and plans missing cards (B24, B26, B27).
 * Throws ServiceError or ChatError.
 */
export async function planCopies(
  bridge: Bridge,
  begun: Begun,
  ticket: Ticket,
  request: Conversation | undefined,
): Promise<(tx: Tx<BridgeTables>) => Promise<void>> {
  const standing = await copiesOf(bridge.database.db, ticket.id);
  const situation = await situationOf(bridge, ticket);
  const places = [
    ...(await triagePlaces(bridge, ticket, situation)),
    ...(await directPlaces(bridge, begun, ticket, { situation, standing, request })),
  ];
  const wanted = places.filter(
    ({ channel }) =>
      channel !== request?.channel_id && !standing.some(({ channel_id }) => channel_id === channel),
  );
  return async (tx) => {
    for (const { id } of standing) await enqueueMirror(tx, id, ticket.id);
    for (const place of wanted) await plantCard(tx, bridge, ticket, place);
  };
}

async function situationOf(bridge: Bridge, ticket: Ticket): Promise<CopySituation> {
  const queue = ticket.queueId === null ? undefined : await bridge.channels.queue(ticket.queueId);
  return {
    private: ticket.private,
    ended: hasEnded(ticket.status.statusGroup.label) || ticket.archivedAt !== null,
    assigned: ticket.assigneeId !== null,
    silent: queue?.settings?.silentMode ?? false,
    all: queue?.settings?.sendAllTicketToTriageChannel ?? false,
  };
}

async function triagePlaces(bridge: Bridge, { queueId }: Ticket, situation: CopySituation): Promise<Place[]> {
  const places: Place[] = [];
  for (const channel of await bridge.channels.triagesOf(queueId ?? undefined)) {
    const isPrivate = situation.private && (await bridge.chat.isPrivate(channel));
    if (wantsTriageCard(situation, isPrivate)) places.push({ channel, role: 'triage' });
  }
  return places;
}

interface Around {
  situation: CopySituation;
  standing: readonly Conversation[];
  request: Conversation | undefined;
}

/** Returns the direct messages of those who may see a private ticket and are not in its thread (B27). */
async function directPlaces(
  bridge: Bridge,
  begun: Begun,
  ticket: Ticket,
  { situation, standing, request }: Around,
): Promise<Place[]> {
  // It is being moved to its own place, with its participants (B8, B11).
  if (request?.relocating) return [];
  const readers = cardReaders(ticket, { ...situation, begun: request !== undefined }).filter(
    (id) => !standing.some(({ recipient_user_id }) => recipient_user_id === id),
  );
  if (readers.length === 0) return [];
  const chatUsers = await chatUsersOf(bridge, readers);
  const people = await peopleNamed(bridge, bridge.bot.team, [...chatUsers.values()]);
  const present = request?.direct ? await membersOf(bridge, request.channel_id) : [];
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
    if (party === ticket.assigneeId || (await isSpokenWithElsewhere(bridge, chatUser))) continue;
    const note = `${person.name} is not reachable in chat: they get no card of this private ticket.`;
    // Repeated at every check: an earlier one may have written it.
    const again = { firstAttempt: false, receivedAt: begun.receivedAt };
    await addNote(bridge, again, ticket.id, `unreachable ${party}`, note);
  }
  return places;
}

/** Plans a card in a place without one, or adopts the one in the record: it existed before. */
async function plantCard(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  ticket: Ticket,
  { channel, role, party }: Place,
): Promise<void> {
  const { team } = bridge.bot;
  const copy = { ticket: ticket.id, role, party };
  const named = ticket.chatThreads.find(
    (thread) => thread.channelId === channel && thread.type === COPY_TYPE[role] && thread.mirrorTs !== null,
  );
  if (named && !(await isForgotten(tx, { team, channel, root: named.messageTs }))) {
    await recordCopyCard(tx, bridge, { team, channel, ts: named.messageTs }, copy, null);
    return;
  }
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
  await plan(tx, bridge, { conversationId: null, team, channel, orderingKey }, [{ kind: CARD, copy }]);
}

/** A thread that is known here but not (any more) a copy: its card was deleted. */
async function isForgotten(
  tx: Tx<BridgeTables>,
  { team, channel, root }: { team: string; channel: string; root: string },
): Promise<boolean> {
  const known = await tx
    .selectFrom('conversation')
    .select('id')
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('thread_ts', '=', root)
    .executeTakeFirst();
  return known !== undefined;
}

/**
 * A copy of a ticket's card was posted: its thread now belongs to the ticket.
 * @param shown the ticket's `updatedAt` that it shows; null if unknown.
 */
export async function recordCopyCard(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  { team, channel, ts }: { team: string; channel: string; ts: string },
  { ticket, role, party }: CardCopy,
  shown: string | null,
): Promise<void> {
  const conversation = await conversationOfThread(tx, { team, channel, root: ts }, bridge);
  const { again } = await bindCopy(tx, conversation, ticket, { role, party });
  await adoptCard(tx, conversation, ts, shown);
  await enqueue(tx, [
    ...again.map((inbox) => ({
      queue: CONVERSATION_QUEUE,
      orderingKey: conversation.id,
      payload: { inbox },
    })),
    { queue: CONVERSATION_QUEUE, orderingKey: conversation.id, payload: { carded: conversation.id } },
  ]);
  await enqueueMirror(tx, conversation.id, ticket);
}
