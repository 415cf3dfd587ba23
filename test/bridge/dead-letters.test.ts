import { expect, test } from 'vitest';

import { openDeadLetters } from '../../src/bridge/index.ts';
import { OPEN } from '../../src/bridge/threads/posts.ts';
import { COPY, COPY_LARGE, EVENT, workFor } from '../../src/bridge/work.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';

const log = createLog({ level: 'silent', pretty: false });

test('B49 the event of a message with a NUL in its text is discarded, with its mark', async () => {
  const { database, url } = await bridgeDatabase(2);
  const { db } = database;
  const now = systemClock.now();
  await db
    .insertInto('inbox')
    .values({
      id: 'inb_1',
      source: 'chat',
      event_key: 'message:T1:C1:1.000001:new',
      kind: 'message',
      body: JSON.stringify({ version: 1, message: { channel: 'C1', ts: '1.000001', text: 'a\0b' } }),
      received_at: now,
    })
    .execute();
  await db
    .insertInto('delivery_status')
    .values({ team_id: 'T1', channel_id: 'C1', ts: '1.000001', wanted: 'failed', shown: null })
    .execute();
  await bridgeEngine(database).add(workFor(EVENT, 'cnv_1', { inbox: 'inb_1' }));
  await db.updateTable('work').set({ dead_at: now, error: 'the service refused it' }).execute();
  const items = await openDeadLetters(url, log, systemClock);
  expect(await items.discard('all')).toBe(1);
  await items.stop();
  const event = await db.selectFrom('inbox').select('outcome').executeTakeFirst();
  expect(event?.outcome).toBe('discarded: the service refused it');
  expect(await db.selectFrom('delivery_status').selectAll().execute()).toEqual([]);
});

test('B49 a file that is not copied after all waits no longer once its dead letter is discarded', async () => {
  const { database, url } = await bridgeDatabase(2);
  const { db } = database;
  const now = systemClock.now();
  await db
    .insertInto('conversation')
    .values({
      id: 'cnv_1',
      team_id: 'T1',
      channel_id: 'C1',
      thread_ts: '1.0',
      ticket_id: 'tkt_1',
      active_at: now,
      created_at: now,
    })
    .execute();
  const file = {
    conversation_id: 'cnv_1',
    ticket_id: 'tkt_1',
    target_id: 'msg_1',
    bytes: 1,
    mimetype: 'a/b',
  };
  const words = { name: 'plan.pdf', url: 'https://files.example/1', permalink: 'https://chat.example/1' };
  const copy = { ...file, ...words, author_id: null, reason: null, service_file_id: null, created_at: now };
  await db
    .insertInto('file_copy')
    .values(
      ['cpy_1', 'cpy_2', 'cpy_3'].map((id) => ({
        ...copy,
        id,
        file_id: id,
        state: 'waiting',
        done_at: null,
      })),
    )
    .execute();
  const engine = bridgeEngine(database);
  await engine.add(workFor(COPY, 'msg_1', { copies: ['cpy_1'] }));
  await engine.add(workFor(COPY_LARGE, 'msg_1', { copies: ['cpy_2'] }));
  await db.updateTable('work').set({ dead_at: now, error: 'the service fails at it' }).execute();
  const items = await openDeadLetters(url, log, systemClock);
  expect(await items.discard('all')).toBe(2);
  await items.stop();
  const states = await db.selectFrom('file_copy').select(['id', 'state']).orderBy('id').execute();
  expect(states.map(({ id, state }) => [id, state])).toEqual([
    ['cpy_1', 'linked'],
    ['cpy_2', 'linked'],
    ['cpy_3', 'waiting'],
  ]);
});

test('the list of dead letters shows neither message text nor response URLs', async () => {
  const { database, url } = await bridgeDatabase(2);
  const open = {
    title: 'planted title',
    description: 'planted description',
    requester: 'U0ADAREYES',
    private: true,
    responseUrl: 'https://hooks.slack.com/commands/planted',
  };
  await bridgeEngine(database).add(workFor(OPEN, 'cnv_1', { open, conversation: 'cnv_1' }));
  await database.db
    .updateTable('work')
    .set({ dead_at: systemClock.now(), error: 'POST /tickets returned 422' })
    .execute();
  const items = await openDeadLetters(url, log, systemClock);
  const [item] = await items.list();
  await items.stop();
  expect(item?.what).not.toContain('planted');
  const [kind, body] = item?.what.split(/ (.*)/) ?? [];
  expect(kind).toBe('open');
  expect(JSON.parse(body ?? '')).toMatchObject({
    open: { title: '…', requester: 'U0ADAREYES', private: true },
    conversation: 'cnv_1',
  });
});
