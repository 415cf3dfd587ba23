import { skipToken, useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../api/call.ts';
import { queryClient } from '../api/query.ts';
import { messagesQuery, ticketsChanged } from '../api/tickets.ts';
import type { BodyOf, Message, Person } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';

type Messages = { items: Message[]; totalCount: number };

export interface NewMessage {
  content: string;
  isPrivate: boolean;
  files: readonly FileRecord[];
}

/** Messages that this page shows before the service has stored them have such ids. */
const SENDING = 'sending-';
export const isSending = ({ id }: { id: string }) => id.startsWith(SENDING);

/** So many of the newest messages are looked through for one whose response was lost. */
const LOOKED_AT = 50;

interface Sending {
  message: Message;
  /** The messages that were there before it. */
  known: ReadonlySet<string>;
}

const NONE: readonly Sending[] = [];
const sendingKey = (code: string) => ['sending', code];

const hasArrived = ({ message, known }: Sending, read: Message): boolean =>
  !known.has(read.id) &&
  read.content === message.content &&
  read.private === message.private &&
  (message.authorId === null || read.authorId === message.authorId);

/**
 * The messages of a ticket, newest first, with those on their way, which are kept apart: each read replaces the others.
 * @param read the messages as they were read; undefined while they are.
 */
export function useWithSending(
  code: string,
  read: readonly Message[] | undefined,
): readonly Message[] | undefined {
  const { data: sending = NONE } = useQuery<readonly Sending[]>({
    queryKey: sendingKey(code),
    queryFn: skipToken,
  });
  const missing = sending.filter((one) => !read?.some((each) => hasArrived(one, each)));
  return missing.length > 0 && read ? [...missing.map(({ message }) => message), ...read] : read;
}

/**
 * Sends a message, which the conversation shows at once. If the response is lost, the ticket is read before a failure is
 * reported, so that a message that arrived is not sent twice; the desk's server does the same towards the service
 * (src/desk/send-once.ts). Throws Refusal, and takes the message out of the conversation again.
 */
export async function sendMessage(
  ticket: { id: string; code: string },
  { content, isPrivate, files }: NewMessage,
  author: Person | undefined,
): Promise<void> {
  const key = messagesQuery(ticket.code).queryKey;
  const at = new Date().toISOString();
  const id = `${SENDING}${crypto.randomUUID()}`;
  const message = {
    id,
    content,
    ticketId: ticket.id,
    private: isPrivate,
    createdAt: at,
    updatedAt: at,
    authorId: author?.id ?? null,
    author: author ?? null,
    source: 'WEB',
    status: 'CREATED',
    chatChannelId: null,
    chatMessages: [],
    deleted: false,
    reactions: [],
    deletedAt: null,
    emailMessageId: null,
    emailInReplyTo: null,
    files,
  } as unknown as Message;
  const setSending = (change: (items: readonly Sending[]) => readonly Sending[]) =>
    queryClient.setQueryData<readonly Sending[]>(sendingKey(ticket.code), (items = []) => change(items));
  const known = new Set((queryClient.getQueryData<Messages>(key)?.items ?? []).map((each) => each.id));
  const sending: Sending = { message, known };
  setSending((items) => [sending, ...items]);
  const body = {
    ticketId: ticket.id,
    content,
    private: isPrivate,
    ...(files.length > 0 && { fileIds: files.map((file) => file.id) }),
  } as BodyOf<'createTicketMessage'>;
  try {
    const sent = await stored();
    // A read that is under way may have begun before.
    await queryClient.cancelQueries({ queryKey: key });
    queryClient.setQueryData<Messages>(
      key,
      (read) => read && { ...read, items: [sent, ...read.items.filter((each) => each.id !== sent.id)] },
    );
  } finally {
    setSending((items) => items.filter((each) => each !== sending));
  }
  ticketsChanged([ticket.id]);

  async function stored(): Promise<Message> {
    try {
      return await call('createTicketMessage', { body });
    } catch (error) {
      const arrived = error instanceof Refusal && error.status === 0 ? await find() : undefined;
      if (!arrived) throw error;
      return arrived;
    }
  }

  async function find(): Promise<Message | undefined> {
    try {
      const { items } = await call('listTicketMessages', {
        query: { ticketId: ticket.id, sortBy: 'createdAt', sortDirection: 'desc', limit: LOOKED_AT },
      });
      return items.find((each) => hasArrived(sending, each));
    } catch {
      return undefined;
    }
  }
}
