import { type Insertable, type Selectable, sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type ChatPlace, compareTs, editPlaces } from '../slack/ids.ts';
import type { PostMetadata } from '../slack/post-metadata.ts';
import type { BridgeTx } from '../work.ts';
import { attachmentDigest } from './attachments.ts';
import type { Conversation } from './conversations.ts';

export type MessageLink = Selectable<BridgeTables['message_link']>;

/** Which part of its ticket message a link is about. */
export type Part = Pick<MessageLink, 'kind' | 'part'>;

/** Links two messages. An existing link stays unchanged. */
export async function linkMessage(
  tx: BridgeTx,
  link: Insertable<BridgeTables['message_link']>,
): Promise<void> {
  await tx
    .insertInto('message_link')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The link of a message that a person wrote in chat. */
export type InboundLink = Insertable<BridgeTables['message_link']> & { origin: 'chat'; ts: string };

/** Called once a chat message is linked. */
export interface OnLinked {
  hooks: { messageLinked(tx: BridgeTx, conversationId: string, place: ChatPlace): Promise<void> };
}

/** Links a user's chat message, and has its earlier emoji forwarded. */
export async function linkInbound(tx: BridgeTx, { hooks }: OnLinked, link: InboundLink): Promise<void> {
  await linkMessage(tx, link);
  const { conversation_id, team_id: team, channel_id: channel, ts } = link;
  await hooks.messageLinked(tx, conversation_id, { team, channel, ts });
}

export async function findLink(db: Db<BridgeTables>, place: ChatPlace): Promise<MessageLink | undefined> {
  return db
    .selectFrom('message_link')
    .selectAll()
    .where('team_id', '=', place.team)
    .where('channel_id', '=', place.channel)
    .where('ts', '=', place.ts)
    .executeTakeFirst();
}

export async function linkById(db: Db<BridgeTables>, id: string): Promise<MessageLink | undefined> {
  return db.selectFrom('message_link').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the link of a part of a ticket message to be posted in a conversation. */
export function linkToPost(
  { newId }: { newId: NewId },
  conversation: Pick<Conversation, 'id' | 'team_id' | 'channel_id' | 'role'>,
  message: { id: string; updatedAt: string } & Parameters<typeof attachmentDigest>[1],
  { kind, part }: Part,
) {
  const { id, team_id, channel_id } = conversation;
  return {
    id: newId('lnk'),
    conversation_id: id,
    ticket_message_id: message.id,
    kind,
    part,
    team_id,
    channel_id,
    ts: null,
    origin: 'service' as const,
    version: message.updatedAt,
    digest: attachmentDigest(conversation, message),
  };
}

/** Returns what the post of a part says of itself, so that its link can be restored; `id` is that of the attempt. */
export function metadataOfPart(
  id: string,
  { ticket_message_id: message, kind, part, version }: MessageLink,
  fromChat = false,
): PostMetadata {
  const written = fromChat ? 'chat' : undefined;
  return { id, message, kind, part, version: version ?? undefined, written };
}

/** Returns the copies in this thread that a ticket message's own record lists: timestamps, oldest first. */
export function copiesIn(
  { channel_id, thread_ts }: { channel_id: string; thread_ts: string },
  { chatMessages }: { chatMessages: readonly { channelId: string; threadId: string | null; ts: string }[] },
): string[] {
  return chatMessages
    .filter(
      ({ channelId, threadId }) => channelId === channel_id && (threadId === null || threadId === thread_ts),
    )
    .map(({ ts }) => ts)
    .toSorted(compareTs);
}

/**
 * Returns whether a person wrote a ticket message in a conversation's channel; elsewhere, its copies are posts of ours.
 */
export function wasWrittenIn(
  { channel_id }: { channel_id: string },
  { source, chatChannelId }: { source: string | null; chatChannelId: string | null },
): boolean {
  return source === 'CHAT' && (chatChannelId ?? channel_id) === channel_id;
}

const TEXTS_FIRST = sql`kind = 'file'`;

/** Returns the chat messages of one ticket message in a conversation in their order: its texts, then its files. */
export async function linksOfTicketMessage(
  db: Db<BridgeTables>,
  conversationId: string,
  ticketMessageId: string,
): Promise<MessageLink[]> {
  return db
    .selectFrom('message_link')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('ticket_message_id', '=', ticketMessageId)
    .orderBy(TEXTS_FIRST)
    .orderBy('part')
    .execute();
}

/** Returns the chat messages of these ticket messages in these conversations: of each its texts, then its files. */
export async function linksAmong(
  db: Db<BridgeTables>,
  conversationIds: readonly string[],
  ticketMessageIds: readonly string[],
): Promise<MessageLink[]> {
  if (ticketMessageIds.length === 0) return [];
  return db
    .selectFrom('message_link')
    .selectAll()
    .where('ticket_message_id', '=', sql<string>`any(${[...ticketMessageIds]}::text[])`)
    .where('conversation_id', '=', sql<string>`any(${[...conversationIds]}::text[])`)
    .orderBy(TEXTS_FIRST)
    .orderBy('part')
    .execute();
}

/** Returns the edits of a linked chat message that the service stores as separate messages. */
export async function editsOf(
  db: Db<BridgeTables>,
  { conversation_id, ts }: MessageLink,
): Promise<MessageLink[]> {
  if (ts === null) return [];
  return db
    .selectFrom('message_link')
    .selectAll()
    .where('conversation_id', '=', conversation_id)
    .where(sql<boolean>`starts_with(ts, ${editPlaces(ts)})`)
    .execute();
}
