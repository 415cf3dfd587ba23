import { sql } from 'kysely';
import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { updateDeliveryStatus } from '../../../src/bridge/features/delivery-status/status-reactions.ts';
import { EVENT, workFor } from '../../../src/bridge/work.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { bridgeEngine } from '../../harness/bridge-engine.ts';
import { envelopes } from '../../harness/envelopes.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-01T10:00:00.000Z');
const AFTER_MS = 60_000;

/** A message of chat whose event is stored and not yet worked, and what looks after such messages. */
async function pendingMessage(
  before: (database: Bridge['database']) => Promise<void> = async () => undefined,
) {
  const { database } = await bridgeDatabase(2);
  const { db } = database;
  await before(database);
  const message = { type: 'message', channel: 'C1', user: 'U1', text: 'hello', ts: '1767261600.000100' };
  const body = { type: 'event_callback', team_id: 'T_OTHER', event_id: 'Ev1', event: message };
  await db
    .insertInto('inbox')
    .values({
      id: 'inb_1',
      source: 'chat',
      kind: 'message',
      event_key: 'message:T_OTHER:C1:1767261600.000100:new',
      conversation_id: null,
      body: JSON.stringify(body),
      received_at: NOW,
    })
    .execute();
  const engine = bridgeEngine(database);
  await engine.add(workFor(EVENT, 'cnv_1', { inbox: 'inb_1' }));
  let made = 0;
  const counts = { opened: 0 };
  const sweep = async (now: Date) => {
    const bridge = {
      database,
      envelopes,
      log,
      clock: { now: () => now },
      newId: (prefix: string) => `${prefix}_${++made}`,
      bot: { team: 'T1', userId: 'UBOT' },
      chat: {
        directChannel: async () => {
          counts.opened += 1;
          return 'D1';
        },
      },
    } as unknown as Bridge;
    const { write } = await updateDeliveryStatus(bridge, AFTER_MS);
    await engine.transaction(async (tx) => write?.(tx));
  };
  const planned = () => db.selectFrom('outbox').select(['kind', 'body', 'channel_id']).execute();
  return { db, sweep, planned, counts };
}

test('B54 the author of a message that cannot be delivered is notified once, in their own language, whatever workspace the message names', async () => {
  const { db, sweep, planned, counts } = await pendingMessage();
  await db.updateTable('work').set({ dead_at: NOW, error_code: 'channel_not_found' }).execute();
  for (let time = 0; time < 3; time++) await sweep(NOW);

  const rows = await planned();
  const lines = rows.filter(({ kind }) => kind === 'bot-message');
  expect(lines.map(({ channel_id }) => channel_id)).toEqual(['D1']);
  expect(rows.filter(({ kind }) => kind === 'delivery-status')).toHaveLength(1);
  expect(counts.opened).toBe(1);
  const said = JSON.stringify(lines[0]?.body);
  expect(said).toContain('The channel no longer exists or the app was removed from it.');
  expect(said).not.toContain('conversations.replies');
  expect(said).toContain('message_retry');
});

test('B54 a message that is retried is marked after the time for it, not before', async () => {
  const { db, sweep, planned } = await pendingMessage();
  await db.updateTable('work').set({ error: 'the service is away' }).execute();
  await sweep(new Date(NOW.getTime() + AFTER_MS - 1));
  expect(await planned()).toEqual([]);
  await sweep(new Date(NOW.getTime() + AFTER_MS));
  expect((await planned()).map(({ kind }) => kind)).toEqual(['delivery-status']);
});

/**
 * 600 messages of others whose events were given up long ago, so that their work has the smallest ids.
 * @param by fields of the message that say who wrote it.
 */
async function addOldDeadLetters({ db }: Pick<Bridge['database'], 'db'>, by: object): Promise<void> {
  await sql`
    with old as (
      insert into inbox (id, source, kind, event_key, body, received_at)
      select 'inb_old_' || n, 'chat', 'message', 'message:T_OTHER:C1:1700000000.' || 100000 + n || ':new',
        json_build_object('type', 'event_callback', 'team_id', 'T_OTHER', 'event_id', 'Ev_old_' || n, 'event',
          ${JSON.stringify({ type: 'message', channel: 'C1', text: 'old', ...by })}::jsonb
            || jsonb_build_object('ts', '1700000000.' || 100000 + n)),
        ${NOW}::timestamptz - interval '1 day'
      from generate_series(1, 600) as n
      returning id
    )
    insert into work (lane, kind, body, added_at, not_before, dead_at)
    select 'conversation:' || id, 'event', json_build_object('inbox', id), ${NOW}, ${NOW}, ${NOW} from old`.execute(
    db,
  );
}

/** What the bridge has recorded of them before: they are marked, and their authors told. */
async function markOld({ db }: Pick<Bridge['database'], 'db'>): Promise<void> {
  await sql`
    insert into delivery_status (team_id, channel_id, ts, wanted, shown, author_notified)
    select 'T_OTHER', 'C1', split_part(event_key, ':', 4), 'failed', 'failed', true from inbox`.execute(db);
}

const OLD: [string, (database: Bridge['database']) => Promise<void>][] = [
  [
    'of people who were told',
    async (database) => {
      await addOldDeadLetters(database, { user: 'U_OLD' });
      await markOld(database);
    },
  ],
  ['of apps, which are not marked', (database) => addOldDeadLetters(database, { bot_id: 'B_APP' })],
];

test.each(OLD)(
  'B54 however many dead letters there are (%s), a message that waits or fails is marked, its author is told, and no other mark changes',
  async (_, before) => {
    const { db, sweep, planned } = await pendingMessage(before);
    const statuses = async () => db.selectFrom('delivery_status').select(['ts', 'wanted']).execute();
    const old = await statuses();
    const ofMessage = async () => (await statuses()).find(({ ts }) => ts === '1767261600.000100')?.wanted;
    const event = sql<boolean>`body ->> 'inbox' = 'inb_1'`;

    await db.updateTable('work').set({ error: 'the service is away' }).where(event).execute();
    const later = new Date(NOW.getTime() + AFTER_MS);
    await sweep(later);
    expect(await ofMessage()).toBe('waiting');

    await db.updateTable('work').set({ dead_at: NOW }).where(event).execute();
    await sweep(later);
    expect(await ofMessage()).toBe('failed');
    const lines = (await planned()).filter(({ kind }) => kind === 'bot-message');
    expect(lines).toHaveLength(1);

    await db.updateTable('inbox').set({ done_at: later }).where('id', '=', 'inb_1').execute();
    await sweep(later);
    expect(await ofMessage()).toBeNull();
    expect((await statuses()).filter(({ ts }) => ts !== '1767261600.000100')).toEqual(old);
  },
);
