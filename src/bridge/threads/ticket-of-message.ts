import { AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';

/** Messages per page, and in total, that are searched, newest first. */
const PAGE = 1_000;
const AT_MOST = 10_000;

/**
 * Returns the ticket of a message that an event named without it: by the links, by the record, or, if the service
 * cannot read a single message (Ext), by the list of the newest messages. Throws ServiceError.
 */
export async function ticketOfMessage(
  { database, service, channels }: Bridge,
  messageId: string,
): Promise<string | undefined> {
  const linked = await database.db
    .selectFrom('message_link')
    .innerJoin('conversation', 'conversation.id', 'message_link.conversation_id')
    .select('conversation.ticket_id')
    .where('message_link.ticket_message_id', '=', messageId)
    .executeTakeFirst();
  if (linked?.ticket_id) return linked.ticket_id;
  try {
    return (await service.readTicketMessage({ params: { id: messageId } })).ticketId;
  } catch (error) {
    if (!(error instanceof AnsweredError && error.missing)) throw error;
  }
  const newest = { sortBy: 'createdAt', sortDirection: 'desc', limit: PAGE } as const;
  for (const workspaceId of await channels.workspaceIds()) {
    let seen = 0;
    const query = { ...newest, workspaceId };
    for await (const { id, ticketId } of service.all('listTicketMessages', { query })) {
      if (id === messageId) return ticketId;
      if (++seen >= AT_MOST) break;
    }
  }
  return undefined;
}
