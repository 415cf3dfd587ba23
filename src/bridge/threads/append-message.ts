import type { Bridge } from '../bridge.ts';
import { type OpenRequest, type CorePost, planPosts } from '../store/posts.ts';
import { titleFromText, decideReply, hasEnded, isOnlyThanks } from '../tickets/rules.ts';
import type { ChatMessage, ChatEvent } from '../slack/chat-event.ts';
import { type Conversation, copiesOf, locationOf } from '../store/conversations.ts';
import { checkWritten, mirrorWork } from '../inbox/store.ts';
import { context } from '../blocks/kit.ts';
import { firstPosts } from './first-post.ts';
import { type Ticket, readTicket } from '../tickets/find-ticket.ts';
import { messageText, signed, messageAuthor, followMentioned, mentionedBy } from './message-text.ts';
import { ticketLink, userNames } from '../tickets/ticket-facts.ts';
import type { EventContext } from '../inbox/event-context.ts';
import { type ChatPlace, writtenAt } from '../slack/ids.ts';
import { ownSetting } from '../tickets/own-settings.ts';
import { linkInbound, type InboundLink, findLink, type MessageLink, editsOf } from '../store/links.ts';
import { messageWriter, type WriteMessage, type Written, SKEW_MS } from '../tickets/create-once.ts';
import { setGroup } from '../tickets/update-ticket.ts';
import type { Person } from '../people/people.ts';
import { messagesOf } from '../tickets/ticket-messages.ts';
import { AnsweredError, type TicketState } from '../../client/index.ts';
import type { Attempt, BridgeTx, Done } from '../work.ts';

/**
 * Plans the follow-up to a request that ended long ago: the reply becomes the parent message of a new thread, under its
 * author's name, with a ticket linked to the old one (B22).
 */
async function followUp(
  bridge: Bridge,
  conversation: Conversation,
  { code, id, private: isPrivate }: Ticket,
  message: ChatMessage,
): Promise<CorePost[]> {
  const author = await messageAuthor(bridge, message);
  const { markdown, words } = await messageText(bridge, message);
  const [post, ...more] = firstPosts(markdown);
  const note = `Follows up on ${ticketLink(bridge, code)}`;
  const { id: old, channel_id: channel, thread_ts: root } = conversation;
  const title = titleFromText(words);
  const open: OpenRequest = {
    title,
    description: signed(author, markdown),
    requester: message.user ?? '',
    private: isPrivate,
    follows: { ticket: id, code, conversation: old, channel, root },
  };
  const blocks = [...(post?.blocks ?? []), context(note)];
  return [{ kind: 'parent', text: post?.text ?? title, blocks, more, as: { name: author.name }, open }];
}

/** Links from the thread of the old ticket to the follow-up. */
export async function linkFollowUp(
  tx: BridgeTx,
  bridge: Bridge,
  { follows }: OpenRequest,
  code: string,
): Promise<void> {
  if (!follows) return;
  const { conversation: conversationId, channel, root: under } = follows;
  const text = `${ticketLink(bridge, follows.code)} was closed long ago, so your reply is a new request: ${ticketLink(bridge, code)}. It continues in its own thread.`;
  await planPosts(tx, bridge, { conversationId, team: bridge.bot.team, channel }, [
    { kind: 'bot-message', text, under },
  ]);
}

/**
 * Forwards a reply to the conversation's ticket, links the two, and plans the bot's messages about it. The service
 * stores a reply to a merged ticket on the one that it was merged into: from there on that one is the reply's ticket.
 */
export async function appendMessage(
  bridge: Bridge,
  ctx: EventContext<ChatEvent>,
  conversation: Conversation,
  message: ChatMessage,
  why: string,
  { editTs, say = [] }: { editTs?: string | undefined; say?: readonly CorePost[] } = {},
): Promise<Done> {
  const ownTicketId = conversation.ticket_id ?? '';
  const isNote = conversation.role === 'triage';
  const stored = await postMessage(bridge, messageWriter(bridge, ctx, ownTicketId), message, {
    isNote,
    author: ctx.state?.author,
  });
  const { ticketId } = stored;
  const isMerged = ticketId !== ownTicketId;
  // Forwarded before the bridge lost its tables: its effects happened then.
  const wasThere = !stored.isNew;
  if (!isNote) await followMentioned(bridge, message.team, ticketId, mentionedBy(message));
  const { authorId } = stored;
  const state =
    isNote || wasThere || authorId === null
      ? undefined
      : (stored.ticket ?? (await readTicketState(bridge, ticketId)));
  // The requester of a merged ticket has asked for the same.
  const fromRequester =
    state?.requesterId === authorId ||
    (state !== undefined && isMerged && (await readTicket(bridge, ownTicketId))?.requesterId === authorId);
  const ended =
    state && fromRequester && hasEnded(state.statusGroup)
      ? await endedBy(bridge, ticketId, message)
      : undefined;
  const reopened = ended?.do === 'reopen';
  const further =
    ended?.do === 'follow-up' ? await followUp(bridge, conversation, ended.ticket, message) : [];
  if (reopened) await setGroup(bridge, ended.ticket, 'Open', authorId);
  const outcome = isNote ? 'internal note' : why;
  const more = reopened ? '; reopened' : further.length > 0 ? '; a new ticket follows up on it' : '';
  const hasFiles = message.files.length > 0;
  const { role } = conversation;
  // An answer changes the ticket: it is its first one, or whoever was writing it has done so (B57).
  const isToCheck = isMerged || role !== 'request' || (state && !fromRequester);
  if (isToCheck) await checkWritten(bridge, ticketId);
  // Once it is stored: a copy that is made later shows it anyway.
  const isToMirror = !wasThere && !isToCheck && (await isCopied(bridge, ticketId));
  const write = async (tx: BridgeTx) => {
    if (reopened) await setReopened(tx, ticketId);
    if (hasFiles) {
      const { id: messageId } = stored;
      const { files } = message;
      await bridge.hooks.filesForwarded(tx, { conversation, ticketId, messageId, authorId, files });
    }
    if (wasThere) return;
    await bridge.hooks.messageForwarded(tx, ticketId);
    await planPosts(tx, bridge, locationOf(conversation), say);
    const { team_id: team, channel_id: channel } = conversation;
    await planPosts(tx, bridge, { conversationId: null, team, channel }, further);
    if (isNote) await explainFirstNote(tx, bridge, conversation, message.user ?? '');
  };
  return ctx.finish(`${outcome}${more}`, write, {
    link: { ...inboundLink(bridge, conversation, message, stored.id), version: editTs ?? null },
    notice: wasThere ? undefined : bridge.hooks.notificationCheck(ticketId),
    mirror: isToMirror ? mirrorWork(conversation.id, ticketId) : undefined,
  });
}

/**
 * Returns whether what is said in a ticket's own thread is shown in direct messages (B27), or in a thread of its team
 * (B14).
 */
async function isCopied({ database, channels }: Bridge, ticketId: string): Promise<boolean> {
  for (const { role, channel_id: channel } of await copiesOf(database.db, ticketId))
    if (role === 'direct' || (await channels.teamThreadIn(channel, undefined)) !== 'notes') return true;
  return false;
}

/** Marks the ticket as reopened on its card until an agent works on it (B22). */
async function setReopened(tx: BridgeTx, ticketId: string): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ reopened: true })
    .where('ticket_id', '=', ticketId)
    .where('role', '=', 'request')
    .execute();
}

/** Tells an agent who writes here for the first time who can read it, once (B15). */
async function explainFirstNote(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  user: string,
): Promise<void> {
  const inserted = await tx
    .insertInto('note_hint')
    .values({ conversation_id: conversation.id, chat_user_id: user })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) return;
  const text =
    'Only the team reads this thread: your message is an internal note on the ticket. *Reply to requester* on the card, or *Send to requester* in the menu of a note, replies to the requester.';
  await planPosts(tx, bridge, locationOf(conversation), [
    { kind: 'ephemeral', user, text, thread: conversation.thread_ts },
  ]);
}

async function readTicketState(bridge: Bridge, ticketId: string): Promise<TicketState | undefined> {
  const ticket = await readTicket(bridge, ticketId);
  return ticket && { requesterId: ticket.requesterId, statusGroup: ticket.status.statusGroup.label };
}

/**
 * Returns the effect of its requester's reply on a ticket that is done (B22), by the settings of its queue; usually
 * undefined.
 */
async function endedBy(
  bridge: Bridge,
  ticketId: string,
  message: ChatMessage,
): Promise<{ do: 'reopen' | 'follow-up'; ticket: Ticket } | undefined> {
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return undefined;
  const group = ticket.status.statusGroup.label;
  const queueId = ticket.queueId ?? undefined;
  const endedAt = ticket.closedAt ?? ticket.resolvedAt;
  const decision = decideReply({
    group,
    fromRequester: true,
    onlyThanks:
      message.files.length === 0 &&
      !(await ownSetting(bridge, 'reopen-on-thanks', queueId)) &&
      isOnlyThanks(message.text, await agentNames(bridge, ticket)),
    writtenAt: new Date(Number(message.ts) * 1000),
    endedAt: endedAt === null ? null : new Date(endedAt),
    days: Number(await ownSetting(bridge, 'reopen-days', queueId)),
  });
  return decision === 'stay' ? undefined : { do: decision, ticket };
}

async function agentNames(bridge: Bridge, { assigneeId }: Ticket): Promise<string[]> {
  const name = (await userNames(bridge, [assigneeId]))(assigneeId);
  return name === undefined ? [] : [name];
}

/** Adds a chat message to its ticket; idempotent (B12). */
export async function postMessage(
  bridge: Bridge,
  write: WriteMessage,
  message: ChatMessage,
  { isNote = false, author: stored }: { isNote?: boolean; author?: Person | undefined } = {},
): Promise<Written> {
  const author = await messageAuthor(bridge, message, stored);
  const { markdown } = await messageText(bridge, message);
  return write({
    content: signed(author, markdown),
    source: 'CHAT',
    chatChannelId: message.channel,
    chatTimestamp: message.ts,
    ...(isNote ? { private: true } : {}),
    ...(author.user_id ? { authorId: author.user_id } : {}),
  });
}

/** Returns the link of a message written in chat. */
export function inboundLink(
  { newId }: Pick<Bridge, 'newId'>,
  conversation: Conversation,
  message: ChatPlace,
  ticketMessageId: string,
): InboundLink {
  return {
    id: newId('lnk'),
    conversation_id: conversation.id,
    ticket_message_id: ticketMessageId,
    team_id: message.team,
    channel_id: message.channel,
    ts: message.ts,
    origin: 'chat',
  };
}

/** Replaces the chat channel: such a message is not in any yet, and a repetition must be recognised. */
const NO_CHANNEL = { answer: 'deskbridge-answer', note: 'deskbridge-note' };

interface WrittenWords {
  /** A public reply, shown in the requester's thread like any other (B13, B15), or an internal note (B14). */
  kind: keyof typeof NO_CHANNEL;
  /** Distinguishes this message from others of its kind. */
  key: string;
  markdown: string;
}

/** Adds a message to a ticket in a user's name; idempotent. Throws ServiceError. */
export async function writeMessage(
  bridge: Bridge,
  attempt: Attempt,
  ticketId: string,
  person: Person,
  { kind, key, markdown }: WrittenWords,
): Promise<void> {
  const write = messageWriter(bridge, attempt, ticketId);
  await write({
    content: signed(person, markdown),
    ...(kind === 'note' ? { private: true } : {}),
    chatChannelId: NO_CHANNEL[kind],
    chatTimestamp: key,
    ...(person.user_id ? { authorId: person.user_id } : {}),
  });
  await checkWritten(bridge, ticketId);
}

/**
 * Links a chat message that is on its conversation's ticket without a link: its work was interrupted after the service
 * had it, and ended otherwise (it was deleted before the second attempt, or became a dead letter). Throws ServiceError.
 * @returns undefined if no ticket message is known there.
 */
export async function linkWritten(
  bridge: Bridge,
  conversation: Conversation,
  place: ChatPlace,
): Promise<MessageLink | undefined> {
  const { ticket_id: ticketId } = conversation;
  if (ticketId === null) return undefined;
  const { db } = bridge.database;
  const updatedFrom = new Date(writtenAt(place.ts).getTime() - SKEW_MS).toISOString();
  const writtenOn = async (id: string) => {
    for await (const message of messagesOf(bridge, id, { updatedFrom }))
      if (
        message.source === 'CHAT' &&
        message.chatMessages.some(({ channelId, ts }) => channelId === place.channel && ts === place.ts)
      )
        return message;
    return undefined;
  };
  let written = await writtenOn(ticketId);
  const mergedInto = written ? null : (await readTicket(bridge, ticketId))?.mergedIntoId;
  if (mergedInto) written = await writtenOn(mergedInto);
  if (!written) return undefined;
  const { id, ticketId: its } = written;
  await bridge.engine.transaction(async (tx) => {
    await linkInbound(tx, bridge, inboundLink(bridge, conversation, place, id));
    tx.plan.add(bridge.hooks.notificationCheck(its));
  });
  return findLink(db, place);
}

/**
 * Deletes a chat message's ticket message in the service, including edits that are separate messages. Throws
 * ServiceError.
 * @returns the write that records it, for the final transaction.
 */
export async function removeFromTicket(
  bridge: Bridge,
  { id: shownIn, ticket_id }: Conversation,
  link: MessageLink,
): Promise<(tx: BridgeTx) => Promise<void>> {
  // Of a merged ticket, the message is on the one that it was merged into.
  let ticketId = ticket_id;
  const links = [link, ...(await editsOf(bridge.database.db, link))];
  for (const { ticket_message_id: id } of links)
    try {
      ({ ticketId } = await bridge.service.deleteTicketMessage({ params: { id } }));
    } catch (error) {
      // Succeeds if it is already gone.
      if (!(error instanceof AnsweredError && error.status === 404)) throw error;
    }
  if (ticketId !== null) await checkWritten(bridge, ticketId, shownIn);
  return async (tx) => {
    for (const { id } of links)
      await tx.updateTable('message_link').set({ deleted: true }).where('id', '=', id).execute();
    if (ticketId !== null) await bridge.hooks.messageForwarded(tx, ticketId);
  };
}
