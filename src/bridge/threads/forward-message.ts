import { shorten } from '../../contract/index.ts';
import { RetryLater } from '../../platform/engine/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { mrkdwn, plain } from '../blocks/kit.ts';
import { ACTIONS } from '../blocks/results.ts';
import type { Bridge } from '../bridge.ts';
import type { MentionCommand } from '../hooks.ts';
import type { EventContext } from '../inbox/event-context.ts';
import { awayNotesOfMentioned } from '../people/away.ts';
import { personOf } from '../people/people.ts';
import type { ChatMessage, EventOf } from '../slack/chat-event.ts';
import { isDirectOfTwo } from '../slack/ids.ts';
import {
  type Conversation,
  conversationOf,
  findByPrivateChannel,
  joinThread,
  lastInDirect,
  locationOf,
  waitsBefore,
} from '../store/conversations.ts';
import { type CorePost, planPosts } from '../store/posts.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { isRefusedGuest, NO_GUESTS, opensEveryMessage } from '../tickets/permissions.ts';
import { hasEnded, isOnlyThanks } from '../tickets/rules.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';
import type { Done } from '../work.ts';
import { appendMessage } from './append-message.ts';
import { greetingOf, hasContent, isFromBot, mentionedBy, onlyNames, takesPart } from './message-text.ts';
import { isObserved, recordObservedTicket } from './observed.ts';
import { describedBy, openTicket, readParent, refusalOf } from './open-ticket.ts';
import { decideMessage, isGreeting, isOurs, type MessageDecision } from './rules.ts';

/** How long a direct message waits for the earlier ones of its conversation before it is tried again. */
const BEHIND_MS = 250;
/** Characters of a ticket's title in the line that names the ticket. */
const TITLE_SHOWN = 150;

type MessageContext = EventContext<EventOf<'message'>>;
type OpenDecision = Extract<MessageDecision, { do: 'open' }>;

/** Handles a new message: it opens a ticket, becomes a ticket message, or is ignored. */
export async function forwardMessage(bridge: Bridge, ctx: MessageContext): Promise<Done> {
  const { message } = ctx.event;
  const conversation = await conversationOf(bridge.database.db, ctx);
  // Users write a request in several messages: the first one opens its ticket before the next is handled (B8).
  if (isToBot(message) && !conversation.ticket_id && (await waitsBefore(bridge.database.db, conversation)))
    throw new RetryLater('an earlier message of this direct conversation', {
      afterMs: BEHIND_MS,
      countsAttempt: false,
    });
  const mention = await bridge.hooks.commandIn(conversation, message);
  const decision = await decideFor(bridge, conversation, ctx, mention);
  if (decision.do === 'open' || decision.do === 'ask') {
    const channelQueue = await bridge.channels.of(message.channel);
    if (isObserved(channelQueue)) return observe(bridge, ctx, conversation, decision);
  }
  switch (decision.do) {
    case 'ignore':
      return ctx.finish(decision.why);
    case 'ask':
      return askForRequest(bridge, ctx, conversation, decision.why);
    case 'say-already':
      return ctx.finish(decision.why, (tx) =>
        // The ticket may have moved to another channel: the user is answered where they wrote (B11).
        planPosts(tx, bridge, { ...locationOf(conversation), channel: message.channel }, [
          {
            kind: 'ephemeral',
            user: message.user ?? '',
            thread: message.root,
            text: 'This thread already has a ticket. Every reply here is on it.',
          },
        ]),
      );
    case 'command':
      return mention.do === 'work' ? mention.work(ctx) : ctx.finish(decision.why);
    case 'append':
      return appendMessage(bridge, ctx, conversation, message, decision.why, {
        say: [
          ...(await replyTo(bridge, conversation, message, mention)),
          ...(await awayPosts(bridge, message)),
        ],
      });
    case 'add-to-last':
      return joinContinued(bridge, ctx, conversation);
    case 'greet':
      return ctx.finish(decision.why, (tx) =>
        planPosts(tx, bridge, locationOf(conversation), [
          {
            kind: 'bot-message',
            ...bridge.hooks.greeting(isToBot(message) ? 'direct' : 'channel'),
            ...(message.ts === message.root && isToBot(message) ? {} : { under: message.root }),
          },
        ]),
      );
    case 'open':
      return openFromMessage(bridge, ctx, conversation, decision);
  }
}

/** Asks a user who only mentioned the bot what they need; a guest whom the queue refuses is told so. */
async function askForRequest(
  bridge: Bridge,
  ctx: MessageContext,
  conversation: Conversation,
  why: string,
): Promise<Done> {
  const { team, channel, user = '' } = ctx.event.message;
  const { thread_ts: thread } = conversation;
  if (await isRefusedGuest(bridge, team, channel, user))
    return ctx.finish('guest refused', (tx) =>
      planPosts(tx, bridge, locationOf(conversation), [{ kind: 'ephemeral', user, thread, text: NO_GUESTS }]),
    );
  return ctx.finish(why, async (tx) => {
    await tx
      .updateTable('conversation')
      .set({ prompted_user_id: user })
      .where('id', '=', conversation.id)
      .execute();
    const text = `<@${user}> What do you need? Your next message here becomes the ticket.`;
    await planPosts(tx, bridge, locationOf(conversation), [{ kind: 'bot-message', thread, text }]);
  });
}

/** Adds a message to the conversation that it continues, where it is then handled as a reply. */
async function joinContinued(bridge: Bridge, ctx: MessageContext, conversation: Conversation): Promise<Done> {
  const continued = await continuedConversation(bridge, ctx.event.message);
  // Its ticket was closed after the decision, so the decision is made again.
  if (!continued) throw new RetryLater('the ticket before was closed just now');
  return ctx.again((tx) => joinThread(tx, conversation, continued));
}

/** Returns the conversation that a direct message continues: the previous one, if its ticket is open (B8). */
async function previousOpenConversation(
  bridge: Bridge,
  message: ChatMessage,
): Promise<Conversation | undefined> {
  const last = await lastInDirect(bridge.database.db, message);
  if (!last?.ticket_id) return undefined;
  const ticket = await readTicket(bridge, last.ticket_id);
  return ticket && !hasEnded(ticket.status.statusGroup.label) ? last : undefined;
}

/**
 * Returns the line below a message that names the ticket it was added to, with the button that makes it a separate
 * ticket (B8).
 */
async function addedLine(
  bridge: Bridge,
  { ticket_id }: Conversation,
  { ts }: ChatMessage,
): Promise<CorePost[]> {
  const ticket = await readTicket(bridge, ticket_id ?? '');
  if (!ticket) return [];
  const text = `Added to ${ticketLink(bridge, ticket.code)} ${escapeMrkdwn(ticket.title ?? '')}`;
  const button = {
    type: 'button',
    action_id: ACTIONS.ownTicket,
    value: ts,
    text: { type: 'plain_text', text: 'Make it a new ticket' },
  };
  const blocks = [
    {
      type: 'context',
      elements: [
        mrkdwn(`Added to ${ticketLink(bridge, ticket.code)}`),
        ...(ticket.title ? [plain(shorten(ticket.title, TITLE_SHOWN))] : []),
      ],
    },
    { type: 'actions', elements: [button] },
  ];
  return [{ kind: 'bot-message', text, blocks, under: ts }];
}

/** Returns the bot's answer to a reply; usually none. */
async function replyTo(
  bridge: Bridge,
  conversation: Conversation,
  message: ChatMessage,
  mention: MentionCommand,
): Promise<CorePost[]> {
  // At the top level of a direct message the author may have meant a new request (B8).
  if (isToBot(message) && message.ts === message.root)
    return isThanks(message) ? [] : addedLine(bridge, conversation, message);
  if (mention.do !== 'reply' || mention.hint === undefined) return [];
  return [{ kind: 'ephemeral', user: message.user ?? '', text: mention.hint, thread: message.root }];
}

/** Returns a note for the author about mentioned users who are away, and until when (B68). */
async function awayPosts(bridge: Bridge, message: ChatMessage): Promise<CorePost[]> {
  const { team, user, root: thread } = message;
  if (user === undefined) return [];
  const mentioned = mentionedBy(message);
  if (mentioned.length === 0) return [];
  const notes = await awayNotesOfMentioned(bridge, team, mentioned, await personOf(bridge, team, user));
  return notes.length === 0 ? [] : [{ kind: 'ephemeral', user, text: notes.join('\n'), thread }];
}

/** Records the ticket that a message would open: in observe mode nothing is opened or posted (B56). */
async function observe(
  bridge: Bridge,
  ctx: MessageContext,
  conversation: Conversation,
  decision: MessageDecision & { why: string },
): Promise<Done> {
  const { message } = ctx.event;
  if (decision.do !== 'open') return ctx.finish(`only observed: ${decision.why}`);
  const root = await describingMessage(bridge, conversation, message, decision);
  const note = await recordObservedTicket(bridge, root, message.user ?? '', decision.why);
  return ctx.finish(`only observed: ${decision.why}`, note);
}

/** Returns the message that describes the ticket. */
async function describingMessage(
  bridge: Bridge,
  { thread_ts }: Conversation,
  message: ChatMessage,
  { text }: OpenDecision,
): Promise<ChatMessage> {
  if (text === 'this' || message.ts === thread_ts) return message;
  return (await readParent(bridge, message.team, message.channel, message.root)) ?? message;
}

function isToBot({ channel }: ChatMessage): boolean {
  return isDirectOfTwo(channel);
}

/** Returns the existing conversation that a message at the top level of a channel continues (B8, B11). */
async function continuedConversation(
  bridge: Bridge,
  message: ChatMessage,
): Promise<Conversation | undefined> {
  return isToBot(message)
    ? previousOpenConversation(bridge, message)
    : findByPrivateChannel(bridge.database.db, message);
}

/** Opens a ticket, or tells the author why the service refused it. */
async function openFromMessage(
  bridge: Bridge,
  ctx: MessageContext,
  conversation: Conversation,
  decision: OpenDecision,
): Promise<Done> {
  const { message } = ctx.event;
  const root = await describingMessage(bridge, conversation, message, decision);
  try {
    const request = await describedBy(bridge, root);
    const opened = await openTicket(bridge, ctx, {
      conversation,
      askedBy: message.user ?? '',
      // Direct messages are private (B8).
      private: conversation.direct || (await bridge.chat.isDirect(message.channel)),
      ...request,
    });
    const away = await awayPosts(bridge, message);
    return ctx.finish(`${decision.why}: opened ${opened.ticket.code}`, async (tx) => {
      await opened.record(tx);
      await planPosts(tx, bridge, locationOf(conversation), away);
    });
  } catch (error) {
    const text = refusalOf(error);
    if (text === undefined) throw error;
    return ctx.finish('no ticket opened: reason sent', (tx) =>
      planPosts(tx, bridge, locationOf(conversation), [
        { kind: 'ephemeral', user: message.user ?? '', thread: conversation.thread_ts, text },
      ]),
    );
  }
}

function isThanks({ files, text }: ChatMessage): boolean {
  return files.length === 0 && isOnlyThanks(text);
}

/** Collects the facts about a message and decides what to do with it. */
async function decideFor(
  bridge: Bridge,
  conversation: Conversation,
  { event: { message }, state }: MessageContext,
  mention: MentionCommand,
): Promise<MessageDecision> {
  const { bot } = bridge;
  const isRoot = message.ts === conversation.thread_ts;
  // An app without an account has no user to answer.
  const mentionsBot = message.user !== undefined && mentionedBy(message).includes(bot.userId);
  const everyMessage =
    isRoot && conversation.ticket_id === null && (await opensEveryMessage(bridge, message.channel));
  const mayOpen = conversation.ticket_id === null && (isToBot(message) || mentionsBot || everyMessage);
  return decideMessage({
    isRoot,
    isOurs: isOurs(message, bot),
    fromBot: isFromBot(message),
    botsAllowed: await takesPart(bridge, message),
    subtype: message.subtype,
    mentionsBot,
    hasContent: hasContent(message, bot.userId),
    onlyNames: onlyNames(message),
    isDeleted: state?.isDeleted === true,
    isLinked:
      state?.isLinked || (conversation.ticket_id !== null && message.ts === conversation.description_ts),
    hasTicket: conversation.ticket_id !== null,
    isToBot: isToBot(message),
    isGreeting: mayOpen && isGreeting(await greetingOf(bridge, message)),
    isThanks: mayOpen && isThanks(message),
    followsTicket:
      isRoot &&
      conversation.ticket_id === null &&
      (await continuedConversation(bridge, message)) !== undefined,
    opensEveryMessage: everyMessage,
    tells: mention.do === 'work' ? 'now' : mention.do === 'past' ? 'before' : undefined,
    isAnswer: conversation.prompted_user_id !== null && conversation.prompted_user_id === message.user,
  });
}
