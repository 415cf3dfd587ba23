import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { openDeadLetters } from '../../src/bridge/index.ts';
import { pruneBridge } from '../../src/bridge/retention.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { EVENT, MIRROR, type NewWork, SEND, workFor } from '../../src/bridge/work.ts';
import type { Database } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { rowsUnder } from '../docs/documents.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';

const log = createLog({ level: 'silent', pretty: false });
const DAY_MS = 86_400_000;
const now = new Date('2026-01-31T00:00:00Z');
const clock = { now: () => now };
const old = new Date(now.getTime() - 100 * DAY_MS);
const fresh = new Date(now.getTime() - DAY_MS);
const TEAM = 'T1';

async function addThread(
  { db }: Database<BridgeTables>,
  id: string,
  values: Partial<{ ticket_id: string; prompted_user_id: string; created_at: Date }> = {},
): Promise<void> {
  const place = { team_id: TEAM, channel_id: 'C1', thread_ts: id };
  await db
    .insertInto('conversation')
    .values({ id, ...place, created_at: old, ...values })
    .execute();
}

async function addEvent(
  { db }: Database<BridgeTables>,
  id: string,
  conversation: string,
  done: Date | null,
): Promise<void> {
  const event = { type: 'message', channel: 'C1', user: 'U1', ts: `${id}.1`, text: 'hello' };
  const body = JSON.stringify({ type: 'event_callback', team_id: TEAM, event_id: id, event });
  await db
    .insertInto('inbox')
    .values({
      id,
      source: 'chat',
      event_key: `message:${TEAM}:C1:${id}.1:new`,
      kind: 'message',
      conversation_id: conversation,
      body,
      received_at: old,
      done_at: done,
    })
    .execute();
}

async function addPost(
  { db }: Database<BridgeTables>,
  id: string,
  body: { kind: 'post' | 'edit'; link: string },
  state: 'dead' | 'dropped' | 'sent',
  sent: Date | null,
): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      id,
      conversation_id: 'with-ticket',
      team_id: TEAM,
      channel_id: 'C1',
      kind: body.kind,
      link_id: body.link,
      body: JSON.stringify(body),
      state,
      planned_at: old,
      sent_at: sent,
    })
    .execute();
}

/** Adds work that was tried and became dead letters. */
async function addDeadLetters(database: Database<BridgeTables>, work: readonly NewWork[]) {
  await bridgeEngine(database).transaction(async (tx) => tx.plan.add(...work));
  await database.db.updateTable('work').set({ dead_at: old, error: 'refused' }).execute();
}

const idsIn = async ({ db }: Database<BridgeTables>, table: 'conversation' | 'inbox' | 'outbox') =>
  (await db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id);

test('B49 retention deletes old finished rows and threads without a ticket; waiting rows, dead letters and threads with tickets stay', async () => {
  const { database } = await bridgeDatabase(3);
  await addThread(database, 'with-ticket', { ticket_id: 'tkt_1' });
  await addThread(database, 'was-asked', { prompted_user_id: 'U1' });
  await addThread(database, 'young', { created_at: fresh });
  await addThread(database, 'nothing');
  await addThread(database, 'waits');
  await addThread(database, 'talked-in');
  await addThread(database, 'is-worked');
  await bridgeEngine(database).add(workFor(MIRROR, 'is-worked', { ticket: 'tkt_1' }));
  await addEvent(database, 'done-long-ago', 'nothing', old);
  await addEvent(database, 'done-lately', 'talked-in', fresh);
  await addEvent(database, 'dead', 'waits', null);
  await addPost(database, 'dropped', { kind: 'post', link: 'lnk_1' }, 'dropped', old);
  await addPost(database, 'sent-lately', { kind: 'post', link: 'lnk_2' }, 'sent', fresh);
  await addPost(database, 'kept', { kind: 'post', link: 'lnk_3' }, 'dead', null);
  await pruneBridge({ database, clock }, { days: 90, bodyDays: 7 });
  expect(await idsIn(database, 'conversation')).toEqual([
    'is-worked',
    'talked-in',
    'waits',
    'was-asked',
    'with-ticket',
    'young',
  ]);
  expect(await idsIn(database, 'inbox')).toEqual(['dead', 'done-lately']);
  expect(await idsIn(database, 'outbox')).toEqual(['kept', 'sent-lately']);
});

test('B49 retention empties what Slack sent some days after it was worked; what waits and dead letters keep it', async () => {
  const { database } = await bridgeDatabase(3);
  await addThread(database, 'thread', { ticket_id: 'tkt_1' });
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await addEvent(database, 'worked 8 days ago', 'thread', daysAgo(8));
  await addEvent(database, 'worked 6 days ago', 'thread', daysAgo(6));
  await addEvent(database, 'waits', 'thread', null);
  await pruneBridge({ database, clock }, { days: 90, bodyDays: 7 });
  const rows = await database.db.selectFrom('inbox').select(['id', 'body']).orderBy('id').execute();
  expect(rows.map(({ id, body }) => [id, body !== null])).toEqual([
    ['waits', true],
    ['worked 6 days ago', true],
    ['worked 8 days ago', false],
  ]);
});

/**
 * For each table with a timestamp of its own: one old row and one recent row, with `{id}` as their
 * difference.
 */
const ROWS: Record<string, string> = {
  ticket_change: `(ticket_id, field, value, in_chat, at) values ({id}, 'status', '1', true, {at})`,
  chat_reaction: `(team_id, channel_id, ts, chat_user_id, name, event_ts, present, received_at)
    values ('T1', 'C1', '1.1', {id}, 'tada', '1.2', true, {at})`,
  form_draft: `(id, team_id, chat_user_id, submitted_view, context, filled, updated_at) values ({id}, 'T1', 'U1', {id}, '{}', '{}', {at})`,
  notified_message: `values ({id}, {at})`,
  notice: `(id, ticket_id, team_id, channel_id, chat_user_id, contents, made_at) values ({id}, 't', 'T1', 'D1', 'U1', '{}', {at})`,
  observed_ticket: `(team_id, channel_id, ts, title, reason, chat_user_id, seen_at) values ('T1', 'C1', {id}, 'a title', 'mention', 'U1', {at})`,
  rate_limit: `values ({id}, {at})`,
  reminder: `values ({id}, 'due', {at}, {at})`,
};

test.each(Object.entries(ROWS))('B49 retention deletes old rows of %s, and no others', async (table, row) => {
  const { database } = await bridgeDatabase(3);
  const client = new pg.Client({ connectionString: database.connection.connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  for (const [id, at] of [
    ['long ago', old],
    ['lately', fresh],
  ] as const)
    await client.query(
      `insert into bridge.${table} ${row.replaceAll('{id}', `'${id}'`).replaceAll('{at}', `'${at.toISOString()}'`)}`,
    );
  const rows = async () =>
    (await client.query<{ row: string }>(`select t::text as row from bridge.${table} t`)).rows;
  expect(await rows()).toHaveLength(2);
  await pruneBridge({ database, clock }, { days: 90, bodyDays: 7 });
  expect(await rows()).toEqual([{ row: expect.stringContaining('lately') as string }]);
});

test('B49 the documentation of stored data names every table of the bridge and everything that is pruned', async () => {
  const { database } = await bridgeDatabase(3);
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'bridge'`.execute(database.db);
  const page = rowsUnder('docs/operate.md', 'Tables of the bridge');
  const named = page.flatMap(([cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  expect(named.sort()).toEqual(rows.map(({ name }) => name).sort());
  const timed = page.filter(([, kept = '']) => kept.includes('RETENTION_DAYS')).map(([cell = '']) => cell);
  const pruned = [...Object.keys(ROWS), 'conversation', 'inbox', 'outbox'];
  expect(pruned.filter((table) => !timed.some((cell) => cell.includes(`\`${table}\``)))).toEqual([]);
});

test('B49 a dead letter discarded by hand leaves nothing open, takes its dead edits along, and is deleted after the retention time', async () => {
  const { database, url } = await bridgeDatabase(3);
  const { db } = database;
  await addThread(database, 'with-ticket', { ticket_id: 'tkt_1' });
  await addEvent(database, 'event', 'with-ticket', null);
  const link = { ticket_message_id: 'msg_1', team_id: TEAM, channel_id: 'C1', version: '1' };
  await db
    .insertInto('message_link')
    .values({ id: 'lnk_1', conversation_id: 'with-ticket', origin: 'service', ...link })
    .execute();
  await addPost(database, 'post', { kind: 'post', link: 'lnk_1' }, 'dead', null);
  await addPost(database, 'edit-of-it', { kind: 'edit', link: 'lnk_1' }, 'dead', null);
  await addPost(database, 'other', { kind: 'post', link: 'lnk_2' }, 'dead', null);
  const posts = ['post', 'edit-of-it', 'other'].map((outbox) => workFor(SEND, outbox, { outbox }));
  await addDeadLetters(database, [workFor(EVENT, 'with-ticket', { inbox: 'event' }), ...posts]);
  await db
    .insertInto('delivery_status')
    .values({ team_id: TEAM, channel_id: 'C1', ts: 'event.1', wanted: 'failed', shown: 'failed' })
    .execute();

  const deadLetters = await openDeadLetters(url, log, clock);
  onTestFinished(() => deadLetters.stop());
  const idOf = async (what: string) =>
    (await deadLetters.list()).find((item) => item.what.includes(what))?.id ?? 0;
  expect(await deadLetters.discard([await idOf('event'), await idOf('"post"')])).toBe(3);
  expect((await deadLetters.list()).map(({ what }) => what)).toEqual(['send {"outbox":"other"}']);
  expect(await deadLetters.discard([])).toBe(0);

  const { done_at, outcome } = await db.selectFrom('inbox').selectAll().executeTakeFirstOrThrow();
  expect([done_at, outcome]).toEqual([now, 'discarded: refused']);
  const states = await db.selectFrom('outbox').select(['id', 'state']).orderBy('id').execute();
  expect(states.map(({ id, state }) => [id, state])).toEqual([
    ['edit-of-it', 'dropped'],
    ['other', 'dead'],
    ['post', 'dropped'],
  ]);
  // Later edits of the discarded post find it deleted; the mark on its author's message is gone.
  expect(await db.selectFrom('message_link').select('deleted').execute()).toEqual([{ deleted: true }]);
  expect(await db.selectFrom('delivery_status').selectAll().execute()).toEqual([]);
  await pruneBridge(
    { database, clock: { now: () => new Date(now.getTime() + 91 * DAY_MS) } },
    { days: 90, bodyDays: 7 },
  );
  expect([await idsIn(database, 'inbox'), await idsIn(database, 'outbox')]).toEqual([[], ['other']]);
});

test('B49 retention ends after its current batch when the bridge stops', async () => {
  const { database } = await bridgeDatabase(3);
  await addThread(database, 'nothing');
  await addEvent(database, 'done-long-ago', 'nothing', old);
  await pruneBridge({ database, clock }, { days: 90, bodyDays: 7 }, AbortSignal.abort());
  expect(await idsIn(database, 'inbox')).toEqual(['done-long-ago']);
});
