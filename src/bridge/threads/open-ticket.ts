import { type Answer, AnsweredError } from '../../client/index.ts';
import type { RouteBody } from '../../contract/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { mirrorWork } from '../inbox/store.ts';
import { planPosts, type Words } from '../store/posts.ts';
import { isOurs } from './rules.ts';
import { isUserText } from '../slack/message-kinds.ts';
import { titleFromText, UNTITLED } from '../tickets/rules.ts';
import {
  type ChatMessage,
  type ListedReaction,
  parseListedMessage,
  parseListedReactions,
} from '../slack/chat-event.ts';
import type { ChatFile } from '../slack/file.ts';
import {
  bindTicket,
  type Conversation,
  findByTicket,
  locationOf,
  requesterThread,
} from '../store/conversations.ts';
import type { ChannelQueue } from '../tickets/channels.ts';
import { isPlaceholderParent } from '../slack/ids.ts';
import { linkMessage } from '../store/links.ts';
import { personOf } from '../people/people.ts';
import { inboundLink, postMessage } from './append-message.ts';
import { createTicketOnce, messageWriter, type WriteMessage } from '../tickets/create-once.ts';
import {
  followMentioned,
  hasContent,
  mentionedBy,
  messageText,
  isFromBot,
  signed,
  messageAuthor,
  takesPart,
} from './message-text.ts';
import { isRefused, NO_GUESTS } from '../tickets/permissions.ts';
import { teamsOfAssignee } from '../tickets/find-ticket.ts';
import { ownSetting } from '../tickets/own-settings.ts';
import { type Attempt, type BridgeTx } from '../work.ts';

/** The fields of a ticket that a form may ask for. */
export interface RequestFields {
  statusId?: string;
  priority?: string;
  requesterId?: string;
  assigneeId?: string;
  approverIds?: string[];
  followers?: { id: string }[];
  dueAt?: string;
}

interface Opening {
  conversation: Conversation;
  /** Chat user who asked for the ticket; the author (B3). */
  askedBy: string;
  /** Chat user who is the requester; undefined if that is not a person (B6): then the one who asked. */
  requestedBy: string | undefined;
  title: string;
  /** Markdown, with the author's name if they have no user. */
  description: string;
  /** Files of the message that describes it. */
  files?: readonly ChatFile[];
  /** Chat users mentioned in the description (B23). */
  mentions: readonly string[];
  /**
   * The message whose later edits change the description. Null if a form describes the ticket in other words: then the
   * first message of the thread is a ticket message, and its edits belong to that one.
   */
  describedBy: string | null;
  private: boolean;
  /** A private ticket has its own channel, and nothing is shown here (B11). */
  aside?: boolean;
  /** The queue of a request that goes on in direct messages, though it was made in a channel. */
  queueId?: string | undefined;
  /** The ticket that it follows up on (B22). */
  parentId?: string | undefined;
  /** Values of a form (B37). */
  form?: {
    requestTypeId: string | undefined;
    /** The title is the form's own: editing a message does not change it. */
    ownTitle: boolean;
    /** For places without a linked channel. */
    queueId: string | undefined;
    customFields: Record<string, unknown>;
    fields: RequestFields;
    /** Answers to questions for files. */
    files: readonly ChatFile[];
    /** The first message of a thread that has none yet. */
    words: Words | undefined;
  };
}

interface Opened {
  ticket: Answer<'createTicket'>;
  /** Writes the link between ticket and thread; belongs into the final transaction. */
  record(tx: BridgeTx): Promise<void>;
}

/** No ticket is opened; the message says why, for the user. */
class RefusedTicket extends Error {
  override readonly name = 'RefusedTicket';
}

const PRIVATE_TICKET = 'A private ticket was opened. Its conversation continues in direct messages.';

export const NO_QUEUE =
  'No ticket was opened: this channel is not linked to a queue, and the workspace has no default queue. Ask the help desk’s administrators to link the channel to a queue, or to set `defaultQueueId` on the workspace.';

/** Opens the ticket of a thread: the service's record, with existing replies (B4); idempotent. */
export async function openTicket(bridge: Bridge, attempt: Attempt, asked: Opening): Promise<Opened> {
  const { conversation } = asked;
  const queueId = asked.queueId ?? asked.form?.queueId;
  const channelQueue = await channelQueueFor(bridge, conversation.channel_id, queueId);
  if (!channelQueue) throw new RefusedTicket(NO_QUEUE);
  const isAside = !isPlaceholderParent(conversation.thread_ts) && (await goesAside(bridge, channelQueue));
  const opening = isAside && !conversation.direct ? { ...asked, private: true, aside: true } : asked;
  const asker = await personOf(bridge, conversation.team_id, opening.askedBy);
  if (await isRefused(bridge, asker, channelQueue)) throw new RefusedTicket(NO_GUESTS);
  const requester = opening.requestedBy
    ? await personOf(bridge, conversation.team_id, opening.requestedBy)
    : asker;
  const { form } = opening;
  const ticket = await createTicketOnce(bridge, attempt, {
    // A request type may build the title from its template.
    ...(opening.title || !form ? { title: opening.title || UNTITLED } : {}),
    description: opening.description,
    queueId: channelQueue.queueId,
    private: opening.private,
    source: 'CHAT',
    chatChannelId: conversation.channel_id,
    chatTimestamp: conversation.thread_ts,
    ...(requester.user_id ? { requesterId: requester.user_id } : {}),
    ...(asker.user_id ? { authorId: asker.user_id } : {}),
    ...(opening.parentId === undefined ? {} : { parentId: opening.parentId }),
    ...(form?.requestTypeId ? { requestTypeId: form.requestTypeId } : {}),
    ...(form ? { customFields: form.customFields, ...fieldsOf(form.fields) } : {}),
    ...(await teamsOfAssignee(bridge, form?.fields.assigneeId)),
  });
  const title = ticket.title ?? opening.title;
  // The ticket of this thread already has another thread (B2).
  const bound = await findByTicket(bridge.database.db, ticket.id);
  if ((bound && bound.id !== conversation.id) || hasMoved(ticket, conversation))
    throw new RefusedTicket(
      `This is already ${ticket.code}, and its conversation continues in another thread.`,
    );
  const write = messageWriter(bridge, attempt, ticket.id);
  const imported = isPlaceholderParent(conversation.thread_ts)
    ? []
    : await importReplies(bridge, conversation, write, opening.describedBy);
  const mentioned = imported.flatMap(({ message }) => mentionedBy(message));
  await followMentioned(bridge, conversation.team_id, ticket.id, [...opening.mentions, ...mentioned]);
  return {
    ticket,
    record: async (tx) => {
      await bindTicket(tx, conversation, ticket, {
        title: form?.ownTitle ? null : title,
        description_ts: opening.describedBy,
      });
      for (const { message, ticketMessageId } of imported)
        await linkMessage(tx, inboundLink(bridge, conversation, message, ticketMessageId));
      tx.plan.add(mirrorWork(conversation.id, ticket.id));
      await bridge.hooks.ticketOpened(tx, { conversation, ticket, imported });
      const forwarded = [
        { messageId: null, authorId: requester.user_id, files: opening.files ?? [] },
        { messageId: null, authorId: requester.user_id, files: form?.files ?? [], ofForm: true },
        ...imported.map(({ message: { files }, ticketMessageId: messageId, authorId }) => ({
          messageId,
          authorId,
          files,
        })),
      ];
      for (const one of forwarded)
        if (one.files.length > 0)
          await bridge.hooks.filesForwarded(tx, { ...one, conversation, ticketId: ticket.id });
      for (const { message } of imported) await bridge.hooks.messageLinked(tx, conversation.id, message);
      if (isPlaceholderParent(conversation.thread_ts))
        return planPosts(tx, bridge, locationOf(conversation), [
          { kind: 'first-message', words: form?.words },
        ]);
      if (!ticket.private || conversation.direct) return bridge.hooks.threadStarted(tx, conversation);
      await tx
        .updateTable('conversation')
        .set({ relocating: true })
        .where('id', '=', conversation.id)
        .execute();
      const { thread_ts: under } = conversation;
      const people = [...new Set([opening.requestedBy ?? opening.askedBy, opening.askedBy])];
      const room = { kind: 'private-place' as const, code: ticket.code, people, queue: channelQueue.queueId };
      await planPosts(tx, bridge, locationOf(conversation), [
        ...(opening.aside ? [] : [{ kind: 'bot-message' as const, text: PRIVATE_TICKET, under }]),
        { ...room, channel: opening.aside ?? false },
      ]);
    },
  };
}

/** Returns whether requests from a channel go on elsewhere, in private: what they say is not for the channel. */
export async function goesAside(bridge: Bridge, { linked, queueId }: ChannelQueue): Promise<boolean> {
  return linked && ownSetting(bridge, 'own-channels', queueId);
}

/** Returns the channel's queue; for an unlinked place, the request's queue (B7). */
async function channelQueueFor(
  { channels }: Bridge,
  channel: string,
  queueId: string | undefined,
): Promise<ChannelQueue | undefined> {
  const channelQueue = await channels.of(channel);
  if (channelQueue?.linked || queueId === undefined) return channelQueue;
  const queue = await channels.queue(queueId);
  return queue ? { workspaceId: queue.workspaceId, queueId, linked: false } : channelQueue;
}

type Body = RouteBody<'createTicket'>;

/** The form was built from the service's own values, so the service validates them. */
function fieldsOf({ priority, ...fields }: RequestFields): Partial<Body> {
  return { ...fields, ...(priority === undefined ? {} : { priority: priority as Body['priority'] }) };
}

/** Returns whether the record says that this thread's conversation continues in another one, unknown here. */
function hasMoved(ticket: Answer<'createTicket'>, { channel_id, thread_ts }: Conversation): boolean {
  const isHere = (one: { channelId: string; messageTs: string }) =>
    one.channelId === channel_id && one.messageTs === thread_ts;
  const talk = requesterThread(ticket);
  return talk !== undefined && !isHere(talk) && ticket.chatThreads.some(isHere);
}

/** Returns what a ticket takes from the chat message that describes it (B3, B6). */
export async function describedBy(
  bridge: Bridge,
  message: ChatMessage,
): Promise<Pick<Opening, 'title' | 'description' | 'files' | 'describedBy' | 'requestedBy' | 'mentions'>> {
  const { words } = await messageText(bridge, message);
  return {
    title: titleFromText(words),
    description: await descriptionOf(bridge, message),
    files: message.files,
    mentions: mentionedBy(message),
    describedBy: message.ts,
    requestedBy: message.botId === undefined ? message.user : undefined,
  };
}

/**
 * Returns a message's text as a description: without the leading mention of the bot, and prefixed with the author's
 * name if they have no user (B6, B10).
 */
export async function descriptionOf(bridge: Bridge, message: ChatMessage): Promise<string> {
  const { description } = await messageText(bridge, message);
  return isFromBot(message) ? description : signed(await messageAuthor(bridge, message), description);
}

/** Returns the parent of a thread as it is now in Slack; undefined if it is gone, or `ts` is a reply. */
export async function readParent(
  bridge: Bridge,
  team: string,
  channel: string,
  ts: string,
): Promise<ChatMessage | undefined> {
  for await (const raw of bridge.chat.thread(channel, ts)) {
    const message = parseListedMessage(team, channel, raw);
    return message?.ts === ts && message.root === ts && isUserText(message.subtype) ? message : undefined;
  }
  return undefined;
}

/** Returns why a ticket cannot be opened, for the user; undefined for other errors. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof RefusedTicket ? error.message : undefined;
}

/** Fields by which a ticket names the person who asks: with the user of an erased one made anew, it can be opened. */
const ASKERS = new Set(['requesterId', 'authorId']);
const REASON_CHARACTERS = 300;

/**
 * Returns why a ticket will never be opened as it was asked for, for the user; undefined if a retry may help. For what
 * a person asked for otherwise than by a message: a message that the service refuses is marked, and can be retried
 * (B54).
 */
export function finalRefusalOf(error: unknown): string | undefined {
  const known = refusalOf(error);
  if (known !== undefined) return known;
  if (!(error instanceof AnsweredError && error.next === 'give-up')) return undefined;
  const [issue] = error.issues;
  if (issue && ASKERS.has(issue.path)) return undefined;
  const detail = issue?.message ?? error.detail;
  return detail
    ? `No ticket was opened. The help desk rejected the request: ${escapeMrkdwn(detail.slice(0, REASON_CHARACTERS))}`
    : 'No ticket was opened. The help desk rejected the request.';
}

/** An existing message that becomes a ticket message, with its reactions. */
interface Imported {
  message: ChatMessage;
  ticketMessageId: string;
  authorId: string | null;
  reactions: readonly ListedReaction[];
}

async function importReplies(
  bridge: Bridge,
  conversation: Conversation,
  write: WriteMessage,
  describedTs: string | null,
): Promise<Imported[]> {
  const imported: Imported[] = [];
  for await (const raw of bridge.chat.thread(conversation.channel_id, conversation.thread_ts)) {
    const message = parseListedMessage(conversation.team_id, conversation.channel_id, raw);
    if (!message || message.ts === describedTs) continue;
    if (message.ts === conversation.thread_ts && describedTs !== null) continue;
    if (isOurs(message, bridge.bot) || !(await takesPart(bridge, message))) continue;
    if (!isUserText(message.subtype) || !hasContent(message, bridge.bot.userId)) continue;
    const { id, authorId } = await postMessage(bridge, write, message);
    imported.push({ message, ticketMessageId: id, authorId, reactions: parseListedReactions(raw) });
  }
  return imported;
}
