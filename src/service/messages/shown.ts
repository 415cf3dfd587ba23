import type { TicketMessage } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';

/** Returns messages as the caller may see them: a requester reads no e-mail address of others. */
export function shownMessages({ session, personId }: Caller, messages: TicketMessage[]): TicketMessage[] {
  if (session?.role !== 'requester') return messages;
  return messages.map(({ author, ...message }) => ({
    ...message,
    author: author && message.authorId !== personId ? { ...author, email: null } : author,
  }));
}
