import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { pruneBridge } from '../../src/bridge/retention.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';

const now = new Date('2026-01-31T00:00:00Z');
const old = new Date('2025-10-01T00:00:00Z');
const fresh = new Date('2026-01-30T00:00:00Z');

test('B49 pruning 300 threads among 300,000 stored events takes less than 5 s', async () => {
  const { database } = await bridgeDatabase(3);
  const { db } = database;
  await sql`
    insert into conversation (id, team_id, channel_id, thread_ts, created_at)
    select 'thread' || n, 'T1', 'C1', n::text, case when n <= 300 then ${old}::timestamptz else ${fresh} end
    from generate_series(1, 3000) n`.execute(db);
  await sql`
    insert into inbox (id, source, event_key, kind, conversation_id, body, received_at, done_at)
    select n::text, 'chat', n::text, 'message', 'thread' || (301 + n % 2700), '{}', ${old}, ${fresh}
    from generate_series(1, 300000) n`.execute(db);
  const begun = performance.now();
  await pruneBridge({ database, clock: { now: () => now } }, { days: 90, bodyDays: 7 });
  const tookMs = performance.now() - begun;
  console.info(`forgetting 300 of 3,000 threads among 300,000 events took ${Math.round(tookMs)} ms`);
  expect(tookMs).toBeLessThan(5_000);
  const { rows } = await sql<{ threads: number; events: number }>`
    select (select count(*) from conversation) as threads, (select count(*) from inbox) as events`.execute(
    db,
  );
  expect(rows).toEqual([{ threads: 2_700, events: 300_000 }]);
});
