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
async function pendingMessage() {
  const { database } = await bridgeDatabase(2);
  const { db } = database;
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
