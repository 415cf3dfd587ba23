import type { Bridge } from '../bridge.ts';
import { isForwarded, isStatusEmoji } from '../blocks/emoji.ts';
import { type TicketMessage, messagesOf } from '../tickets/ticket-messages.ts';
import {
  type Conversation,
  adoptCard,
  bindTicket,
  bindCopy,
  conversationOfThread,
  copiesOf,
  findByTicket,
  joinThread,
  roleOf,
  requesterThread,
} from '../store/conversations.ts';
import { NO_TIME, isPlaceholderParent } from '../slack/ids.ts';
import { findLink, copiesIn, linkMessage, linkToPost, type Part, wasWrittenIn } from '../store/links.ts';
import { personOf } from '../people/people.ts';
import { findReaction, firstPart, recordReaction, setForwarded } from '../features/reactions/store.ts';
import { emojiKey, plainEmoji } from '../../platform/text/emoji.ts';
import { type ListedMessage, readListed } from './as-event.ts';
import type { Answer } from '../../client/index.ts';
import { ChatError } from '../slack/errors.ts';
import { readPostMetadata } from '../slack/post-metadata.ts';
import { titleFromText } from '../tickets/rules.ts';
import { announcedState } from '../features/cards/changes.ts';
import { messageText } from '../threads/message-text.ts';
import { mirrorWork } from '../inbox/store.ts';
import { recordUpload } from '../features/files/store.ts';
import { workspaceOfTicket } from '../tickets/catalogue.ts';
import { type Attachment, attachmentsOf } from '../store/attachments.ts';
import type { Reconciler } from './reconciler.ts';
import type { BridgeTx } from '../work.ts';

/** A reaction in Slack, with the service's user; null if there is none, or for the bot's own. */
interface UserReaction {
  ts: string;
  name: string;
  user: string;
  userId: string | null;
}

/** Returns the reactions in a thread, with users of the service. Throws ChatError or ServiceError. */
async function reactionsOf(
  bridge: Bridge,
  team: string,
  listed: readonly ListedMessage[],
): Promise<UserReaction[]> {
  const found: UserReaction[] = [];
  for (const { ts, reactions } of listed)
    for (const { name, users } of reactions)
      for (const user of isForwarded(name) ? users : []) {
        const person = user === bridge.bot.userId ? undefined : await personOf(bridge, team, user);
        found.push({ ts, name, user, userId: person?.user_id ?? null });
      }
  return found;
}

/**
 * Restores the records of reactions before anything is mirrored: otherwise the bot would repeat on every message what
 * users already have there. Existing records stay.
 */
async function restoreReactions(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  { found, messages }: { found: readonly UserReaction[]; messages: readonly TicketMessage[] },
): Promise<void> {
  const { id, team_id: team, channel_id: channel } = conversation;
  for (const { ts, name, user, userId } of found) {
    const place = { team, channel, ts };
    const link = await findLink(tx, place);
    if (!link || link.conversation_id !== id || link.deleted) continue;
    if (user === bridge.bot.userId) {
      const part = await firstPart(tx, { conversationId: id, channel }, link.ticket_message_id);
      if (part?.ts === ts)
        await tx
          .insertInto('bot_reaction')
          .values({
            conversation_id: id,
            ticket_message_id: link.ticket_message_id,
            emoji: emojiKey(name),
            name: plainEmoji(name),
            wanted: true,
            shown: true,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      continue;
    }
    if (await findReaction(tx, { place, user, name })) continue;
    await recordReaction(tx, { place, user, name, added: true, eventTs: NO_TIME }, bridge.clock.now());
    const record = messages.find((one) => one.id === link.ticket_message_id);
    const isThere = record?.reactions.some(
      (one) => one.authorId === userId && one.emoji === plainEmoji(name),
    );
    if (userId !== null && isThere) await setForwarded(tx, { place, user, name }, userId);
    else await bridge.hooks.messageLinked(tx, id, place);
  }
}

type Ticket = Answer<'listTickets'>['items'][number];

interface Rebuilt {
  tickets: number;
  conversations: number;
  links: number;
  cards: number;
  /** Threads that this app cannot read. */
  unreadable: number;
}

/**
 * Restores conversations, links and cards from Slack and the service: the service names each ticket's thread and the
 * copies of its messages, and our posts have metadata. Existing records stay unchanged, so it may run at any time, next
 * to a running bridge, and again after an interruption. Throws ChatError or ServiceError.
 */
export async function* rebuild(reconciler: Reconciler): AsyncGenerator<Rebuilt> {
  const { bridge } = reconciler;
  const sum: Rebuilt = { tickets: 0, conversations: 0, links: 0, cards: 0, unreadable: 0 };
  for await (const ticket of allTickets(bridge)) {
    sum.tickets += 1;
    const talk = requesterThread(ticket);
    const copies = ticket.chatThreads.filter(({ type }) => roleOf(type) !== 'request');
    for (const thread of [...(talk ? [talk] : []), ...copies]) {
      try {
        const { made, links, card } = await restore(reconciler, ticket, thread);
        sum.conversations += made ? 1 : 0;
        sum.links += links;
        sum.cards += card ? 1 : 0;
      } catch (error) {
        if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
        sum.unreadable += 1;
      }
    }
    yield { ...sum };
  }
}

async function* allTickets({ service, channels }: Bridge): AsyncGenerator<Ticket> {
  const query = { includeUnpublished: true, includeArchived: true, limit: 100 } as const;
  for (const workspaceId of await channels.workspaceIds())
    yield* service.all('listTickets', { query: { ...query, workspaceId } });
}

const NOTHING_RESTORED = { made: false, links: 0, card: false };

async function restore(
  { bridge, beforeRead }: Reconciler,
  ticket: Ticket,
  { channelId: channel, messageTs: root, type, userId }: Ticket['chatThreads'][number],
): Promise<{ made: boolean; links: number; card: boolean }> {
  const { team } = bridge.bot;
  const role = roleOf(type);
  const former = role === 'request' ? formerThreads(ticket, { channel, root }) : [];
  const isDirect = await bridge.chat.isDirect(channel);
  // A ticket's own channel is never where it was opened (B11).
  const isPrivateChannel =
    !isDirect && former.length > 0 && (await bridge.chat.isOwnChannel(channel, bridge.bot.userId));
  const direct = isDirect || isPrivateChannel;
  const listed = new Map<string, { message: ListedMessage; post: ReturnType<typeof readPostMetadata> }>();
  for await (const raw of bridge.chat.thread(channel, root, { metadata: true, before: beforeRead })) {
    const message = readListed(team, channel, direct, raw);
    if (message) listed.set(message.ts, { message, post: readPostMetadata(raw) });
  }
  // A copy's card is its thread's parent: a deleted one is posted again, not restored.
  if (role !== 'request' && !listed.has(root)) return NOTHING_RESTORED;
  // One ticket's at a time, for an operator who restores links.
  const messages: TicketMessage[] = [];
  for await (const message of messagesOf(bridge, ticket.id, { workspaceId: workspaceOfTicket(ticket) }))
    messages.push(message);
  const all = [...listed.values()].map(({ message }) => message);
  const found = await reactionsOf(bridge, team, all);
  const described = former[0] ?? { channel, root };
  const rootMessage = former[0] ? undefined : listed.get(root)?.message;
  // A thread started for a form or a command has the bot's text as its parent, which nobody edits.
  const rootEvent = rootMessage?.created.event.message;
  const written = rootEvent?.botId === bridge.bot.botId ? undefined : rootEvent;
  // A form described it in other words (B37): then the message is a ticket message.
  const isMessage = messages.some(({ chatMessages }) =>
    chatMessages.some(({ channelId, ts }) => channelId === described.channel && ts === described.root),
  );
  const isDescribed = !isMessage && (written !== undefined || rootEvent === undefined);
  const title = written && titleFromText((await messageText(bridge, written)).words);

  return bridge.engine.transaction(async (tx) => {
    const conversation = await conversationOfThread(tx, { team, channel, root, direct }, bridge);
    const other =
      role === 'request'
        ? await findByTicket(tx, ticket.id)
        : (await copiesOf(tx, ticket.id)).find(({ channel_id }) => channel_id === channel);
    // Another thread has the ticket, or the thread has another ticket: existing records stay (B2).
    if (other && other.id !== conversation.id) return NOTHING_RESTORED;
    if (conversation.ticket_id !== null && conversation.ticket_id !== ticket.id) return NOTHING_RESTORED;
    const made = conversation.ticket_id === null;
    if (made && role !== 'request') {
      await bindCopy(tx, conversation, ticket.id, { role, party: userId ?? undefined });
      await adoptCard(tx, conversation, root);
    } else if (made)
      await bindTicket(tx, conversation, ticket, {
        description_ts: isDescribed ? described.root : null,
        // The title follows the parent only while nobody changed it.
        title: title === ticket.title ? title : null,
        description_edit_ts: shownEdit(rootMessage, ticket.updatedAt),
        announced: JSON.stringify(announcedState(ticket)),
        ...statusOn(listed.get(root)?.message, bridge.bot.userId),
        active_at: new Date(ticket.updatedAt),
      });
    if (conversation.direct !== direct || conversation.private_channel !== isPrivateChannel)
      await tx
        .updateTable('conversation')
        .set({ direct, private_channel: isPrivateChannel })
        .where('id', '=', conversation.id)
        .execute();
    for (const thread of former) await adoptThread(tx, bridge, conversation, thread);
    let links = 0;
    for (const message of messages) {
      links += await restoreLinks(tx, bridge, conversation, message, listed);
      if (message.source !== 'CHAT') continue;
      await linkElsewhere(tx, bridge, conversation, message, former);
      if (direct && !message.deleted)
        for (const ts of copiesIn(conversation, message))
          if (!listed.has(ts)) await adoptThread(tx, bridge, conversation, { channel, root: ts });
    }
    await restoreReactions(tx, bridge, conversation, { found, messages });
    const card = [...listed.values()].find(({ post }) => post?.metadata.card === ticket.id);
    if (card) await adoptCard(tx, conversation, card.message.ts);
    tx.plan.add(mirrorWork(conversation.id, ticket.id));
    return { made, links, card: card !== undefined };
  });
}

/** Returns the bot's status emoji on a parent message (B29). */
function statusOn(message: ListedMessage | undefined, bot: string) {
  const own = message?.reactions.find(({ name, users }) => isStatusEmoji(name) && users.includes(bot));
  return own ? { status_wanted: own.name, status_shown: own.name, status_ts: message?.ts ?? null } : {};
}

interface Thread {
  channel: string;
  root: string;
}

/** Returns a ticket's earlier threads, oldest first: they contain the first message (B11, B58). */
function formerThreads({ chatThreads }: Ticket, now: Thread): Thread[] {
  return chatThreads
    .filter(({ type }) => roleOf(type) === 'request')
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0))
    .map(({ channelId, messageTs }) => ({ channel: channelId, root: messageTs }))
    .filter(
      ({ channel, root }) => !isPlaceholderParent(root) && (channel !== now.channel || root !== now.root),
    );
}

/**
 * Merges a former or additional thread into its conversation again: an earlier one, or a message at the top level of a
 * direct message or of a ticket's own channel (B8, B11), with its stored events.
 */
async function adoptThread(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  { channel, root }: Thread,
): Promise<void> {
  const { team } = bridge.bot;
  const known = await conversationOfThread(tx, { team, channel, root }, bridge);
  if (known.id !== conversation.id && known.ticket_id === null) await joinThread(tx, known, conversation);
}

/**
 * Links messages in a thread of another channel from before the ticket moved: they must not be shown again (B11, B16).
 */
async function linkElsewhere(
  tx: BridgeTx,
  bridge: Bridge,
  { id, team_id, channel_id }: Conversation,
  message: TicketMessage,
  former: readonly Thread[],
): Promise<void> {
  for (const { channelId, ts } of message.chatMessages)
    if (channelId !== channel_id && former.some(({ channel }) => channel === channelId))
      await linkMessage(tx, {
        id: bridge.newId('lnk'),
        conversation_id: id,
        ticket_message_id: message.id,
        team_id,
        channel_id: channelId,
        ts,
        origin: 'chat',
        deleted: message.deleted,
      });
}

/** Links the chat messages of one ticket message; returns how many were not linked. */
async function restoreLinks(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  message: TicketMessage,
  listed: ReadonlyMap<string, { message: ListedMessage; post: ReturnType<typeof readPostMetadata> }>,
): Promise<number> {
  const copies = new Map<string, Part & { version: string | null; ours: boolean }>();
  for (const [ts, { post }] of listed)
    if (post?.metadata.message === message.id)
      copies.set(ts, {
        kind: post.metadata.kind ?? 'text',
        part: post.metadata.part ?? 0,
        version: post.metadata.version ?? message.updatedAt,
        ours: true,
      });
  const ours = !wasWrittenIn(conversation, message);
  for (const ts of copiesIn(conversation, message)) {
    if (copies.has(ts)) continue;
    const version = ours ? message.updatedAt : shownEdit(listed.get(ts)?.message, message.updatedAt);
    const showsFile = ours && (listed.get(ts)?.message.created.event.message.files.length ?? 0) > 0;
    copies.set(ts, { kind: showsFile ? 'file' : 'text', part: copies.size, version, ours });
  }
  const files = [...copies.values()].filter(({ kind }) => kind === 'file').map(({ part }) => part);
  const addressOf = addressesOf(attachmentsOf(message), files);
  let links = 0;
  for (const [ts, { kind, part, version, ours: isOurs }] of copies) {
    const known = await tx
      .selectFrom('message_link')
      .select('id')
      .where('team_id', '=', conversation.team_id)
      .where('channel_id', '=', conversation.channel_id)
      .where((where) =>
        where.or([where('ts', '=', ts), where.and({ ticket_message_id: message.id, kind, part })]),
      )
      .executeTakeFirst();
    if (known) continue;
    const link = linkToPost(bridge, conversation, message, { kind, part });
    await linkMessage(tx, {
      ...link,
      ts,
      origin: isOurs ? 'service' : 'chat',
      version,
      deleted: message.deleted,
      // A text that was never edited is as posted.
      digest: message.status === 'CREATED' ? link.digest : null,
    });
    if (kind === 'file') {
      const [file] = listed.get(ts)?.message.created.event.message.files ?? [];
      await recordUpload(tx, { link_id: link.id, url: addressOf(part), alt: '', file_id: file?.id || null });
    }
    links += 1;
  }
  return links;
}

/** Returns the URLs of files by their numbers; empty unless the attachments are exactly the files in Slack. */
function addressesOf(attachments: readonly Attachment[], files: readonly number[]): (part: number) => string {
  const same = files.length === attachments.length && Math.max(...files) === files.length - 1;
  return (part) => (same ? (attachments[part]?.url ?? '') : '');
}

/** Returns the edit of a chat message that its ticket already shows: it was updated after that edit. */
function shownEdit(message: ListedMessage | undefined, updatedAt: string): string | null {
  const editTs = message?.edited?.event.editTs;
  if (editTs === undefined) return null;
  return Date.parse(updatedAt) >= Number(editTs) * 1000 ? editTs : null;
}
