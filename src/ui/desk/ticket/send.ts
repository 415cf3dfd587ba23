import { skipToken, useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../api/call.ts';
import { knownPerson } from '../api/people.ts';
import { queryClient } from '../api/query.ts';
import { messagesQuery, ticketsChanged } from '../api/tickets.ts';
import type { BodyOf, Message, Person, TicketDetail } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';
import { type NewReply, type Scheduled, scheduleReply } from './scheduled.ts';

type Messages = { items: Message[]; totalCount: number };

export interface NewMessage {
  content: string;
  isPrivate: boolean;
  files: readonly FileRecord[];
  /** Not to be sent if somebody else of the team has replied after this time; undefined: to be sent anyway. */
  since: string | undefined;
  /** Undefined: it is sent at once. */
  later: Pick<NewReply, 'sendAt' | 'statusId'> | undefined;
}

/** Nothing was sent: somebody else of the team has replied meanwhile. */
export class RepliedMeanwhile extends Error {
  override name = 'RepliedMeanwhile';
  /** Newest first; at least one. */
  readonly replies: readonly Message[];

  constructor(replies: readonly Message[]) {
    super('somebody else of the team has replied');
    this.replies = replies;
  }
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
 * Sends a message, which the conversation shows at once; resolves to the scheduled reply if it is to be sent later, and the
 * service can do that. If the response is lost, the ticket is read before a failure is
 * reported, so that a message that arrived is not sent twice; the desk's server does the same towards the service
 * (src/desk/send-once.ts). Throws Refusal or RepliedMeanwhile, and takes the message out of the conversation again.
 */
export async function sendMessage(
  ticket: Pick<TicketDetail, 'id' | 'code' | 'requesterId'>,
  { content, isPrivate, files, since, later }: NewMessage,
  author: Person | undefined,
): Promise<Scheduled | undefined> {
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
    const replies = since === undefined ? [] : await repliesOfOthers(ticket, since, author?.id);
    if (replies.length > 0) {
      ticketsChanged([ticket.id]);
      throw new RepliedMeanwhile(replies);
    }
    // What shows it then is loaded meanwhile.
    if (later) void import('./scheduled-replies.tsx').catch(() => undefined);
    const scheduled = later && (await scheduleReply(ticket, { content, files, ...later }));
    if (scheduled) return scheduled;
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
  return undefined;

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

/** So many of the newest messages are looked through for replies of others. */
const NEWEST = 20;

/** The public replies of others of the team after a time, newest first. */
async function repliesOfOthers(
  { id: ticketId, requesterId }: Pick<TicketDetail, 'id' | 'requesterId'>,
  since: string,
  me: string | undefined,
): Promise<Message[]> {
  try {
    const query = { ticketId, sortBy: 'createdAt', sortDirection: 'desc', limit: NEWEST } as const;
    const { items } = await call('listTicketMessages', { query });
    return items.filter(
      (each) =>
        each.ticketId === ticketId &&
        each.createdAt > since &&
        !each.private &&
        !each.deleted &&
        each.authorId !== requesterId &&
        isOfOtherAgent(each, me),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // What keeps it from being read keeps the reply from being sent, which says so.
    return [];
  }
}

/** Whether an agent other than this person wrote a message, or an AI agent did. */
function isOfOtherAgent({ authorId, agent, source }: Message, me: string | undefined): boolean {
  if (authorId === null) return Boolean(agent);
  return authorId !== me && source !== 'SYSTEM' && knownPerson(authorId)?.role !== 'requester';
}
