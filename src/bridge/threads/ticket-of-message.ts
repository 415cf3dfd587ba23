import { AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';

/** Messages of one page, and of all pages, that are looked through, newest first. */
const PAGE = 1_000;
const AT_MOST = 10_000;

/**
 * The ticket of a message that an event named without it: as the links know it, as the record says, or, where the
 * service reads no single message (Ext), as the list of the newest messages shows it. Throws ServiceError.
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
