import { call, Refusal } from '../api/call.ts';
import { queryClient } from '../api/query.ts';
import { messagesQuery, ticketsChanged } from '../api/tickets.ts';
import type { BodyOf, Message, Person } from '../api/types.ts';

type Messages = { items: Message[]; totalCount: number };

export interface NewMessage {
  content: string;
  isPrivate: boolean;
  fileIds: readonly string[];
}

/** Messages that this page shows before the service has stored them have such ids. */
const SENDING = 'sending-';
export const isSending = ({ id }: { id: string }) => id.startsWith(SENDING);

/**
 * Sends a message, which the conversation shows at once. If the response is lost, the ticket is read before a failure is
 * reported, so that a message that arrived is not sent twice; the desk's server does the same towards the service
 * (src/desk/send-once.ts). Throws Refusal, and takes the message out of the conversation again.
 */
export async function sendMessage(
  ticket: { id: string; code: string },
  { content, isPrivate, fileIds }: NewMessage,
  author: Person | undefined,
): Promise<void> {
  const key = messagesQuery(ticket.code).queryKey;
  const at = new Date().toISOString();
  const id = `${SENDING}${crypto.randomUUID()}`;
  const shown = {
    ...{ id, content, ticketId: ticket.id, private: isPrivate, createdAt: at, updatedAt: at },
    ...{ authorId: author?.id ?? null, author: author ?? null, source: 'WEB', status: 'CREATED' },
    ...{ chatChannelId: null, chatMessages: [], deleted: false, reactions: [], deletedAt: null },
    ...{ emailMessageId: null, emailInReplyTo: null },
  } as unknown as Message;
  const set = (change: (items: Message[]) => Message[]) =>
    queryClient.setQueryData(key, (known: unknown) => {
      const messages = known as Messages | undefined;
      return (messages && { ...messages, items: change(messages.items) }) as never;
    });
  const known = new Set(
    ((queryClient.getQueryData(key) as Messages | undefined)?.items ?? []).map((each) => each.id),
  );
  await queryClient.cancelQueries({ queryKey: key });
  set((items) => [shown, ...items]);
  const put = (message: Message) =>
    set((items) => [message, ...items.filter((each) => each.id !== id && each.id !== message.id)]);
  const body = {
    ...{ ticketId: ticket.id, content, private: isPrivate },
    ...(fileIds.length > 0 && { fileIds }),
  } as BodyOf<'createTicketMessage'>;
  try {
    put((await call('createTicketMessage', { body })) as Message);
  } catch (error) {
    const arrived = error instanceof Refusal && error.status === 0 ? await find() : undefined;
    if (!arrived) {
      set((items) => items.filter((each) => each.id !== id));
      throw error;
    }
    put(arrived);
  }
  ticketsChanged([ticket.id]);

  async function find(): Promise<Message | undefined> {
    try {
      const { items } = await queryClient.query({ ...messagesQuery(ticket.code), staleTime: 0 });
      return (items).find(
        (each) =>
          !known.has(each.id) &&
          each.content === content &&
          each.private === isPrivate &&
          each.authorId === (author?.id ?? each.authorId),
      );
    } catch {
      return undefined;
    }
  }
}
