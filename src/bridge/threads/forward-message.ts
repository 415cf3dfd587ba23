import { ACTIONS } from '../blocks/results.ts';
import type { Bridge } from '../bridge.ts';
import { type CorePost, plan } from '../store/posts.ts';
import { hasEnded, isOnlyThanks } from '../tickets/rules.ts';
import type { ChatMessage, EventOf } from '../slack/chat-event.ts';
import {
  type Conversation,
  lastInDirect,
  conversationOf,
  findByPrivateChannel,
  joinThread,
  locationOf,
  waitsBefore,
  conversationOfThread,
  findByMessage,
  leaveThread,
} from '../store/conversations.ts';
import { awayNotesOfMentioned } from '../people/away.ts';
import { personOf } from '../people/people.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';
import { RetryLater } from '../../platform/engine/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { MentionCommand } from '../hooks.ts';
import { isGreeting, decideMessage, isOurs, type MessageDecision } from './rules.ts';
import type { EventContext } from '../inbox/event-context.ts';
import { isDirectOfTwo } from '../slack/ids.ts';
import { appendMessage, removeFromTicket } from './append-message.ts';
import { shorten } from '../../contract/index.ts';
import { mrkdwn, plain } from '../blocks/kit.ts';
import { greetingOf, hasContent, isFromBot, mentionedBy, onlyNames, takesPart } from './message-text.ts';
import { isObserved, recordObservedTicket } from './observed.ts';
import { describedBy, openTicket, readParent, refusalOf } from './open-ticket.ts';
import { isRefusedGuest, NO_GUESTS, opensEveryMessage } from '../tickets/permissions.ts';
import { type Answer, respond } from '../slack/respond.ts';
import { findLink } from '../store/links.ts';
import { type Done, workFor } from '../work.ts';
import { OPEN } from './posts.ts';

/** Returns the conversation that a direct message continues: the last one, if its ticket is open (B8). */
async function openTicketBefore(bridge: Bridge, message: ChatMessage): Promise<Conversation | undefined> {
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

const TITLE_SHOWN = 150;

/** Handles a new message: it opens a ticket, becomes a ticket message, or is ignored. */
export async function forwardMessage(bridge: Bridge, ctx: EventContext<EventOf<'message'>>): Promise<Done> {
  const { message } = ctx.event;
  const conversation = await conversationOf(bridge.database.db, ctx);
  // People write a request in several messages: the first one opens its ticket before the next is handled (B8).
  if (isToBot(message) && !conversation.ticket_id && (await waitsBefore(bridge.database.db, conversation)))
    throw new RetryLater('an earlier message of this direct conversation', {
      afterMs: BEHIND_MS,
      countsAttempt: false,
    });
  const mention = await bridge.hooks.commandIn(conversation, message);
  const decision = await decide(bridge, conversation, ctx, mention);
  const user = message.user ?? '';
  if (decision.do === 'open' || decision.do === 'ask') {
    const channelQueue = await bridge.channels.of(message.channel);
    if (isObserved(channelQueue)) return watch(bridge, ctx, conversation, decision);
  }
  switch (decision.do) {
    case 'ignore':
      return ctx.finish(decision.why);
    case 'ask':
      if (await isRefusedGuest(bridge, message.team, message.channel, user))
        return ctx.finish('guest refused', (tx) =>
          plan(tx, bridge, locationOf(conversation), [
            { kind: 'ephemeral', user, thread: conversation.thread_ts, text: NO_GUESTS },
          ]),
        );
      return ctx.finish(decision.why, async (tx) => {
        await tx
          .updateTable('conversation')
          .set({ prompted_user_id: user })
          .where('id', '=', conversation.id)
          .execute();
        await plan(tx, bridge, locationOf(conversation), [
          {
            kind: 'bot-message',
            thread: conversation.thread_ts,
            text: `<@${user}> What do you need? Your next message here becomes the ticket.`,
          },
        ]);
      });
    case 'say-already':
      return ctx.finish(decision.why, (tx) =>
        // The ticket may have moved elsewhere: the user is answered where they asked (B11).
        plan(tx, bridge, { ...locationOf(conversation), channel: message.channel }, [
          {
            kind: 'ephemeral',
            user,
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
    case 'add-to-last': {
      const last = await continuedConversation(bridge, message);
      // Its ticket was closed since this was decided: it is decided again.
      if (!last) throw new RetryLater('the ticket before was closed just now');
      return ctx.again((tx) => joinThread(tx, conversation, last));
    }
    case 'greet':
      return ctx.finish(decision.why, (tx) =>
        plan(tx, bridge, locationOf(conversation), [
          {
            kind: 'bot-message',
            ...bridge.hooks.greeting(isToBot(message) ? 'direct' : 'channel'),
            ...(message.ts === message.root && isToBot(message) ? {} : { under: message.root }),
          },
        ]),
      );
    case 'open':
      return open(bridge, ctx, conversation, message, decision);
  }
}

/** Returns the bot's answer to a reply; usually none. */
async function replyTo(
  bridge: Bridge,
  conversation: Conversation,
  message: ChatMessage,
  mention: MentionCommand,
): Promise<CorePost[]> {
  // It was written at the top level of a direct message: its author may have meant something else (B8).
  if (isToBot(message) && message.ts === message.root)
    return isThanks(message) ? [] : addedLine(bridge, conversation, message);
  if (mention.do !== 'reply' || mention.hint === undefined) return [];
  return [{ kind: 'ephemeral', user: message.user ?? '', text: mention.hint, thread: message.root }];
}

/** Tells the author until when those whom they mention are away (B68). */
async function awayPosts(bridge: Bridge, message: ChatMessage): Promise<CorePost[]> {
  const { team, user, root: thread } = message;
  if (user === undefined) return [];
  const mentioned = mentionedBy(message);
  if (mentioned.length === 0) return [];
  const notes = await awayNotesOfMentioned(bridge, team, mentioned, await personOf(bridge, team, user));
  return notes.length === 0 ? [] : [{ kind: 'ephemeral', user, text: notes.join('\n'), thread }];
}

/** In a channel in observe mode nothing is opened or posted (B56). */
async function watch(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message'>>,
  conversation: Conversation,
  decision: MessageDecision & { why: string },
): Promise<Done> {
  const { message } = ctx.event;
  if (decision.do !== 'open') return ctx.finish(`only observed: ${decision.why}`);
  const root = await rootOf(bridge, conversation, message, decision);
  const note = await recordObservedTicket(bridge, root, message.user ?? '', decision.why);
  return ctx.finish(`only observed: ${decision.why}`, note);
}

/** Returns the message that describes a ticket. */
async function rootOf(
  bridge: Bridge,
  { thread_ts }: Conversation,
  message: ChatMessage,
  { text }: Extract<MessageDecision, { do: 'open' }>,
): Promise<ChatMessage> {
  if (text === 'this' || message.ts === thread_ts) return message;
  return (await readParent(bridge, message.team, message.channel, message.root)) ?? message;
}

const BEHIND_MS = 250;

function isToBot({ channel }: ChatMessage): boolean {
  return isDirectOfTwo(channel);
}

/** Returns the conversation of a message at the top level of a channel (B8, B11). */
async function continuedConversation(
  bridge: Bridge,
  message: ChatMessage,
): Promise<Conversation | undefined> {
  return isToBot(message)
    ? openTicketBefore(bridge, message)
    : findByPrivateChannel(bridge.database.db, message);
}

async function open(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message'>>,
  conversation: Conversation,
  message: ChatMessage,
  decision: Extract<MessageDecision, { do: 'open' }>,
): Promise<Done> {
  const root = await rootOf(bridge, conversation, message, decision);
  try {
    const request = await describedBy(bridge, root);
    const opened = await openTicket(bridge, ctx, {
      conversation,
      askedBy: message.user ?? '',
      // Direct messages are nobody else's business (B8).
      private: conversation.direct || (await bridge.chat.isDirect(message.channel)),
      ...request,
    });
    const away = await awayPosts(bridge, message);
    return ctx.finish(`${decision.why}: opened ${opened.ticket.code}`, async (tx) => {
      await opened.record(tx);
      await plan(tx, bridge, locationOf(conversation), away);
    });
  } catch (error) {
    const text = refusalOf(error);
    if (text === undefined) throw error;
    return ctx.finish('no ticket opened: reason sent', (tx) =>
      plan(tx, bridge, locationOf(conversation), [
        { kind: 'ephemeral', user: message.user ?? '', thread: conversation.thread_ts, text },
      ]),
    );
  }
}

function isThanks({ files, text }: ChatMessage): boolean {
  return files.length === 0 && isOnlyThanks(text);
}

async function decide(
  bridge: Bridge,
  conversation: Conversation,
  { event: { message }, state }: EventContext<EventOf<'message'>>,
  mention: MentionCommand,
): Promise<MessageDecision> {
  const { bot } = bridge;
  const isRoot = message.ts === conversation.thread_ts;
  // The user who asks is the author; an app without an account has none.
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

/**
 * *Make it a new ticket*: a message that was added to the last ticket of a direct message leaves it and opens its own
 * (B8). Runs under the ordering key of the ticket that it leaves.
 */
export async function makeOwnTicket(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { team, channel, user, value: ts, responseUrl } = ctx.event.action;
  const place = { team, channel, ts };
  const tell = (answer: Answer) => respond(bridge, responseUrl, answer);
  const { db } = bridge.database;
  if (ctx.conversationId === null) {
    const conversation = await findByMessage(db, place);
    if (conversation) return ctx.move(conversation.id);
    ctx.afterwards(() => tell({ text: 'This message is no longer on a ticket.' }));
    return ctx.finish('the message is on no ticket');
  }
  const conversation = await conversationOf(db, ctx);
  const link = await findLink(db, place);
  const message =
    link?.conversation_id === conversation.id && !link.deleted
      ? await readParent(bridge, team, channel, ts)
      : undefined;
  if (!link || !message) {
    ctx.afterwards(() => tell({ text: 'This message already has its own ticket, or was deleted.' }));
    return ctx.finish('the message has its own ticket, or is gone');
  }
  const { title, description } = await describedBy(bridge, message);
  const taken = await removeFromTicket(bridge, conversation, link);
  const hasFiles = message.files.length > 0;
  const open = { title, description, hasFiles, requester: user, private: true, responseUrl };
  ctx.afterwards(() => tell({ text: 'This message becomes a new ticket.', replaces: true }));
  return ctx.finish('the message gets a ticket of its own', async (tx) => {
    await taken(tx);
    const thread = { team, channel, root: ts };
    await leaveThread(tx, thread);
    const { id } = await conversationOfThread(tx, thread, bridge);
    tx.plan.add(workFor(OPEN, id, { open, conversation: id }));
  });
}
