import { AnsweredError } from '../../client/index.ts';
import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { editsOf, type MessageLink } from './messages.ts';
import type { BridgeTables } from '../schema/tables.ts';

/**
 * Deletes a chat message's ticket message in the service, including edits that are separate messages. Throws
 * ServiceError.
 * @returns the write that records it, for the final transaction.
 */
export async function takeOffTicket(
  bridge: Bridge,
  link: MessageLink,
): Promise<(tx: Tx<BridgeTables>) => Promise<void>> {
  const links = [link, ...(await editsOf(bridge.database.db, link))];
  for (const { ticket_message_id: id } of links)
    try {
      await bridge.service.deleteTicketMessage({ params: { id } });
    } catch (error) {
      // Succeeds if it is already gone.
      if (!(error instanceof AnsweredError && error.status === 404)) throw error;
    }
  return async (tx) => {
    for (const { id } of links)
      await tx.updateTable('message_link').set({ deleted: true }).where('id', '=', id).execute();
  };
}
