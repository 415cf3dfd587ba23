import { type Insertable, type Selectable, sql } from 'kysely';

import type { Db, Tx } from '../../platform/database/open.ts';
import type { BridgeTables, MessageLinkTable } from '../schema/tables.ts';
import { type ChatPlace, editPlaces } from './ids.ts';

export type MessageLink = Selectable<MessageLinkTable>;

/** Records that two messages are one. A pair that is recorded already stays as it is. */
export async function linkMessage(tx: Tx<BridgeTables>, link: Insertable<MessageLinkTable>): Promise<void> {
  await tx
    .insertInto('message_link')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
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

/** The chat messages that carry one ticket message in a conversation, in the order of its parts. */
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
    .orderBy('part')
    .execute();
}

/** The edits of a linked chat message that the service keeps as messages of their own. */
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
