import { call, Refusal } from '../api/call.ts';
import { knownPerson } from '../api/people.ts';
import { queryClient } from '../api/query.ts';
import { messagesQuery, ticketsChanged } from '../api/tickets.ts';
import type { BodyOf, Message, Person, TicketDetail } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';
import { showToast } from '../../kit/toast.tsx';
import { putBack } from './drafts.ts';
import {
  isWithoutScheduled,
  knownScheduled,
  type Scheduled,
  setScheduled,
  UNDO_SECONDS,
} from './scheduled.ts';
import { hasArrived, newSendingId, type Sending, setSending } from './sending.ts';

// Loaded when something is sent, or about to be (composer.tsx).

type Messages = { items: Message[]; totalCount: number };
type ForReply = Pick<TicketDetail, 'id' | 'code' | 'requesterId'>;

export interface NewMessage {
  content: string;
  isPrivate: boolean;
  files: readonly FileRecord[];
  /** Not to be sent if somebody else of the team has replied after this time; undefined: to be sent anyway. */
  since: string | undefined;
  /** Undefined: it is sent at once. */
  later: Later | undefined;
}

interface Later {
  /** When it is sent; undefined: once it can no longer be undone. */
  sendAt: Date | undefined;
  /** The status that the ticket gets with it. */
  statusId: string | undefined;
  /** Resolves when what shows it is loaded. */
  shown?: Promise<unknown>;
}

/** The result of sending: a message is held back if another agent has replied meanwhile. */
export type Outcome =
  | { kind: 'sent' }
  | { kind: 'scheduled'; reply: Scheduled }
  /** Newest first; at least one. */
  | { kind: 'overtaken'; replies: readonly Message[] };

/** Number of the newest messages to search for one whose response was lost. */
const LOOKED_AT = 50;

/**
 * Sends a message, now or later, which the conversation shows at once. If the response is lost, the ticket is read
 * before a failure is reported, so that a message that arrived is not sent twice; the desk's server does the same
 * towards the service (src/desk/send-once.ts). Throws Refusal, and takes the message out of the conversation again.
 */
export async function sendMessage(
  ticket: ForReply,
  { content, isPrivate, files, since, later }: NewMessage,
  author: Person | undefined,
): Promise<Outcome> {
  const key = messagesQuery(ticket.code).queryKey;
  const at = new Date().toISOString();
  const message = {
    id: newSendingId(),
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
  const known = new Set((queryClient.getQueryData<Messages>(key)?.items ?? []).map((each) => each.id));
  const sending: Sending = { message, known };
  setSending(ticket.code, (items) => [sending, ...items]);
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
      return { kind: 'overtaken', replies };
    }
    const reply = later && (await schedule(ticket.id, { content, files, ...later }));
    // Until then it is shown as on its way.
    await later?.shown;
    if (reply) return { kind: 'scheduled', reply };
    const sent = await stored();
    // A read that is under way may have begun before.
    await queryClient.cancelQueries({ queryKey: key });
    queryClient.setQueryData<Messages>(
      key,
      (read) => read && { ...read, items: [sent, ...read.items.filter((each) => each.id !== sent.id)] },
    );
  } finally {
    setSending(ticket.code, (items) => items.filter((each) => each !== sending));
  }
  ticketsChanged([ticket.id]);
  return { kind: 'sent' };

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
      return (await newestOf(ticket.id, LOOKED_AT)).find((each) => hasArrived(sending, each));
    } catch {
      return undefined;
    }
  }
}

async function newestOf(ticketId: string, limit: number): Promise<Message[]> {
  const query = { ticketId, sortBy: 'createdAt', sortDirection: 'desc', limit } as const;
  return (await call('listTicketMessages', { query })).items;
}

/** Number of the newest messages to check for replies of others. */
const NEWEST = 20;

/** The public replies of others of the team after a time, newest first. */
async function repliesOfOthers(
  { id: ticketId, requesterId }: ForReply,
  since: string,
  me: string | undefined,
): Promise<Message[]> {
  try {
    return (await newestOf(ticketId, NEWEST)).filter(
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

/**
 * Schedules a reply; resolves to undefined where the service has none. If the response is lost, the list is read before
 * a failure is reported. Throws Refusal.
 */
export async function schedule(
  ticketId: string,
  { content, files, sendAt, statusId }: Later & Pick<NewMessage, 'content' | 'files'>,
): Promise<Scheduled | undefined> {
  const known = new Set(knownScheduled(ticketId).map(({ id }) => id));
  const body = {
    ticketId,
    content,
    ...(sendAt ? { sendAt: sendAt.toISOString() } : { delaySeconds: UNDO_SECONDS }),
    ...(files.length > 0 && { fileIds: files.map(({ id }) => id) }),
    ...(statusId !== undefined && { statusId }),
  } as BodyOf<'createScheduledReply'>;
  const reply = await stored();
  if (reply) await setScheduled(ticketId, (items) => [...items.filter(({ id }) => id !== reply.id), reply]);
  return reply;

  async function stored(): Promise<Scheduled | undefined> {
    try {
      return await call('createScheduledReply', { body });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (await isWithoutScheduled(error, ticketId)) return undefined;
      const isUncertain = error.status === 0 || error.status >= 500;
      const arrived = isUncertain ? await find() : undefined;
      if (!arrived) throw error;
      return arrived;
    }
  }

  async function find(): Promise<Scheduled | undefined> {
    try {
      const { items } = await call('listScheduledReplies', { query: { ticketId } });
      return items.find((each) => !known.has(each.id) && each.content === content);
    } catch {
      return undefined;
    }
  }
}

/** Changes the text or the time of a reply. Throws Refusal. */
export async function changeScheduled(
  { id, ticketId }: Scheduled,
  body: BodyOf<'updateScheduledReply'>,
): Promise<void> {
  const reply: Scheduled = await call('updateScheduledReply', { params: { id }, body });
  await setScheduled(ticketId, (items) => items.map((each) => (each.id === id ? reply : each)));
}

/** Sends a reply now that was to be sent later. Throws Refusal. */
export const sendNow = (reply: Scheduled): Promise<void> => changeScheduled(reply, { delaySeconds: 0 });

/** Deletes a reply before it is sent. Throws Refusal: 404 if it was. */
export async function deleteScheduled({ id, ticketId }: Scheduled): Promise<void> {
  try {
    await call('deleteScheduledReply', { params: { id } });
  } finally {
    await setScheduled(ticketId, (items) => items.filter((each) => each.id !== id));
    ticketsChanged([ticketId]);
  }
}

/** Messages that were already undone: their toast may still offer it. */
const undone = new Set<string>();

/**
 * Takes a reply back before it is sent: what it says is the ticket's draft again.
 * @param alreadySent what to say if it is too late.
 */
export async function undoReply(reply: Scheduled, alreadySent: string): Promise<void> {
  if (undone.has(reply.id)) return;
  try {
    await deleteScheduled(reply);
    undone.add(reply.id);
    putBack(reply.authorId, reply.ticketId, reply);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    showToast({ kind: 'error', text: error.status === 404 ? alreadySent : error.message });
  }
}
