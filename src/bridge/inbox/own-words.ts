import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type ChatPlace, eventKey } from '../slack/ids.ts';

/** A message added to a ticket, as an event describes it. */
export interface TicketWords {
  ticketId: string;
  messageId: string;
  /** Its places in chat, as far as its record says. */
  places: readonly ChatPlace[];
}

/**
 * Returns whether a ticket message is known to have come from its ticket's thread: by its link, or by a chat event that
 * is being handled right now and will be linked. Then its creation changes nothing in chat (B16), unless someone
 * follows the thread in direct messages (B27), or the thread was never synced with its ticket.
 *
 * Only a job at the head of its ordering key counts: a failed one waits or is a dead letter. If the job ends without a
 * link (it became a dead letter, was deleted in chat before its second attempt, or another program added the message),
 * the ticket's cursor has not passed the message: its next check links it, at the latest in the next reconciliation; an
 * edit or a deletion looks for it itself (`linkWritten`).
 */
export async function isOwnWords(
  db: Db<BridgeTables>,
  { ticketId, messageId, places }: TicketWords,
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
              select payload ->> 'inbox' from job
              where queue = 'conversation' and ordering_key = thread.id and head and state = 'running'
            )
        )
      ) and not exists (
        select from conversation where ticket_id = ${ticketId} and role = 'direct'
      ) as known`.execute(db);
  return rows[0]?.known ?? false;
}
