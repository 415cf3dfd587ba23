import type { Selectable } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Conversation } from '../threads/conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';

type StoredEvent = Pick<
  Selectable<BridgeTables['inbox']>,
  'source' | 'event_key' | 'kind' | 'body' | 'received_at' | 'done_at' | 'conversation_id'
> & { conversation: Conversation | undefined };

/** Returns a stored event with its conversation, in one round trip. */
export async function storedEvent(db: Db<BridgeTables>, id: string): Promise<StoredEvent | undefined> {
  const row = await db
    .selectFrom('inbox')
    .leftJoin('conversation', 'conversation.id', 'inbox.conversation_id')
    .selectAll('conversation')
    .select(['source', 'event_key', 'kind', 'body', 'received_at', 'done_at', 'conversation_id'])
    .where('inbox.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { source, event_key, kind, body, received_at, done_at, conversation_id, ...joined } = row;
  // A row of the join has all columns of the conversation, or none.
  const conversation = joined.id === null ? undefined : (joined as Conversation);
  return { source, event_key, kind, body, received_at, done_at, conversation_id, conversation };
}
