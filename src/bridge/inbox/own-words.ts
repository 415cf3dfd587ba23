import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type ChatPlace, eventKey } from '../slack/ids.ts';

/** A message that was put on a ticket, as an event tells of it. */
export interface TicketWords {
  ticketId: string;
  messageId: string;
  /** Where it stands in chat, as far as its record says so. */
  places: readonly ChatPlace[];
}

/**
 * Whether a ticket message is known to have come from its ticket's thread: by its link, or by the event of chat that
 * is being worked at this moment and will be linked to it. Then its creation changes nothing in chat (B16), unless
 * somebody reads the talk in a direct message of theirs (B27), or the thread was never brought up to its ticket.
 *
 * Only work at the head of its lane counts: what failed waits, or is parked. Should it yet end without a link (it was
 * parked, or deleted in chat before its second attempt, or is not relayed and another program put it on the ticket), the
 * ticket's cursor has not passed the message: its next look links it, at the latest when the service is next compared,
 * and an edit or a deletion looks for it by itself (`linkWritten`).
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
