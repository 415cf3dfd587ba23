import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { sql } from 'kysely';

import { section } from '../blocks/kit.ts';
import type { Bridge } from '../bridge.ts';
import { announcesSince } from '../first-run.ts';
import { mirrorWork } from '../inbox/store.ts';
import type { EventContext } from '../inbox/event-context.ts';
import {
  conversationOfThread,
  requesterThread,
  bindTicket,
  locationOf,
  type Conversation,
  type KnownConversation,
  placesOfTicket,
} from '../store/conversations.ts';
import { placeholderParent } from '../slack/ids.ts';
import { hasEnded } from '../tickets/rules.ts';
import { chatUsersOf } from '../people/people.ts';
import { isOwnNote } from '../../contract/index.ts';
import { directWith } from '../tickets/reach.ts';
import { type Ticket, readTicket } from '../tickets/find-ticket.ts';
import {
  CHANGED_AT_ONCE,
  messagesChangedSince,
  messagesOf,
  messagesWrittenUntil,
  type TicketMessage,
} from '../tickets/ticket-messages.ts';
import { workspaceOfTicket } from '../tickets/catalogue.ts';
import { userNames, ticketLink } from '../tickets/ticket-facts.ts';
import { firstPosts } from './first-post.ts';
import { ChatError } from '../slack/errors.ts';
import { mayShow } from '../tickets/permissions.ts';
import type { BridgeTx, Done, Write } from '../work.ts';
import { planPosts, type Words } from '../store/posts.ts';
import { linksAmong, type MessageLink } from '../store/links.ts';
import {
  isMirrored,
  isShown,
  type MessageChange,
  mirrorMessage,
  type Place,
  mirrorPlace,
} from './mirror-message.ts';

/** A hint that something about a ticket changed; the record is the truth. */
interface TicketHint {
  ticketId: string;
}

/**
 * Handles a ticket created outside chat: the first public reply by anyone but its requester starts a direct message to
 * them, if they are known in chat (B1), and so does its opening by another person who says that they are to be told.
 * The conversation is linked before anything is posted, and its first message is planned with the first reply, or the
 * card.
 */
async function startDirectThread(
  bridge: Bridge,
  ctx: EventContext<TicketHint>,
  ticket: Ticket,
): Promise<Done> {
  if (requesterThread(ticket) || ticket.requesterId === null)
    return ctx.finish('no thread: the ticket was made outside Slack');
  const user = (await chatUsersOf(bridge, [ticket.requesterId])).get(ticket.requesterId);
  const told = user === undefined ? undefined : await openingToTell(bridge, ticket);
  const begun = user === undefined ? undefined : (told ?? (await firstAnswer(bridge, ticket)));
  if (user === undefined || begun === undefined)
    return ctx.finish('made outside Slack: not answered yet, or its requester is not in Slack');
  const channel = await directWith(bridge, user);
  if (channel === undefined) return ctx.finish('no direct conversation with the requester');
  const words = told === undefined ? undefined : await wordsOfTold(bridge, ticket);
  return ctx.finish('a direct conversation with the requester begins', async (tx) => {
    const thread = { team: bridge.bot.team, channel, root: placeholderParent(ticket.id), direct: true };
    const conversation = await conversationOfThread(tx, thread, bridge);
    const { id, ticket_id } = conversation;
    if (ticket_id === null) {
      await tx
        .updateTable('conversation')
        .set({ ticket_id: ticket.id, applied_until: begun })
        .where('id', '=', id)
        .execute();
      if (words) await planPosts(tx, bridge, locationOf(conversation), [{ kind: 'first-message', words }]);
    }
    tx.plan.add(mirrorWork(id, ticket.id));
  });
}

/** Returns what a requester reads of a ticket that another person opened for them: who did, and with which words. */
async function wordsOfTold(bridge: Bridge, ticket: Ticket): Promise<Words> {
  const { authorId, code, title, description } = ticket;
  const name = (await userNames(bridge, [authorId]))(authorId) ?? 'Somebody';
  const text = `*${ticketLink(bridge, code)}* ${escapeMrkdwn(title ?? '')}\n${escapeMrkdwn(name)} opened it for you. Replies in this thread are on the ticket.`;
  return { text, blocks: [section(text)], more: firstPosts(description ?? '') };
}

/**
 * Returns when a ticket was opened whose requester is to be told of it; undefined if it was before the bridge first
 * ran, has ended, or is of a queue that posts nothing but the conversation (B28).
 */
async function openingToTell(bridge: Bridge, ticket: Ticket): Promise<string | undefined> {
  const { createdAt, tellRequester, status, archivedAt, queueId } = ticket;
  const isOver = hasEnded(status.statusGroup.label) || archivedAt !== null;
  if (!tellRequester || isOver || createdAt < (await announcesSince(bridge))) return undefined;
  const queue = queueId === null ? undefined : await bridge.channels.queue(queueId);
  return queue?.settings?.silentMode ? undefined : createdAt;
}

/**
 * Returns from which change on there are replies since the bridge first ran: the first one may have been changed after
 * others. Undefined if there is none.
 */
async function firstAnswer(bridge: Bridge, ticket: Ticket): Promise<string | undefined> {
  const since = await announcesSince(bridge);
  let first: string | undefined;
  for await (const message of messagesOf(bridge, ticket.id, {
    workspaceId: workspaceOfTicket(ticket),
    updatedFrom: since,
  })) {
    if (message.private || message.deleted || isOwnNote(message)) continue;
    if (message.authorId === ticket.requesterId || message.createdAt < since) continue;
    if (first === undefined || message.updatedAt < first) first = message.updatedAt;
  }
  return first;
}

/**
 * Syncs a ticket's places in chat with the service's record: its thread, with every message changed since the last
 * time, those that it does not show yet in the order in which they were written, every copy of its card, and every Home
 * that shows it. So neither the order nor the number of the service's events matters.
 */
export async function mirrorTicket(bridge: Bridge, ctx: EventContext<TicketHint>): Promise<Done> {
  const { ticketId } = ctx.event;
  const { request, copies } = await placesOfTicket(bridge.database.db, ticketId, bridge.hooks.readWith());
  const copy = copies.find(({ id }) => id === ctx.conversationId);
  const place = copy ?? (request?.id === ctx.conversationId ? request : undefined);
  const ticket = await readTicket(bridge, ticketId, { messagesFrom: place && changedFrom(place) });
  if (copy && ticket) return mirrorInto(bridge, ctx, copy, ticket, { copies: [] });
  const conversation = ticket && (request ?? (await conversationOfRecord(bridge, ticket)));
  if (conversation && ctx.conversationId !== conversation.id)
    return ctx.finish('its conversation is compared', async (tx) =>
      tx.plan.add(mirrorWork(conversation.id, ticketId)),
    );
  const record = async (): Promise<Write> => {
    const changed = await bridge.hooks.ticketChanged({ ticketId, ticket, conversation, copies, begun: ctx });
    const isHidden = !ticket || !(await bridge.channels.isForEveryone(ticket));
    const hidden = isHidden ? await bridge.hooks.ticketHidden(ticketId) : undefined;
    return async (tx) => {
      await changed?.(tx);
      await hidden?.(tx);
    };
  };
  if (!ticket) return ctx.finish('the ticket is gone, or not for this key to see', await record());
  if (conversation) return mirrorInto(bridge, ctx, conversation, ticket, { copies, record });
  const write = await record();
  await bridge.engine.transaction(async (tx) => {
    await write(tx);
    tx.plan.add(...copies.map(({ id }) => mirrorWork(id, ticketId)));
  });
  return startDirectThread(bridge, ctx, ticket);
}

/** Returns from which instant on messages are read with their ticket. */
const changedFrom = ({ applied_until: since }: Conversation) => (since ?? new Date(0)).toISOString();

/** The effects of a ticket's change besides those on its threads. */
interface Besides {
  /** Its other places. */
  copies: readonly KnownConversation[];
  /** Reads what the change means apart from its places. */
  record?: () => Promise<Write>;
}

async function mirrorInto(
  bridge: Bridge,
  ctx: EventContext<TicketHint>,
  conversation: KnownConversation,
  ticket: Ticket,
  { copies, record }: Besides,
): Promise<Done> {
  // A conversation that is being relocated is mirrored to its new place, even if its ticket became public meanwhile
  // (B11).
  const isLeaving = conversation.relocating && !conversation.direct;
  const visible = !isLeaving && (await mayShow(bridge, ticket, conversation));
  const isCopy = conversation.role !== 'request';
  const { hooks } = bridge;
  const mirrorBy = (tx: BridgeTx, others: readonly Conversation[]) =>
    tx.plan.add(...others.map(({ id }) => mirrorWork(id, ticket.id)));
  const known = { ...conversation, ticket_id: ticket.id };
  const place = await mirrorPlace(bridge, known, ticket);
  const its = { id: ticket.id, workspaceId: workspaceOfTicket(ticket) };
  const since = conversation.applied_until?.toISOString() ?? null;
  /** A correct copy (`done`) needs no check, which would read the same again. */
  const readShown = async () => {
    const { messages, more } = ticket.messages
      ? { messages: ticket.messages, more: false }
      : await messagesChangedSince(bridge, its, since);
    const links = await linksByMessage(bridge, [known, ...copies], messages);
    // Where not everyone may read a ticket, each place has a check of its own.
    const isForAll = await bridge.channels.isForEveryone(ticket);
    const alike: KnownConversation[] = [];
    for (const copy of isForAll ? copies : [])
      if (isAlike(conversation, await mirrorPlace(bridge, copy, ticket), messages, links)) alike.push(copy);
    const [{ changes, isWhole }, [mirrored, ...alsoMirrored]] = await Promise.all([
      more ? changesInOrder(bridge, place, its, messages, links) : changesOf(bridge, place, messages, links),
      hooks.threadsMirrored({ ticket, visible, messages, conversations: [conversation, ...alike] }),
    ]);
    const done = alike.filter((_, place) => alsoMirrored[place] === undefined);
    return { messages, more, changes, isWhole, mirrored, done };
  };
  // At the same time: each round trip is a part of the time that an answer takes to its thread.
  const [alsoRecord, recordChange, shown] = await Promise.all([
    record?.(),
    hooks.threadChanged({ ticket, conversation, visible }),
    visible ? readShown() : undefined,
  ]);
  const bind = async (tx: BridgeTx) => {
    if (conversation.ticket_id === null)
      await bindTicket(tx, conversation, ticket, { description_ts: conversation.thread_ts });
    if (conversation.hidden === (shown !== undefined))
      await tx
        .updateTable('conversation')
        .set({ hidden: !shown })
        .where('id', '=', conversation.id)
        .execute();
    await alsoRecord?.(tx);
    await recordChange?.(tx);
  };
  if (!shown) {
    const changed = messagesOf(bridge, ticket.id, { workspaceId: its.workspaceId, updatedFrom: since });
    const takeBack = isCopy
      ? (tx: BridgeTx) => takeBackAll(tx, bridge, known)
      : await takeBackShown(bridge, place, ticket.messages ?? changed);
    const [mirrored] = await hooks.threadsMirrored({
      ticket,
      visible,
      messages: [],
      conversations: [conversation],
    });
    // A ticket that not everyone may read is not shown where others do; its card there is empty, and copies of its
    // messages are taken back (B14, B27).
    return ctx.finish('ticket in a place of others than its readers', async (tx) => {
      await bind(tx);
      await takeBack(tx);
      await takeBackWaiting(tx, conversation);
      await mirrored?.(tx);
      mirrorBy(tx, copies);
    });
  }
  const { messages, more, changes, isWhole, mirrored, done } = shown;
  const behind = copies.filter((copy) => !done.includes(copy));
  const until = isWhole ? messages.at(-1)?.updatedAt : undefined;
  const outcome = `mirrored ${changes.length} of ${messages.length} changed messages`;
  return ctx.finish(outcome, async (tx) => {
    await bind(tx);
    for (const { write } of changes) await write(tx);
    if (until !== undefined)
      await tx
        .updateTable('conversation')
        .set({ applied_until: until, active_at: bridge.clock.now() })
        .where('id', '=', sql<string>`any(${[conversation, ...done].map(({ id }) => id)}::text[])`)
        // A copy that was emptied meanwhile begins anew (`takeBackAll`).
        .where((is) => is.or([is('id', '=', conversation.id), is('applied_until', 'is not', null)]))
        .execute();
    await mirrored?.(tx);
    // A long absence is made up for in several checks: so many texts are in memory at once, and no more.
    mirrorBy(tx, more ? [conversation, ...behind] : behind);
  });
}

/**
 * Deletes messages that were shown and later deleted or made private, even if the ticket became private since (B13,
 * B14).
 */
async function takeBackShown(
  bridge: Bridge,
  place: Place,
  messages: Iterable<TicketMessage> | AsyncIterable<TicketMessage>,
): Promise<Write> {
  const { conversation } = place;
  const gone: TicketMessage[] = [];
  for await (const message of messages) if (message.deleted || !isShown(place, message)) gone.push(message);
  const links = await linksByMessage(bridge, [conversation], gone);
  const changes = await Promise.all(
    gone.map((message) => mirrorMessage(bridge, place, message, links(conversation, message))),
  );
  return async (tx) => {
    for (const change of changes) await change?.write(tx);
  };
}

/**
 * Takes back all posts of a ticket's messages from a copy of its card whose readers may not read it any more (B14).
 * What people wrote there only they can delete: in the team's thread they are told so, once. If the place may show the
 * ticket again, its messages are posted anew.
 */
async function takeBackAll(tx: BridgeTx, bridge: Bridge, conversation: Conversation): Promise<void> {
  const { id, role, hidden, thread_ts: thread } = conversation;
  const taken = await tx
    .updateTable('message_link')
    .set({ deleted: true, version: null })
    .where((where) => where.and({ conversation_id: id, origin: 'service', deleted: false }))
    .where('ts', 'is not', null)
    .returning('id')
    .execute();
  const place = locationOf(conversation);
  await planPosts(
    tx,
    bridge,
    place,
    taken.map((link) => ({ kind: 'delete', link: link.id })),
  );
  if (taken.length > 0) {
    await tx.deleteFrom('bot_reaction').where('conversation_id', '=', id).execute();
    await tx.updateTable('conversation').set({ applied_until: null }).where('id', '=', id).execute();
  }
  if (hidden || role !== 'triage' || !(await hasMessagesOfPeople(tx, conversation))) return;
  await planPosts(tx, bridge, place, [{ kind: 'bot-message', text: STAYS, thread }]);
}

const STAYS =
  ':lock: Not everyone here may read this ticket any more, so I took back what I had posted in this thread. What people wrote here stays until they delete it themselves.';

async function hasMessagesOfPeople(tx: BridgeTx, { id }: Conversation): Promise<boolean> {
  const theirs = await tx
    .selectFrom('message_link')
    .select('id')
    .where((where) => where.and({ conversation_id: id, origin: 'chat', deleted: false }))
    .limit(1)
    .executeTakeFirst();
  return theirs !== undefined;
}

/**
 * Withdraws pending posts of a ticket that became private. Without its link a planned post is dropped, and a started
 * one is looked up and deleted; an edit whose link has no version is not made, nor is an unwanted emoji. If the ticket
 * becomes public again, what was not shown is listed again.
 */
async function takeBackWaiting(tx: BridgeTx, { id }: Conversation): Promise<void> {
  const waiting = await tx
    .selectFrom('outbox')
    .select(['kind', 'state', 'link_id'])
    .where('conversation_id', '=', id)
    .where('kind', 'in', ['post', 'file', 'edit'])
    .where('state', 'in', ['planned', 'sending', 'dead'])
    .forUpdate()
    .execute();
  const linksOf = (some: typeof waiting) => some.flatMap(({ link_id: id }) => id ?? []);
  const edits = waiting.filter(({ kind }) => kind === 'edit');
  const posts = waiting.filter(({ kind }) => kind !== 'edit');
  const links = (begun: boolean) => linksOf(posts.filter(({ state }) => (state === 'sending') === begun));
  if (links(true).length > 0)
    await tx
      .updateTable('message_link')
      .set({ deleted: true, version: null })
      .where('id', 'in', links(true))
      .execute();
  if (links(false).length > 0)
    await tx.deleteFrom('message_link').where('id', 'in', links(false)).where('ts', 'is', null).execute();
  if (edits.length > 0)
    await tx
      .updateTable('message_link')
      .set({ version: null, digest: null })
      .where('id', 'in', linksOf(edits))
      .execute();
  const emoji = await tx
    .updateTable('bot_reaction')
    .set({ wanted: false })
    .where((is) => is.and({ conversation_id: id, wanted: true, shown: false }))
    .returning('emoji')
    .execute();
  if (links(false).length + edits.length + emoji.length === 0) return;
  await tx.updateTable('conversation').set({ applied_until: null }).where('id', '=', id).execute();
}

/**
 * Returns the conversation of a ticket that is not linked here, by the thread in its record: its opening was
 * interrupted, or another program opened it for a chat message. A triage thread is not shared with the requester.
 */
async function conversationOfRecord(bridge: Bridge, ticket: Ticket): Promise<KnownConversation | undefined> {
  const thread = requesterThread(ticket);
  if (!thread || !(await isHere(bridge, thread.channelId))) return undefined;
  const place = { team: bridge.bot.team, channel: thread.channelId, root: thread.messageTs };
  const conversation = await conversationOfThread(bridge.database.db, place, bridge);
  // A thread with another ticket keeps it (B2). A hint that is worked at the same time may have linked this one
  // meanwhile.
  const isOwn = conversation.ticket_id === null || conversation.ticket_id === ticket.id;
  // It has no card yet, and no emoji.
  return isOwn ? { ...conversation, known: {} } : undefined;
}

/** Returns whether a channel is visible to us: others may belong to a Slack workspace that shares the tickets. */
async function isHere({ chat }: Bridge, channel: string): Promise<boolean> {
  try {
    await chat.channel(channel);
    return true;
  } catch (error) {
    if (error instanceof ChatError && error.code === 'channel_not_found') return false;
    throw error;
  }
}

/** What is to be written of messages, in that order. */
interface Changes {
  changes: readonly MessageChange[];
  /** False if posts of some of the messages wait: then these messages are read again. */
  isWhole: boolean;
}

interface DatedChange {
  message: TicketMessage;
  change: MessageChange;
}

/** Returns what changed messages mean for a conversation. */
async function changesOf(
  bridge: Bridge,
  place: Place,
  messages: readonly TicketMessage[],
  links: Links,
): Promise<Changes> {
  return { changes: inOrder(await datedChanges(bridge, place, messages, links)), isWhole: true };
}

/**
 * The same, while others changed after these messages. Of those, some may have been written before the ones that are to
 * be posted now, and edited since: they are posted before them. If they are many, later ones wait.
 */
async function changesInOrder(
  bridge: Bridge,
  place: Place,
  ticket: { id: string; workspaceId: string },
  messages: readonly TicketMessage[],
  links: Links,
): Promise<Changes> {
  const dated = await datedChanges(bridge, place, messages, links);
  const updatedFrom = messages.at(-1)?.updatedAt;
  const until = dated.findLast(({ change }) => change.isNew)?.message.createdAt;
  if (until === undefined || updatedFrom === undefined) return { changes: inOrder(dated), isWhole: true };
  const known = new Set(messages.map(({ id }) => id));
  const earlier: DatedChange[] = [];
  for await (const message of messagesWrittenUntil(bridge, ticket, { until, updatedFrom })) {
    if (known.has(message.id)) continue;
    const ofMessage = await linksByMessage(bridge, [place.conversation], [message]);
    const [found] = await datedChanges(bridge, place, [message], ofMessage);
    if (found?.change.isNew !== true) continue;
    if (earlier.length === CHANGED_AT_ONCE) {
      const last = earlier.at(-1)?.message.createdAt ?? '';
      const now = dated.filter(({ message: { createdAt }, change }) => !change.isNew || createdAt <= last);
      return { changes: inOrder([...earlier, ...now]), isWhole: false };
    }
    earlier.push(found);
  }
  return { changes: inOrder([...earlier, ...dated]), isWhole: true };
}

/** In the order in which the messages were written. */
async function datedChanges(
  bridge: Bridge,
  place: Place,
  messages: readonly TicketMessage[],
  links: Links,
): Promise<DatedChange[]> {
  const dated: DatedChange[] = [];
  for (const message of messages) {
    const change = await mirrorMessage(bridge, place, message, links(place.conversation, message));
    if (change) dated.push({ message, change });
  }
  return dated.toSorted((a, b) => compare(a.message.createdAt, b.message.createdAt));
}

/** New posts appear in the order in which they were written, whatever was edited since; everything else follows. */
function inOrder(dated: readonly DatedChange[]): MessageChange[] {
  const at = ({ message, change }: DatedChange) => (change.isNew ? message.createdAt : LAST);
  return dated.toSorted((a, b) => compare(at(a), at(b))).map(({ change }) => change);
}

/** Sorts after every instant. */
const LAST = '~';
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

type Links = (conversation: Conversation, message: TicketMessage) => MessageLink[];

async function linksByMessage(
  { database }: Bridge,
  conversations: readonly Conversation[],
  messages: readonly TicketMessage[],
): Promise<Links> {
  const links = await linksAmong(
    database.db,
    conversations.map(({ id }) => id),
    messages.map(({ id }) => id),
  );
  return (conversation, message) =>
    links.filter((link) => link.conversation_id === conversation.id && link.ticket_message_id === message.id);
}

/**
 * Returns whether a copy shows these messages already, as far as is known without reading more. Only its own check
 * changes it, in the order of its conversation.
 */
function isAlike(
  { applied_until: listedFrom }: Conversation,
  place: Place,
  messages: readonly TicketMessage[],
  links: Links,
): boolean {
  const { conversation: copy } = place;
  if (copy.applied_until === null || listedFrom === null) return false;
  // Earlier changes than those listed here wait for its own check.
  if (copy.applied_until < listedFrom) return false;
  return messages.every((message) => isMirrored(place, message, links(copy, message)));
}
