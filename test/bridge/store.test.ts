import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import { migrateBridge } from '../../src/bridge/index.ts';
import { parseChatEvent } from '../../src/bridge/slack/chat-event.ts';
import { ticketCheck, createInbox } from '../../src/bridge/inbox/store.ts';
import { conversationLane } from '../../src/bridge/work.ts';
import { redirectThread } from '../../src/bridge/store/conversations.ts';
import { linkMessage } from '../../src/bridge/store/links.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { openDatabase, transaction } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { envelopes } from '../harness/envelopes.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';
import { createTestDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-01T10:00:00.000Z');

/** An inbox with its own database, and functions that send it events. */
async function openInbox() {
  const { database } = await bridgeDatabase(3);
  const { db } = database;
  const engine = bridgeEngine(database);
  let made = 0;
  const newId = (prefix: string) => `${prefix}_${++made}`;
  let passed = 0;
  const clock = { now: () => new Date(NOW.getTime() + passed) };
  const pass = (ms: number) => void (passed += ms);
  const inbox = createInbox({
    engine,
    clock,
    newId,
    envelopes,
    planCheck: async (tx, { ticketId }) => tx.plan.add(ticketCheck(ticketId)),
  });
  const tell = (event: object) => {
    const body = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event };
    const parsed = parseChatEvent(body);
    if (!parsed) throw new Error('no event of chat');
    return inbox.chat({ body, event: parsed });
  };
  const say = (ts: string, more: object = {}) =>
    tell({ type: 'message', channel: 'C1', user: 'U1', text: 'hello', ts, ...more });
  const react = (ts: string) => {
    const item = { type: 'message', channel: 'C1', ts };
    return tell({ type: 'reaction_added', user: 'U1', reaction: 'eyes', event_ts: '5.5', item });
  };
  /** The work in order: its event, lane and transaction. */
  const works = async () => {
    const { rows } = await sql<{ event: string; lane: string; transaction: string }>`
      select coalesce(inbox.event_key, work.kind) as event, lane, work.xmin::text as transaction
      from work left join inbox on inbox.id = work.body ->> 'inbox' order by work.id`.execute(db);
    return rows;
  };
  return { db, engine, inbox, tell, say, react, works, pass };
}

test('B46 events that arrive while others are being stored are stored together: in one commit, in order in each lane', async () => {
  const { db, inbox, say, react, works } = await openInbox();
  await say('1.1');
  const burst = Array.from({ length: 50 }, (_, n) => `2.${n + 10}`);
  const held = Promise.withResolvers<undefined>();
  const locked = Promise.withResolvers<undefined>();
  const holding = transaction(db, async (tx) => {
    await sql`lock table inbox in share mode`.execute(tx);
    locked.resolve(undefined);
    await held.promise;
  });
  await locked.promise;
  const outcomes: string[] = [];
  const alone = say('1.2', { thread_ts: '1.1' }).then((outcome) => outcomes.push(outcome));
  // It is being stored alone; Slack sends some of the others twice.
  await expect
    .poll(async () => (await sql`select 1 from pg_locks where not granted`.execute(db)).rows.length)
    .toBe(1);
  const together = burst.map((ts, n) => say(ts, { thread_ts: n % 2 ? '1.1' : '2.10' }));
  const twice = say('2.10', { thread_ts: '2.10' });
  const reaction = react('2.10');
  const hint = inbox.service('evt_1', { ticketId: 'tkt_1', threads: [] });
  expect(outcomes).toEqual([]);
  held.resolve(undefined);
  await holding;
  await alone;
  expect(await Promise.all([...together, twice, reaction, hint])).toEqual([
    ...burst.map(() => 'new'),
    'repeated',
    'new',
    'new',
  ]);
  expect(outcomes).toEqual(['new']);
  const stored = await works();
  const transactions = stored.map(({ transaction: one }) => one);
  expect(new Set(transactions).size).toBe(3);
  expect(new Set(transactions.slice(2)).size).toBe(1);
  const threads = await db
    .selectFrom('conversation')
    .select(['id', 'thread_ts'])
    .orderBy('thread_ts')
    .execute();
  expect(threads.map(({ thread_ts }) => thread_ts)).toEqual(['1.1', '2.10']);
  const [first, second] = threads.map(({ id }) => conversationLane(id));
  const eventsOf = (lane: string | undefined) =>
    stored.filter((one) => one.lane === lane).map(({ event }) => event);
  const half = (rest: number) =>
    burst.filter((_, n) => n % 2 === rest).map((ts) => `message:T1:C1:${ts}:new`);
  expect(eventsOf(first)).toEqual(['message:T1:C1:1.1:new', 'message:T1:C1:1.2:new', ...half(1)]);
  expect(eventsOf(second)).toEqual([...half(0), 'reaction:T1:C1:2.10:U1:eyes:added:5.5']);
  expect(eventsOf('conversation:ticket:tkt_1')).toEqual(['mirror']);
  const { repeats } = await db
    .selectFrom('inbox')
    .select('repeats')
    .where('event_key', '=', 'message:T1:C1:2.10:new')
    .executeTakeFirstOrThrow();
  expect(repeats).toBe(1);
});

test('B46 an event that the database rejects fails alone: it is not acknowledged, the others are stored in order', async () => {
  const { db, say, works } = await openInbox();
  const ts = ['1.1', '1.2', '1.3\0', '1.4', '1.5', '1.6', '1.7'];
  const outcomes = await Promise.allSettled(ts.map((one) => say(one, { thread_ts: '1.1' })));
  expect(outcomes.map(({ status }) => status)).toEqual(
    ts.map((one) => (one === '1.3\0' ? 'rejected' : 'fulfilled')),
  );
  expect((await works()).map(({ event }) => event)).toEqual(
    ts.filter((one) => one !== '1.3\0').map((one) => `message:T1:C1:${one}:new`),
  );
  // Characters that Postgres cannot store are no reason to reject a message.
  const text = 'NUL \0, half a pair \ud800';
  expect(await say('1.8', { text })).toBe('new');
  const { body } = await db
    .selectFrom('inbox')
    .select('body')
    .where('event_key', '=', 'message:T1:C1:1.8:new')
    .executeTakeFirstOrThrow();
  expect(envelopes.read(body)?.event).toMatchObject({ message: { text } });
});

test('B12 a deletion and a reaction that arrive together with their reply belong to its thread', async () => {
  const { db, tell, say, react, works } = await openInbox();
  const { id: thread } = await say('1.1').then(() =>
    db.selectFrom('conversation').select('id').executeTakeFirstOrThrow(),
  );
  // Slack may leave out the thread of the deleted reply.
  const gone = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '1.2' };
  await Promise.all([say('1.2', { thread_ts: '1.1' }), react('1.2'), tell(gone)]);
  const lane = conversationLane(thread);
  expect((await works()).map((one) => one.lane)).toEqual([lane, lane, lane, lane]);
});

test('B46 events of a thread are stored once, in the lane of its conversation or of the one that replaced it', async () => {
  const { db, engine, tell, say, works } = await openInbox();
  const gone = (ts: string) =>
    tell({ type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: ts });
  const stored = () =>
    db.selectFrom('inbox').select(['event_key', 'conversation_id']).orderBy('event_key').execute();

  expect(await say('1.1')).toBe('new');
  expect(await say('1.1')).toBe('repeated');
  const { id: first } = await db.selectFrom('conversation').select('id').executeTakeFirstOrThrow();
  expect(await say('1.2', { thread_ts: '1.1' })).toBe('new');
  expect(await say('1.2', { thread_ts: '1.1' })).toBe('repeated');
  // This thread replaced another one, which was lost (B58).
  await engine.transaction((tx) =>
    redirectThread(tx, { team_id: 'T1', channel_id: 'C1', thread_ts: '0.1' }, first),
  );
  expect(await say('1.3', { thread_ts: '0.1' })).toBe('new');
  // Slack may leave out the thread of the deleted reply.
  const reply = { conversation_id: first, ticket_message_id: 'msg_1', team_id: 'T1', channel_id: 'C1' };
  await engine.transaction((tx) => linkMessage(tx, { ...reply, id: 'lnk_1', ts: '1.2', origin: 'chat' }));
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
  // Its work gets the event as it arrived.
  const last = await db
    .selectFrom('inbox')
    .select('body')
    .where('event_key', '=', 'message:T1:C1:1.3:new')
    .executeTakeFirstOrThrow();
  const event = { type: 'message', channel: 'C1', user: 'U1', text: 'hello', ts: '1.3', thread_ts: '0.1' };
  const sent = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event };
  expect(envelopes.read(last.body)).toEqual({ body: sent, event: parseChatEvent(sent) });
  const lanes = (await works()).map(({ lane }) => lane);
  expect(lanes).toEqual([first, first, first, first, other ?? ''].map(conversationLane));
});

test('the inbox is busy for a second after each event: large files take their time then', async () => {
  const { inbox, say, pass } = await openInbox();
  expect(inbox.isBusy()).toBe(false);
  await say('1.1');
  expect(inbox.isBusy()).toBe(true);
  pass(1_000);
  expect(inbox.isBusy()).toBe(false);
});

test('a migration leaves no connection behind', async () => {
  const { url } = await createTestDatabase('migrated');
  await migrateBridge(url, log);
  const database = openDatabase<BridgeTables>({ url, schema: 'bridge', log, poolSize: 1 });
  onTestFinished(() => database.close());
  const others = async () => {
    const { rowCount } = await database.pool.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rowCount;
  };
  // A pool that was left open ends them after ten seconds.
  await expect.poll(others, { timeout: 5_000 }).toBe(0);
});
