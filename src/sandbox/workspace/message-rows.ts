import { sql } from 'kysely';

import type { Tx } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredMessage } from './content.ts';

/** Stores new messages of one channel in one statement. */
export async function insertMessages(tx: Tx<Tables>, messages: readonly StoredMessage[]): Promise<void> {
  const column = <Value>(pick: (message: StoredMessage) => Value) => messages.map(pick);
  await sql`
    insert into message (channel_id, ts, thread_ts, broadcast, ephemeral_for, author, auto_blocks, content)
    select * from unnest(
      ${column(({ channel_id }) => channel_id)}::text[], ${column(({ ts }) => ts)}::text[],
      ${column(({ thread_ts }) => thread_ts)}::text[], ${column(({ broadcast }) => broadcast)}::boolean[],
      ${column(({ ephemeral_for }) => ephemeral_for)}::text[], ${column(({ author }) => author)}::text[],
      ${column(({ auto_blocks }) => auto_blocks)}::boolean[],
      ${column(({ content }) => JSON.stringify(content))}::jsonb[])`.execute(tx);
}
