import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { lastInDirect } from '../../../src/bridge/store/conversations.ts';
import { settingOr } from '../../../src/bridge/settings.ts';
import { transaction } from '../../../src/platform/database/open.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';

async function openTables() {
  const { database } = await bridgeDatabase(2);
  return database.db;
}

test('B8 finding the last ticket of a direct conversation reads only a few rows, however many tickets it has', async () => {
  const db = await openTables();
  const dm = { team: 'T1', channel: 'D1' };
  const START = 1_700_000_000;
  await sql`
    insert into conversation (id, team_id, channel_id, thread_ts, ticket_id, direct, created_at)
    select 'cnv_' || n, 'T1', 'D1', (${START}::bigint + n * 3600) || '.000100', 'tkt_' || n, true, clock_timestamp()
    from generate_series(1, 3000) n`.execute(db);
  await sql`
    insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin)
    select 'lnk_' || n, 'cnv_' || n, 'msg_' || n, 'T1', 'D1', (${START}::bigint + n * 3600 + 900) || '.000200', 'chat'
    from generate_series(1, 3000) n`.execute(db);
  await sql`analyze conversation, message_link`.execute(db);
  const end = START + 3000 * 3600;
  const at = (seconds: number) => `${end + seconds}.000300`;

  // By its first message and by its last one, until ten minutes have passed; tickets of other conversations
  // do not count.
  const found = async (ts: string, channel = 'D1') => (await lastInDirect(db, { ...dm, channel, ts }))?.id;
  await sql`delete from message_link where id = 'lnk_3000'`.execute(db);
  expect(await found(at(500))).toBe('cnv_3000');
  expect(await found(at(601))).toBeUndefined();
  await sql`
    insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin)
    values ('lnk_3000', 'cnv_7', 'msg_3000', 'T1', 'D1', ${at(590)}, 'service')`.execute(db);
  expect(await found(at(1100))).toBe('cnv_7');
  expect(await found(at(1200))).toBeUndefined();
  expect(await found(at(500), 'D2')).toBeUndefined();

  const read = await transaction(db, async (tx) => {
    const rows = async () => {
      const counted = await sql<{ rows: string }>`
        select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) as rows from pg_stat_xact_user_tables
        where relname in ('conversation', 'message_link')`.execute(tx);
      return Number(counted.rows[0]?.rows);
    };
    const before = await rows();
    await lastInDirect(tx, { ...dm, ts: at(600) });
    return (await rows()) - before;
  });
  expect(read).toBeLessThan(30);
});

test('a stored setting of the bridge is read without a write', async () => {
  const db = await openTables();
  expect(await settingOr(db, 'a-setting', z.string(), 'first')).toBe('first');
  expect(await settingOr(db, 'a-setting', z.string(), 'second')).toBe('first');
  const read = await transaction(db, async (tx) => {
    await sql`set transaction read only`.execute(tx);
    return settingOr(tx, 'a-setting', z.string(), 'third');
  });
  expect(read).toBe('first');
});
