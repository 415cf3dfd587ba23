import { type Selectable, sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { eventKey } from '../slack/ids.ts';
import type { Conversation } from '../store/conversations.ts';

type Person = Selectable<BridgeTables['person']>;
type Row = Selectable<BridgeTables['inbox']>;

/** The recorded state of a chat message. */
export interface MessageState {
  isLinked: boolean;
  /** Slack has reported its deletion, which may be stored before the message itself is handled. */
  isDeleted: boolean;
  author: Person | undefined;
}

export interface StoredEvent {
  row: Row;
  conversation: Conversation | undefined;
}

/** Returns a stored event with its conversation; undefined if it was deleted. */
export async function readEvent(db: Db<BridgeTables>, id: string): Promise<StoredEvent | undefined> {
  const row = await db.selectFrom('inbox').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return undefined;
  const conversation =
    row.conversation_id === null
      ? undefined
      : await db
          .selectFrom('conversation')
          .selectAll()
          .where('id', '=', row.conversation_id)
          .executeTakeFirst();
  return { row, conversation };
}

/** Returns what is known of a chat message and its author. */
export async function stateOfMessage(
  db: Db<BridgeTables>,
  { team, channel, ts, user }: { team: string; channel: string; ts: string; user: string | undefined },
): Promise<MessageState> {
  const place = { team, channel, ts };
  const { rows } = await sql<{ isLinked: boolean; isDeleted: boolean }>`
    select
      exists (
        select from message_link where team_id = ${team} and channel_id = ${channel} and ts = ${ts}
      ) as "isLinked",
      exists (
        select from inbox where source = 'chat' and event_key = ${eventKey.deletion(place)}
      ) as "isDeleted"`.execute(db);
  const author =
    user === undefined
      ? undefined
      : await db
          .selectFrom('person')
          .selectAll()
          .where((where) => where.and({ team_id: team, chat_user_id: user }))
          .executeTakeFirst();
  return { isLinked: rows[0]?.isLinked ?? false, isDeleted: rows[0]?.isDeleted ?? false, author };
}
