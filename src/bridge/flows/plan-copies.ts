import { sql } from 'kysely';

import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/lanes/index.ts';
import type { Bridge } from '../bridge.ts';
import { plan } from '../chat/outbox.ts';
import { type CopySituation, wantsTriageCard } from '../decide/copies.ts';
import { hasEnded } from '../decide/status.ts';
import { CONVERSATION_QUEUE, enqueueMirror } from '../intake/store.ts';
import {
  adoptCard,
  bindCopy,
  type Conversation,
  conversationOfThread,
  copiesOf,
  COPY_TYPE,
} from '../links/conversations.ts';
import { copyLane } from '../links/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { Ticket } from './find-ticket.ts';

type Role = keyof typeof COPY_TYPE;

interface Place {
  channel: string;
  role: Role;
}

/**
 * Has every place that should show a ticket's card show it: those that do are brought up to its record in their own
 * lanes, those that do not yet get one (B24, B26, B27). Throws ServiceError or ChatError.
 */
export async function planCopies(
  bridge: Bridge,
  ticket: Ticket,
  request: Conversation | undefined,
): Promise<(tx: Tx<BridgeTables>) => Promise<void>> {
  const standing = await copiesOf(bridge.database.db, ticket.id);
  const wanted = (await triagePlaces(bridge, ticket)).filter(
    ({ channel }) =>
      channel !== request?.channel_id && !standing.some(({ channel_id }) => channel_id === channel),
  );
  return async (tx) => {
    for (const { id } of standing) await enqueueMirror(tx, id, ticket.id);
    for (const place of wanted) await plantCard(tx, bridge, ticket, place);
  };
}

async function triagePlaces(bridge: Bridge, ticket: Ticket): Promise<Place[]> {
  const queue = ticket.queueId === null ? undefined : await bridge.channels.queue(ticket.queueId);
  const situation: CopySituation = {
    private: ticket.private,
    ended: hasEnded(ticket.status.statusGroup.label) || ticket.archivedAt !== null,
    assigned: ticket.assigneeId !== null,
    silent: queue?.settings?.silentMode ?? false,
    all: queue?.settings?.sendAllTicketToTriageChannel ?? false,
  };
  const places: Place[] = [];
  for (const channel of await bridge.channels.triagesOf(queue?.id)) {
    const isPrivate = ticket.private && (await bridge.chat.isPrivate(channel));
    if (wantsTriageCard(situation, isPrivate)) places.push({ channel, role: 'triage' });
  }
  return places;
}

/** Plans a card in a place that has none, or takes the one that the record names for ours: it stood there before. */
async function plantCard(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  ticket: Ticket,
  { channel, role }: Place,
): Promise<void> {
  const { team } = bridge.bot;
  const named = ticket.chatThreads.find(
    (thread) => thread.channelId === channel && thread.type === COPY_TYPE[role] && thread.mirrorTs !== null,
  );
  if (named && !(await isForgotten(tx, { team, channel, root: named.messageTs }))) {
    await recordCopyCard(tx, bridge, { team, channel, ts: named.messageTs }, ticket.id, role, null);
    return;
  }
  const planned = await tx
    .selectFrom('outbox')
    .select('id')
    .where('kind', '=', 'card')
    .where(sql<string>`body -> 'copy' ->> 'ticket'`, '=', ticket.id)
    .where('channel_id', '=', channel)
    .where('state', 'in', ['planned', 'sending', 'parked'])
    .executeTakeFirst();
  if (planned) return;
  const lane = copyLane(ticket.id, channel);
  await plan(tx, bridge, { conversationId: null, team, channel, lane }, [
    { kind: 'card', copy: { ticket: ticket.id, role } },
  ]);
}

/** A thread that is known here and no copy (any more): its card was taken away. */
async function isForgotten(
  tx: Tx<BridgeTables>,
  { team, channel, root }: { team: string; channel: string; root: string },
): Promise<boolean> {
  const known = await tx
    .selectFrom('conversation')
    .select('id')
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('root_ts', '=', root)
    .executeTakeFirst();
  return known !== undefined;
}

/** A copy of a ticket's card stands: its thread is a place of the ticket from now on. */
export async function recordCopyCard(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  { team, channel, ts }: { team: string; channel: string; ts: string },
  ticketId: string,
  role: Role,
  shown: string | null,
): Promise<void> {
  const conversation = await conversationOfThread(tx, { team, channel, root: ts }, bridge);
  const { again } = await bindCopy(tx, conversation, ticketId, role);
  await adoptCard(tx, conversation, ts, shown);
  await enqueue(tx, [
    ...again.map((inbox) => ({ queue: CONVERSATION_QUEUE, key: conversation.id, payload: { inbox } })),
    { queue: CONVERSATION_QUEUE, key: conversation.id, payload: { carded: conversation.id } },
  ]);
  await enqueueMirror(tx, conversation.id, ticketId);
}
