import { expect, onTestFinished, test } from 'vitest';

import { migrateBridge } from '../../src/bridge/index.ts';
import { parseChatEvent } from '../../src/bridge/slack/chat-event.ts';
import { storeChatEvent, storedChatEvent } from '../../src/bridge/inbox/store.ts';
import { redirectThread } from '../../src/bridge/threads/conversations.ts';
import { linkMessage } from '../../src/bridge/threads/messages.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { openDatabase, transaction } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-01T10:00:00.000Z');

test('B46 what is told of a thread is stored once, in the ordering key of its conversation or of the one that took its place', async () => {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const database = openDatabase<BridgeTables>({ url, schema: 'bridge', log, poolSize: 2 });
  onTestFinished(() => database.close());
  const { db } = database;
  let made = 0;
  const storing = { database, clock: { now: () => NOW }, newId: (prefix: string) => `${prefix}_${++made}` };
  const tell = async (event: object) => {
    const body = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event };
    const parsed = parseChatEvent(body);
    if (!parsed) throw new Error('no event of chat');
    return storeChatEvent(storing, parsed);
  };
  const say = (ts: string, more: object = {}) =>
    tell({ type: 'message', channel: 'C1', user: 'U1', text: 'hello', ts, ...more });
  const gone = (ts: string) =>
    tell({ type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: ts });
  const stored = () =>
    db.selectFrom('inbox').select(['event_key', 'conversation_id']).orderBy('event_key').execute();

  expect(await say('1.1')).toBe('new');
  expect(await say('1.1')).toBe('repeated');
  const { id: first } = await db.selectFrom('conversation').select('id').executeTakeFirstOrThrow();
  expect(await say('1.2', { thread_ts: '1.1' })).toBe('new');
  expect(await say('1.2', { thread_ts: '1.1' })).toBe('repeated');
  // Another thread was lost, and this one took its place (B58).
  await transaction(db, (tx) =>
    redirectThread(tx, { team_id: 'T1', channel_id: 'C1', thread_ts: '0.1' }, first),
  );
  expect(await say('1.3', { thread_ts: '0.1' })).toBe('new');
  // Chat need not say whose reply it was that is gone.
  const reply = { conversation_id: first, ticket_message_id: 'msg_1', team_id: 'T1', channel_id: 'C1' };
  await transaction(db, (tx) =>
    linkMessage(tx, { ...reply, id: 'lnk_1', ts: '1.2', origin: 'chat', version: '0' }),
  );
  expect(await gone('1.2')).toBe('new');
  expect(await gone('9.9')).toBe('new');
  const conversations = await db
    .selectFrom('conversation')
    .select(['id', 'thread_ts'])
    .orderBy('thread_ts')
    .execute();
  expect(conversations.map(({ thread_ts }) => thread_ts)).toEqual(['1.1', '9.9']);
  const other = conversations[1]?.id;
  expect(await stored()).toEqual([
    { event_key: 'message:T1:C1:1.1:new', conversation_id: first },
    { event_key: 'message:T1:C1:1.2:deleted', conversation_id: first },
    { event_key: 'message:T1:C1:1.2:new', conversation_id: first },
    { event_key: 'message:T1:C1:1.3:new', conversation_id: first },
    { event_key: 'message:T1:C1:9.9:deleted', conversation_id: other },
  ]);
  // Its job gets what was parsed when it arrived; what another version stored is not guessed at.
  const last = await db
    .selectFrom('inbox')
    .select('body')
    .where('event_key', '=', 'message:T1:C1:1.3:new')
    .executeTakeFirstOrThrow();
  const event = { type: 'message', channel: 'C1', user: 'U1', text: 'hello', ts: '1.3', thread_ts: '0.1' };
  const parsed = parseChatEvent({ type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event });
  expect(storedChatEvent(last.body)).toEqual({ version: 1, ...parsed });
  expect(storedChatEvent({ ...(last.body as object), version: 2 })).toBeUndefined();
  const jobs = await db.selectFrom('job').select(['queue', 'ordering_key']).orderBy('id').execute();
  expect(jobs).toEqual(
    [first, first, first, first, other].map((ordering_key) => ({ queue: 'conversation', ordering_key })),
  );
});
