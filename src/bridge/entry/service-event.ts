import { sql } from 'kysely';
import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { eventKey } from '../slack/ids.ts';
import {
  type ChangedTicket,
  ticketCheck,
  type ForwardedMessage,
  mirrorWork,
  type ServiceEvent,
} from '../inbox/store.ts';
import type { Bridge } from '../bridge.ts';
import { recordActors } from '../tickets/update-ticket.ts';
import { type BridgeTx, EVENT } from '../work.ts';

/**
 * Returns whether a ticket message is known to have come from its ticket's thread: by its link, or by a chat event that
 * is being handled right now and will be linked. Then its creation changes nothing in chat (B16), unless someone
 * follows the thread in direct messages (B27), or the thread was never synced with its ticket.
 *
 * Only an event that is being worked counts: a failed one waits or is a dead letter. If its work ends without a
 * link (it became a dead letter, was deleted in chat before its second attempt, or another program added the message),
 * the ticket's cursor has not passed the message: its next check links it, at the latest in the next reconciliation; an
 * edit or a deletion looks for it itself (`linkWritten`).
 */
export async function isEcho(
  db: Db<BridgeTables>,
  { ticketId, messageId, places }: ForwardedMessage,
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select (
        exists (
          select from message_link join conversation as thread on thread.id = conversation_id
          where ticket_message_id = ${messageId} and origin = 'chat'
            and ticket_id = ${ticketId} and role = 'request' and applied_until is not null
        ) or exists (
          select from inbox join conversation as thread on thread.id = conversation_id
          where source = 'chat' and event_key = any(${places.map(eventKey.message)}::text[]) and done_at is null
            and ticket_id = ${ticketId} and role = 'request' and applied_until is not null
            and inbox.id = (
              select case when kind = ${EVENT.name} then body ->> 'inbox' end
              from work join lane on lane.key = work.lane
              where work.lane = ${EVENT.class} || ':' || thread.id and work.done_at is null and dead_at is null
                and leased_until is not null
              order by work.id limit 1
            )
        )
      ) and not exists (
        select from conversation where ticket_id = ${ticketId} and role = 'direct'
      ) as known`.execute(db);
  return rows[0]?.known ?? false;
}

/**
 * The parts of an event that identify its ticket. Another implementation's body needs only a type and an id:
 * `ticket.id`, `data.ticketId`, `ticketId`, or the `id` (also of `data`) of what the type says.
 */
const Hint = z.object({
  type: z.string(),
  action: z.string().optional().catch(undefined),
  id: z.string().optional().catch(undefined),
  ticketId: z.string().optional().catch(undefined),
  ticket: z.object({ id: z.string() }).nullish().catch(undefined),
  data: z
    .looseObject({
      id: z.string().optional(),
      ticketId: z.string().optional(),
      chatThreads: z.array(z.object({ channelId: z.string(), messageTs: z.string() })).catch([]),
    })
    .nullish()
    .catch(undefined),
});

/** The parts of an event that show that a chat message was added to its ticket; other implementations may omit them. */
const Echo = z.object({
  type: z.literal('Message'),
  action: z.literal('created'),
  data: z.object({
    source: z.literal('CHAT'),
    id: z.string(),
    ticketId: z.string(),
    chatMessages: z.array(z.object({ channelId: z.string(), ts: z.string() })).catch([]),
  }),
});

function forwardedIn(team: string, body: unknown): ForwardedMessage | undefined {
  const { data: event } = Echo.safeParse(body);
  if (!event) return undefined;
  const { ticketId, id, chatMessages } = event.data;
  return {
    ticketId,
    messageId: id,
    places: chatMessages.map(({ channelId, ts }) => ({ team, channel: channelId, ts })),
  };
}

/** Returns the ticket, or at least the message, that an event is about, or undefined. Never throws. */
export function parseServiceEvent(team: string, body: unknown): ServiceEvent | undefined {
  const parsed = Hint.safeParse(body);
  if (!parsed.success) return undefined;
  const { type, action, ticket, data, ...own } = parsed.data;
  const recordId = data?.id ?? own.id;
  const isMessage = /message/i.test(type);
  const isTicket = !isMessage && /ticket/i.test(type);
  const ticketId = ticket?.id ?? data?.ticketId ?? own.ticketId ?? (isTicket ? recordId : undefined);
  const threads = (data?.chatThreads ?? []).map(({ channelId, messageTs }) => ({
    team,
    channel: channelId,
    root: messageTs,
  }));
  const said = {
    threads,
    forwarded: forwardedIn(team, body),
    change: readChange(body),
    requestsPosts: action === 'warned' || action === 'chat-requested',
  };
  if (ticketId !== undefined) return { ...said, ticketId };
  return isMessage && recordId !== undefined ? { ...said, messageId: recordId } : undefined;
}

/** The parts of an event that say who changed what; other implementations may omit them. */
const Change = z.object({
  actor: z.object({ userId: z.string(), source: z.string().nullish() }),
  changes: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
});

function readChange(body: unknown): ServiceEvent['change'] {
  const { data } = Change.safeParse(body);
  if (!data) return undefined;
  const after = Object.fromEntries(Object.entries(data.changes).map(([field, [, value]]) => [field, value]));
  return { user: data.actor.userId, after };
}

/** Records who changed a ticket, as the service's event says: users aren't notified of their own changes (B43). */
export async function recordChangeAuthor(
  bridge: Pick<Bridge, 'clock'>,
  db: Db<BridgeTables>,
  { ticketId, change }: Pick<ChangedTicket, 'ticketId' | 'change'>,
): Promise<void> {
  if (change) await recordActors(bridge, db, ticketId, change.after, { user: change.user, inChat: false });
}

/** Plans what follows from a change of a ticket: its check, and that of who is told of it. */
export async function planCheck(
  bridge: Pick<Bridge, 'clock' | 'hooks'>,
  tx: BridgeTx,
  changed: ChangedTicket,
): Promise<void> {
  const { ticketId, conversationId, requestsPosts } = changed;
  await recordChangeAuthor(bridge, tx, changed);
  // Checks that have not begun are merged: a burst of events needs one.
  tx.plan.add(conversationId === null ? ticketCheck(ticketId) : mirrorWork(conversationId, ticketId));
  tx.plan.add(bridge.hooks.notificationCheck(ticketId));
  if (requestsPosts) await bridge.hooks.postsRequested(tx);
}
