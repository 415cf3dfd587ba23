import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';

/**
 * Whether a ticket message is known to have come from its ticket's thread. Then its creation changes nothing in chat
 * (B16), unless somebody reads the talk in a direct message of theirs (B27), or the thread was never brought up to its
 * ticket.
 */
export async function isOwnWords(
  db: Db<BridgeTables>,
  { ticketId, messageId }: { ticketId: string; messageId: string },
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (
        select from message_link join conversation as thread on thread.id = conversation_id
        where ticket_message_id = ${messageId} and origin = 'chat'
          and ticket_id = ${ticketId} and role = 'request' and applied_until is not null
      ) and not exists (
        select from conversation where ticket_id = ${ticketId} and role = 'direct'
      ) as known`.execute(db);
  return rows[0]?.known ?? false;
}
