import type { Bridge } from '../../bridge.ts';
import { planPosts } from '../../store/posts.ts';
import {
  changeOf,
  type EmojiChange,
  type EmojiOpening,
  openingOf,
  isDeliveryMark,
  isForwarded,
} from '../../blocks/emoji.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import { conversationOfMessage } from '../../inbox/store.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import {
  conversationOf,
  conversationOfThread,
  locationOf,
  type Conversation,
} from '../../store/conversations.ts';
import { isObserved, recordObservedTicket } from '../../threads/observed.ts';
import { describedBy, openTicket, readParent, finalRefusalOf } from '../../threads/open-ticket.ts';
import { mayUseEmoji } from '../../tickets/permissions.ts';
import { priority } from '../../../contract/index.ts';
import { type Act, matchName } from '../../tickets/rules.ts';
import { type Person, personOf } from '../../people/people.ts';
import { readTicket, type Ticket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { actOfStatus, refusalFor, updateTicket } from '../../tickets/update-ticket.ts';
import { transaction } from '../../../platform/database/open.ts';
import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { compareTs } from '../../slack/ids.ts';
import { findLink } from '../../store/links.ts';
import { findReaction, recordReaction, lockMessage } from './store.ts';
import { forwardReaction } from './forward.ts';
import type { BridgeTx, Done, Write } from '../../work.ts';

/** Handles an emoji that opens a ticket, on a parent message in a linked channel (B1, B3, B5). */
async function reactToOpen(bridge: Bridge, ctx: EventContext<EventOf<'reaction'>>): Promise<Done> {
  const { place, user, name } = ctx.event;
  if (ctx.conversationId === null) return toItsThread(bridge, ctx);
  const conversation = await conversationOf(bridge.database.db, ctx);
  if (![conversation.thread_ts, conversation.description_ts].includes(place.ts))
    return ctx.finish('emoji on a reply');
  if (conversation.ticket_id) {
    // The place of a private ticket is not revealed (B14).
    const where = conversation.channel_id === place.channel ? '; you find it in the thread' : '';
    const text = `This message already has a ticket${where}.`;
    return ctx.finish('this thread has its ticket', sayBelow(bridge, ctx.event, conversation, text));
  }
  const say = (text: string) => (tx: BridgeTx) =>
    planPosts(tx, bridge, locationOf(conversation), [{ kind: 'ephemeral', user, text }]);
  const channelQueue = await bridge.channels.of(place.channel);
  if (!channelQueue?.linked) return ctx.finish('the channel is not linked');
  const watched = isObserved(channelQueue);
  if (!(await mayUseEmoji(bridge, channelQueue, { team: place.team, user })))
    return ctx.finish('emoji are for the team here', watched ? undefined : say(FOR_THE_TEAM));
  const root = await readParent(bridge, place.team, place.channel, place.ts);
  if (!root) return ctx.finish('the message is gone, or is a reply');
  if (watched)
    return ctx.finish('only observed: emoji', await recordObservedTicket(bridge, root, user, 'emoji'));
  try {
    const request = await describedBy(bridge, root);
    const { opens: opening } = await emojiAt(bridge, place.channel, name);
    const opened = await openTicket(bridge, ctx, {
      conversation,
      askedBy: user,
      private: conversation.direct || opening !== 'open',
      aside: opening === 'open-aside',
      ...request,
    });
    return ctx.finish(`emoji: opened ${opened.ticket.code}`, (tx) => opened.record(tx));
  } catch (error) {
    const text = finalRefusalOf(error);
    if (text === undefined) throw error;
    return ctx.finish('no ticket opened: reason sent', say(text));
  }
}

/** Plans a message to the user, in the thread of the message with their emoji. */
function sayBelow(
  bridge: Bridge,
  { place, user }: EventOf<'reaction'>,
  conversation: Conversation,
  text: string,
): Write {
  const location = { ...locationOf(conversation), channel: place.channel };
  return (tx) => planPosts(tx, bridge, location, [{ kind: 'ephemeral', user, text, thread: place.ts }]);
}

const FOR_THE_TEAM =
  'No ticket was opened: in this channel only the help desk’s team opens tickets by emoji. Mention me in the thread instead.';

/** Returns the action of an emoji on a parent message of this channel; usually none. Throws ServiceError. */
async function emojiAt(
  { channels }: Bridge,
  channel: string,
  name: string,
): Promise<{ opens: EmojiOpening | undefined; changes: EmojiChange | undefined }> {
  const channelQueue = await channels.of(channel);
  const actions = channelQueue && (await channels.emojiActions(channelQueue.workspaceId));
  return { opens: openingOf(name, actions), changes: changeOf(name, actions) };
}

/** An unknown message: if it is a parent, its conversation starts; otherwise nothing happens (B5). */
async function toItsThread(bridge: Bridge, ctx: EventContext<EventOf<'reaction'>>): Promise<Done> {
  const { team, channel, ts } = ctx.event.place;
  const root = await readParent(bridge, team, channel, ts);
  if (!root) return ctx.finish('the message is gone, or is a reply');
  const thread = { team, channel, root: ts, direct: root.direct };
  const { id } = await conversationOfThread(bridge.database.db, thread, bridge);
  return ctx.move(id);
}

/**
 * Handles an emoji that changes tickets, on a ticket's parent message (B1, B5): the effect is visible on the card, an
 * error is sent to the user. Permissions are those of the card.
 */
async function reactToChange(
  bridge: Bridge,
  ctx: EventContext<EventOf<'reaction'>>,
  { conversation, ticketId, change }: { conversation: Conversation; ticketId: string; change: EmojiChange },
): Promise<Done> {
  const { place, user } = ctx.event;
  const channelQueue = await bridge.channels.of(place.channel);
  if (!channelQueue?.linked) return ctx.finish('the channel is not linked');
  const refusal = (await mayUseEmoji(bridge, channelQueue, { team: place.team, user }))
    ? await changeTicket(bridge, ticketId, await personOf(bridge, place.team, user), change)
    : CHANGED_BY_THE_TEAM;
  if (refusal === undefined) return ctx.finish(`change by emoji: ${change.kind}`);
  const say = sayBelow(bridge, ctx.event, conversation, refusal);
  return ctx.finish(`change by emoji refused: ${change.kind}`, say);
}

const CHANGED_BY_THE_TEAM =
  'Nothing was changed: in this channel only the help desk’s team changes tickets by emoji. Write in the thread instead.';

/** Returns the error, for the user; undefined if it is done, or already was. */
async function changeTicket(
  bridge: Bridge,
  ticketId: string,
  person: Person,
  change: EmojiChange,
): Promise<string | undefined> {
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return TICKET_GONE;
  const wanted = await wantedChange(bridge, ticket, person, change);
  if (!wanted)
    return `Nothing was changed: the workspace’s emoji names the ${change.kind} “${escapeMrkdwn(change.value)}”, which does not exist for this ticket. The help desk’s administrators can change it in the workspace’s \`chatEmojiActions\`.`;
  const refusal = await refusalFor(bridge, ticket, person, wanted.act);
  if (refusal) return refusal.text;
  const { field, value } = wanted;
  if (value === null) return `You are not a user of the help desk yet. Ask an admin to link your account.`;
  // Writes only what differs from the record.
  if (ticket[field] !== value) await updateTicket(bridge, person.user_id, ticket.id, { [field]: value });
  return undefined;
}

/**
 * Returns the field that an emoji sets, its value, and the action that this is; undefined if there is no such value.
 */
async function wantedChange(
  bridge: Bridge,
  ticket: Ticket,
  { user_id }: Person,
  { kind, value: wanted }: EmojiChange,
): Promise<{ act: Act; field: 'statusId' | 'priority' | 'assigneeId'; value: string | null } | undefined> {
  switch (kind) {
    case 'status': {
      const statuses = await bridge.statuses.of(ticket);
      const match = matchName(wanted, statuses);
      const named = match && 'found' in match ? match.found : undefined;
      const status = statuses.find(({ id }) => id === wanted) ?? named;
      if (!status) return undefined;
      return { act: actOfStatus(ticket, status), field: 'statusId', value: status.id };
    }
    case 'priority': {
      const value = priority.safeParse(wanted).data;
      return value && { act: 'priority', field: 'priority', value };
    }
    case 'assign-me':
      return { act: 'assign', field: 'assigneeId', value: user_id };
  }
}

/**
 * Handles a reaction added or removed in chat: some open a ticket or change one (B1); others are forwarded to the
 * ticket message (B12).
 */
export async function handleReaction(bridge: Bridge, ctx: EventContext<EventOf<'reaction'>>): Promise<Done> {
  const { place, user, name, added, eventTs } = ctx.event;
  if (user === bridge.bot.userId) return ctx.finish('own reaction');
  // Removing an emoji undoes nothing.
  const { opens, changes } = added ? await emojiAt(bridge, place.channel, name) : NOTHING;
  if (isDeliveryMark(name) && !opens && !changes) return ctx.finish('a mark that is kept for the bot');
  if (ctx.conversationId === null && opens) return reactToOpen(bridge, ctx);
  if (ctx.conversationId === null && isForwarded(name)) return storeForUnknownMessage(bridge, ctx);
  const { db } = bridge.database;
  const at = bridge.clock.now();
  const conversation = ctx.conversationId === null ? undefined : await conversationOf(db, ctx);
  const isFirst = [conversation?.thread_ts, conversation?.description_ts].includes(place.ts);
  if (opens && isFirst) return reactToOpen(bridge, ctx);
  if (changes && isFirst && conversation?.ticket_id)
    return reactToChange(bridge, ctx, { conversation, ticketId: conversation.ticket_id, change: changes });
  // On any other message it is forwarded, unless the bot uses it as a status reaction.
  if (isDeliveryMark(name)) return ctx.finish('a mark that is kept for the bot');
  if (!conversation || !isForwarded(name)) return ctx.finish('it opens tickets, and does nothing here');
  const heard = (why: string) => ctx.finish(why, (tx) => recordReaction(tx, ctx.event, at));
  if (conversation.ticket_id === null) return heard('no ticket in this thread');
  const link = await findLink(db, place);
  if (!link && isFirst) return ctx.finish('a ticket itself bears no reactions');
  if (!link || link.deleted) return heard('not a message of a ticket');
  const known = await findReaction(db, ctx.event);
  if (known && compareTs(eventTs, known.event_ts) < 0) return ctx.finish('older than what is known');
  const { why, record } = await forwardReaction(bridge, conversation, link, {
    place,
    user,
    name,
    present: added,
    userId: known?.user_id ?? null,
  });
  return ctx.finish(why, async (tx) => {
    await recordReaction(tx, ctx.event, at);
    await record(tx);
  });
}

const NOTHING = { opens: undefined, changes: undefined };

/** Handles a reaction on an unknown message, or one without a ticket: it is stored until the message is known. */
async function storeForUnknownMessage(bridge: Bridge, ctx: EventContext<EventOf<'reaction'>>): Promise<Done> {
  const { place } = ctx.event;
  const conversation = await transaction(bridge.database.db, async (tx) => {
    await lockMessage(tx, place);
    await recordReaction(tx, ctx.event, bridge.clock.now());
    return conversationOfMessage(tx, place);
  });
  if (conversation !== undefined) return ctx.move(conversation);
  return ctx.finish('not a message of a ticket');
}
