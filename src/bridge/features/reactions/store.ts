import { type Selectable, sql } from 'kysely';

import type { Db, Tx } from '../../../platform/database/open.ts';
import type { ForwardedReaction } from './rules.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { type ChatPlace, isMessageTs, messageKey } from '../../slack/ids.ts';
import { linksOfTicketMessage, type MessageLink } from '../../store/links.ts';
import type { BridgeTx } from '../../work.ts';

type Handle = Db<BridgeTables>;
type ChatReaction = Selectable<BridgeTables['chat_reaction']>;
type BotReaction = Selectable<BridgeTables['bot_reaction']>;

/** An event about a user's reaction on a chat message. */
interface ReactionNews {
  place: ChatPlace;
  user: string;
  name: string;
  added: boolean;
  eventTs: string;
}

/** Records a reaction event; older ones change nothing. */
export async function recordReaction(
  db: Handle,
  { place, user, name, added, eventTs }: ReactionNews,
  at: Date,
): Promise<void> {
  const news = { event_ts: eventTs, present: added, received_at: at };
  await db
    .insertInto('chat_reaction')
    .values({ ...messageColumns(place), chat_user_id: user, name, user_id: null, ...news })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'channel_id', 'ts', 'chat_user_id', 'name'])
        .doUpdateSet(news)
        .where('chat_reaction.event_ts', '<', eventTs),
    )
    .execute();
}

export async function findReaction(
  db: Handle,
  { place, user, name }: Pick<ReactionNews, 'place' | 'user' | 'name'>,
): Promise<ChatReaction | undefined> {
  return reactionsAt(db, place).where('chat_user_id', '=', user).where('name', '=', name).executeTakeFirst();
}

export function reactionsAt(db: Handle, place: ChatPlace) {
  return db
    .selectFrom('chat_reaction')
    .selectAll()
    .where((where) => where.and(messageColumns(place)));
}

/** Records the user under whom a reaction is on its ticket message; null: it is not there. */
export async function setForwarded(
  tx: BridgeTx,
  { place, user, name }: Pick<ReactionNews, 'place' | 'user' | 'name'>,
  userId: string | null,
): Promise<void> {
  await tx
    .updateTable('chat_reaction')
    .set({ user_id: userId })
    .where((where) => where.and({ ...messageColumns(place), chat_user_id: user, name }))
    .execute();
}

/** Returns who has an emoji on any part of a ticket message in chat, and on the ticket. */
export async function forwardedReactions(
  db: Handle,
  conversationId: string,
  ticketMessageId: string,
): Promise<(ForwardedReaction & { ts: string; user: string })[]> {
  return db
    .selectFrom('message_link as link')
    .innerJoin('chat_reaction as held', (join) =>
      join
        .onRef('held.team_id', '=', 'link.team_id')
        .onRef('held.channel_id', '=', 'link.channel_id')
        .onRef('held.ts', '=', 'link.ts'),
    )
    .select(['held.user_id as userId', 'held.name', 'held.ts', 'held.chat_user_id as user'])
    .where('link.conversation_id', '=', conversationId)
    .where('link.ticket_message_id', '=', ticketMessageId)
    .where('held.present', '=', true)
    .where('held.user_id', 'is not', null)
    .$narrowType<{ userId: string }>()
    .execute();
}

/**
 * Serializes linking a message and recording a reaction on it until the transaction ends: each then sees what the other
 * has written, so neither misses it.
 */
export async function lockMessage(tx: Tx<BridgeTables>, place: ChatPlace): Promise<void> {
  const name = messageKey(place);
  await sql`select pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), ${name}::text), 0))`.execute(
    tx,
  );
}

/**
 * Returns where the bot's emoji on a ticket message are: its first part in the conversation's current channel;
 * undefined if there is none.
 */
export async function firstPart(
  db: Handle,
  { conversationId, channel }: { conversationId: string; channel: string },
  ticketMessageId: string,
): Promise<(MessageLink & { ts: string }) | undefined> {
  const links = await linksOfTicketMessage(db, conversationId, ticketMessageId);
  const [first] = links.filter((link) => !link.deleted && link.channel_id === channel);
  const ts = first?.ts ?? undefined;
  return first && ts !== undefined && isMessageTs(ts) ? { ...first, ts } : undefined;
}

export async function botReactions(db: Handle, conversationId: string): Promise<BotReaction[]> {
  return db.selectFrom('bot_reaction').selectAll().where('conversation_id', '=', conversationId).execute();
}

function messageColumns({ team, channel, ts }: ChatPlace) {
  return { team_id: team, channel_id: channel, ts };
}
