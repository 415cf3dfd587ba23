import type { Bridge } from '../bridge.ts';
import { type OpenRequest, planPosts } from '../store/posts.ts';
import { respond } from '../slack/respond.ts';
import { titleFromText } from '../tickets/rules.ts';
import type { ChatCommand, ChatMessage, EventOf } from '../slack/chat-event.ts';
import { reportOutage } from '../inbox/answer-in-time.ts';
import type { EventContext } from '../inbox/event-context.ts';
import {
  type Conversation,
  conversationOf,
  conversationOfThread,
  locationOf,
} from '../store/conversations.ts';
import { chatUsersOf, personOf } from '../people/people.ts';
import { markdownWords } from '../text/to-chat.ts';
import { linkFollowUp } from './append-message.ts';
import { isObserved, OBSERVED_NOTICE, recordObservedTicket } from './observed.ts';
import { goesAside, NO_QUEUE, openTicket, describedBy, finalRefusalOf, readParent } from './open-ticket.ts';
import { isRefused, NO_GUESTS } from '../tickets/permissions.ts';
import { markdownOf, signed } from './message-text.ts';
import { mentionedIn } from '../../platform/text/mentions.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { firstPosts } from './first-post.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';
import { ChatError, isRejected } from '../slack/errors.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { type BridgeTx, type Done, workFor } from '../work.ts';
import { stayOnTicket } from './make-own-ticket.ts';
import { LEAVE } from './posts.ts';

/**
 * Plans the parent message of a ticket requested by command: in a linked channel under the requester's name, elsewhere
 * in a direct message, and then the ticket is private (B1). The ticket opens once the parent is posted.
 */
export async function planNewTicket(
  bridge: Bridge,
  { team, channel, user, responseUrl }: ChatCommand,
  escaped: string,
): Promise<{ refusal: string } | { record(tx: BridgeTx): Promise<void> }> {
  const person = await personOf(bridge, team, user);
  const channelQueue = await bridge.channels.of(channel);
  if (!channelQueue) return { refusal: NO_QUEUE };
  if (isObserved(channelQueue)) return { refusal: OBSERVED_NOTICE };
  if (await isRefused(bridge, person, channelQueue)) return { refusal: NO_GUESTS };
  // Its words are not for a channel whose requests get channels of their own.
  const isHere = channelQueue.linked && !(await goesAside(bridge, channelQueue));
  const place = isHere ? channel : await bridge.chat.directChannel(user);
  const description = await markdownOf(bridge, team, escaped);
  const chatUsers = await chatUsersOf(bridge, mentionedIn(description));
  const [post, ...more] = firstPosts(description, (userId) => chatUsers.get(userId));
  if (!post) return { refusal: 'Describe what you need.' };
  const open: OpenRequest = {
    title: titleFromText(markdownWords(description)),
    description: signed(person, description),
    requester: user,
    private: !isHere,
    ...(channelQueue.linked && !isHere && { queue: channelQueue.queueId }),
    responseUrl,
  };
  return {
    record: (tx) =>
      planPosts(tx, bridge, { conversationId: null, team, channel: place }, [
        { kind: 'parent', ...post, more, as: { name: person.name }, open },
      ]),
  };
}

/** The parent of a command's ticket was posted: opens the ticket on it, and answers the user. */
export async function openRequested(bridge: Bridge, ctx: EventContext<OpenRequest>): Promise<Done> {
  const { event: request } = ctx;
  const tell = async (text: string) => {
    if (request.responseUrl) await respond(bridge, request.responseUrl, { text });
  };
  const conversation = await conversationOf(bridge.database.db, ctx);
  if (conversation.ticket_id) return ctx.finish('this thread has its ticket');
  try {
    const { team_id: team, channel_id: channel, thread_ts: ts } = conversation;
    const parent = request.hasFiles ? await readParent(bridge, team, channel, ts) : undefined;
    const opened = await openTicket(bridge, ctx, {
      conversation,
      askedBy: request.requester,
      requestedBy: request.requester,
      title: request.title,
      description: request.description,
      files: parent?.files ?? [],
      mentions: [],
      describedBy: conversation.thread_ts,
      private: request.private,
      queueId: request.queue ?? undefined,
      parentId: request.follows?.ticket,
    });
    const why = request.follows ? 'follow-up' : 'command';
    const where = request.private ? 'in our direct messages' : 'in this channel';
    const text = `${ticketLink(bridge, opened.ticket.code)} is open; the conversation is in its thread ${where}.`;
    ctx.afterwards(() => tell(text));
    return ctx.finish(`${why}: opened ${opened.ticket.code}`, async (tx) => {
      await opened.record(tx);
      await linkFollowUp(tx, bridge, request, opened.ticket.code);
      const { leaves } = request;
      if (leaves) tx.plan.add(workFor(LEAVE, leaves.conversation, { link: leaves.link }));
    });
  } catch (error) {
    const refusal = finalRefusalOf(error);
    if (refusal !== undefined) return refuseRequested(bridge, ctx, conversation, refusal);
    if (ctx.attempt === 1)
      await tell(
        'Your message is saved. Its ticket opens when the help desk is available again; I will post a link here.',
      );
    throw error;
  }
}

/**
 * No ticket opens on the parent: a line under it says why to the person who asked. An answer to the command might come
 * too late, and a follow-up has none.
 */
async function refuseRequested(
  bridge: Bridge,
  ctx: EventContext<OpenRequest>,
  conversation: Conversation,
  refusal: string,
): Promise<Done> {
  const { requester, leaves } = ctx.event;
  const stays = leaves ? await stayOnTicket(bridge, conversation, leaves) : undefined;
  const { channel_id: channel, thread_ts: under } = conversation;
  const location = { ...locationOf(stays?.conversation ?? conversation), channel };
  const mention = requester === '' ? '' : `<@${requester}> `;
  const text = `${mention}${refusal}${stays ? `\n${stays.text}` : ''}`;
  return ctx.finish('no ticket opened: reason sent', async (tx) => {
    await stays?.write(tx);
    await planPosts(tx, bridge, location, [{ kind: 'bot-message', text, under }]);
  });
}

/** *Create ticket* in a message's menu opens the ticket of its thread (B1, B4) and answers the user. */
export async function openByShortcut(bridge: Bridge, ctx: EventContext<EventOf<'shortcut'>>): Promise<Done> {
  const { responseUrl } = ctx.event.shortcut;
  const tell = (text: string) => respond(bridge, responseUrl, { text });
  if (ctx.conversationId === null) return toItsThread(bridge, ctx, tell);
  try {
    return await openOnThread(bridge, ctx, tell);
  } catch (error) {
    const text = finalRefusalOf(error);
    if (text === undefined) return reportOutage(ctx, error, (answer) => tell(answer.text));
    ctx.afterwards(() => tell(text));
    return ctx.finish('no ticket opened: reason sent');
  }
}

async function openOnThread(
  bridge: Bridge,
  ctx: EventContext<EventOf<'shortcut'>>,
  tell: (text: string) => Promise<void>,
): Promise<Done> {
  const { message, user } = ctx.event.shortcut;
  const conversation = await conversationOf(bridge.database.db, ctx);
  if (conversation.ticket_id) {
    const ticket = await readTicket(bridge, conversation.ticket_id);
    const named = ticket ? `: ${ticketLink(bridge, ticket.code)}` : '';
    ctx.afterwards(() => tell(`This thread already has a ticket${named}.`));
    return ctx.finish('this thread has its ticket');
  }
  const root = (await readParent(bridge, message.team, message.channel, message.root)) ?? message;
  if (isObserved(await bridge.channels.of(message.channel))) {
    const note = await recordObservedTicket(bridge, root, user, 'shortcut');
    ctx.afterwards(() => tell(OBSERVED_NOTICE));
    return ctx.finish('only observed: shortcut', note);
  }
  const request = await describedBy(bridge, root);
  const opened = await openTicket(bridge, ctx, {
    conversation,
    askedBy: user,
    private: conversation.direct,
    ...request,
  });
  const text = `${ticketLink(bridge, opened.ticket.code)} is open. Its conversation is this thread.`;
  ctx.afterwards(() => tell(text));
  return ctx.finish(`shortcut: opened ${opened.ticket.code}`, (tx) => opened.record(tx));
}

/** Finds the thread, joining its channel if needed and allowed, and continues under its ordering key (B1). */
async function toItsThread(
  bridge: Bridge,
  ctx: EventContext<EventOf<'shortcut'>>,
  tell: (text: string) => Promise<void>,
): Promise<Done> {
  const { message } = ctx.event.shortcut;
  const { team, channel, root } = message;
  try {
    await ensureReadable(bridge, message);
    const direct = message.direct || (await bridge.chat.isDirect(channel));
    const thread = { team, channel, root, direct };
    const { id } = await conversationOfThread(bridge.database.db, thread, bridge);
    return ctx.move(id);
  } catch (error) {
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    ctx.afterwards(() => tell(cannotSee(bridge, message)));
    return ctx.finish('the bot cannot see this conversation');
  }
}

/** Reads a message's thread; joins a public channel for it if needed (`channels:join`). */
export async function ensureReadable(
  bridge: Bridge,
  { team, channel, root }: Pick<ChatMessage, 'team' | 'channel' | 'root'>,
): Promise<void> {
  try {
    await readParent(bridge, team, channel, root);
  } catch (error) {
    if (!(error instanceof ChatError && error.code === 'not_in_channel')) throw error;
    await bridge.chat.join(channel).catch((refused: unknown) => {
      // Without the method or its scope a person has to invite the bot.
      throw isRejected(refused) ? error : refused;
    });
  }
}

const QUOTED_CHARACTERS = 2_000;

function cannotSee({ bot }: Bridge, { channel, text }: ChatMessage): string {
  const what = channel.startsWith('D')
    ? 'I am not in this direct message. Send me the message instead, as a direct message:'
    : `I am not in this conversation. Type \`/invite @${escapeMrkdwn(bot.name)}\` here, then choose *Create ticket* again. Or send me the message as a direct message:`;
  const quoted = escapeMrkdwn(text.slice(0, QUOTED_CHARACTERS)).replaceAll(/^/gm, '> ');
  return `${what}\n${quoted}`;
}
