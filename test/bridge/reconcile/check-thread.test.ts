import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { FailingWork } from '../../../src/bridge/inbox/failing-work.ts';
import type { Part } from '../../../src/bridge/reconcile/findings.ts';
import type { Envelope } from '../../../src/bridge/slack/envelope.ts';
import { createWebClient } from '../../../src/bridge/slack/client.ts';
import { ChatReader } from '../../../src/bridge/slack/reader.ts';
import type { Reconciler } from '../../../src/bridge/reconcile/reconciler.ts';
import { compareAll } from '../../../src/bridge/reconcile/rounds.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { bridgeEngine } from '../../harness/bridge-engine.ts';
import { MovableClock } from '../../service/clock.ts';
import { runRounds } from './run-rounds.ts';

const log = createLog({ level: 'silent', pretty: false });
const SECOND_MS = 1_000;

/** A call of the Web API. */
interface Asked {
  method: string;
  channel: string | null;
  ts: string | null;
}

/** A server that returns these messages for every Web API call, unless `before` returns another answer. */
async function serveMessages(
  messages: readonly unknown[],
  before: (asked: Asked) => Promise<unknown>,
): Promise<string> {
  const server = createServer((request, response) => {
    text(request)
      .then((form) => before(askedBy(request.url, form)))
      .then(
        (answer) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify(answer ?? { ok: true, messages })),
        () => response.destroy(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
}

function askedBy(url: string | undefined, form: string): Asked {
  const fields = new URLSearchParams(form);
  return { method: url?.split('/').at(-1) ?? '', channel: fields.get('channel'), ts: fields.get('ts') };
}

interface Compared {
  clock: MovableClock;
  database: Bridge['database'];
  engine: Bridge['engine'];
  bot: Bridge['bot'];
  /** Compares the thread for as long as that is due. */
  work: () => Promise<void>;
  /** Comparisons that had to wait for events which may be under way. */
  settled: () => number;
  /** The keys of the events that were found. */
  found: readonly string[];
}

/**
 * A ticket's thread in which these messages follow the first one; `before` runs before each read of it, and may return
 * another answer.
 */
async function compared(
  replies: (root: string) => readonly unknown[],
  before: (thread: Compared, asked: Asked) => Promise<unknown> = () => Promise.resolve(),
  { settleMs = 0, part = 'threads' }: { settleMs?: number; part?: Part } = {},
): Promise<Compared> {
  const { database } = await bridgeDatabase(4);
  const engine = bridgeEngine(database);
  const clock = new MovableClock();
  const bot = { team: 'T1', userId: 'UBOT', botId: 'B1', name: 'deskbridge' };
  const root = (clock.now().getTime() / SECOND_MS).toFixed(6);
  await database.db
    .insertInto('conversation')
    .values({
      id: 'cnv_1',
      team_id: bot.team,
      channel_id: 'C1',
      thread_ts: root,
      ticket_id: 'tkt_1',
      active_at: clock.now(),
      created_at: clock.now(),
    })
    .execute();
  const apiUrl = await serveMessages(
    [{ type: 'message', user: 'UADA', ts: root, text: 'help' }, ...replies(root)],
    (asked) => before(thread, asked),
  );
  const chat = new ChatReader(createWebClient('xoxb-1', apiUrl), clock);
  const found: string[] = [];
  const inbox = {
    chat: async ({ event: { key } }: Envelope) => {
      found.push(key);
      return 'new' as const;
    },
  };
  const channels = { linkedChannels: async () => ['C1', 'C2'], of: async () => undefined };
  const failing = new FailingWork();
  let settled = 0;
  const reconciler: Reconciler = {
    bridge: { database, engine, failing, chat, bot, clock, log, inbox, channels } as unknown as Bridge,
    settings: { everyMs: 60_000, settleMs, readsPerMinute: 20, retentionDays: 90 },
    settle: async () => {
      settled += 1;
    },
    beforeRead: () => Promise.resolve(),
    keepWebhook: () => Promise.resolve(),
    completeThreads: new Map(),
  };
  const thread = {
    clock,
    database,
    engine,
    bot,
    work: await runRounds(reconciler, part),
    settled: () => settled,
    found,
  };
  return thread;
}

test('B50 a thread whose comparison began before a full comparison was requested is compared again', async () => {
  let reads = 0;
  const { work } = await compared(
    () => [],
    async ({ clock, database, engine, bot }) => {
      reads += 1;
      if (reads > 1) return;
      // The connection is lost and restored during the first read, so its list may be out of date.
      clock.pass(SECOND_MS);
      await compareAll({ database, engine, bot, clock });
      clock.pass(SECOND_MS);
    },
  );
  await work();
  expect(reads).toBe(2);
  await work();
  expect(reads).toBe(2);
});

test('B50 a reply that was lost just before a start is found once it is old enough, and its thread is not compared in between', async () => {
  let reads = 0;
  const later = (root: string, ms: number) => (Number(root) + ms / SECOND_MS).toFixed(6);
  const { work, clock, database, engine, bot, found } = await compared(
    (root) => [
      { type: 'message', user: 'UADA', ts: later(root, 1_000), thread_ts: root, text: 'old' },
      { type: 'message', user: 'UADA', ts: later(root, 42_000), thread_ts: root, text: 'young' },
    ],
    async () => {
      reads += 1;
    },
    { settleMs: 30_000 },
  );
  clock.pass(42_500);
  await compareAll({ database, engine, bot, clock });
  await work();
  expect([reads, new Set(found).size]).toEqual([1, 1]);
  clock.pass(20_000);
  await work();
  expect(reads).toBe(1);
  const { rows } = await sql<{
    ms: number;
  }>`select round(extract(epoch from not_before - now()) * 1000)::integer as ms
    from work where body ->> 'part' = 'threads' and done_at is null`.execute(database.db);
  // The next look is when it is old enough, not a minute later.
  expect(rows.map(({ ms }) => ms <= 10_100)).toEqual([true]);
  clock.pass(11_000);
  await work();
  expect([reads, new Set(found).size]).toEqual([2, 2]);
  await work();
  expect(reads).toBe(2);
});

test('B50 reactions to what is no message of the ticket are not compared', async () => {
  const { work, settled, database } = await compared((root) => [
    {
      type: 'message',
      user: 'UBOT',
      bot_id: 'B1',
      text: 'the card',
      thread_ts: root,
      ts: `${root.slice(0, -1)}1`,
      reactions: [{ name: 'fire', users: ['UADA'], count: 1 }],
    },
  ]);
  await work();
  const { checked_at } = await database.db
    .selectFrom('conversation')
    .select('checked_at')
    .executeTakeFirstOrThrow();
  expect(checked_at).not.toBeNull();
  expect(settled()).toBe(0);
});

const POSTS_ARE_TRIED = 12;

test.each(['internal_error', 'fatal_error'])(
  'B50 one thread at which Slack always fails (%s) does not keep the others from being compared, and is tried again later',
  async (error) => {
    const reads: (string | null)[] = [];
    const { work, clock, database } = await compared(
      () => [],
      async (_thread, { ts }) => {
        reads.push(ts);
        return ts === BAD ? { ok: false, error } : undefined;
      },
    );
    const BAD = (clock.now().getTime() / SECOND_MS - 60).toFixed(6);
    clock.pass(SECOND_MS);
    await database.db
      .insertInto('conversation')
      .values({
        id: 'cnv_bad',
        team_id: 'T1',
        channel_id: 'C1',
        thread_ts: BAD,
        ticket_id: 'tkt_2',
        // It comes before the other one.
        active_at: clock.now(),
        created_at: clock.now(),
      })
      .execute();
    const checked = async () => {
      const rows = await database.db.selectFrom('conversation').select(['id', 'checked_at']).execute();
      return rows.filter(({ checked_at }) => checked_at !== null).map(({ id }) => id);
    };
    const tries = () => reads.filter((ts) => ts === BAD).length;
    while ((await checked()).length === 0) {
      expect(tries()).toBeLessThan(POSTS_ARE_TRIED);
      await work();
    }
    await work();
    expect((await checked()).toSorted()).toEqual(['cnv_1', 'cnv_bad']);
    expect(tries()).toBe(POSTS_ARE_TRIED);
    clock.pass(60 * 60 * SECOND_MS);
    await work();
    expect(tries()).toBeGreaterThan(POSTS_ARE_TRIED);
  },
);

test('B50 a list of channels and a channel at which Slack always fails do not keep the linked channels from being compared', async () => {
  const fails = { ok: false, error: 'internal_error' };
  const { work, database } = await compared(
    () => [],
    async (_thread, { method, channel }) =>
      method === 'users.conversations' || channel === 'C1' ? fails : { ok: true, messages: [] },
    { part: 'channels' },
  );
  const cursors = async () => {
    const rows = await database.db.selectFrom('cursor').select('key').orderBy('key').execute();
    return rows.map(({ key }) => key);
  };
  const left = async () =>
    database.db
      .selectFrom('work')
      .select('id')
      .where('done_at', 'is', null)
      .where(sql<boolean>`body ->> 'part' = 'channel'`)
      .execute();
  const isBegun = async () => (await cursors()).some((key) => key.includes('C2'));
  while (!(await isBegun()) || (await left()).length > 0) await work();
  // The cursor of the list stays: what it would have named is compared once Slack gives it.
  expect(await cursors()).toEqual(['channel:T1:C1', 'channel:T1:C2']);
});

test('B50 a thread that ends with our own post is read once, and again after each new reply or find', async () => {
  const at = (root: string, n: number) => `${root.slice(0, -1)}${n}`;
  const replies: { user: string; bot_id?: string; text: string; ts: string }[] = [];
  let root = '';
  let reads = 0;
  const { work, found } = await compared(
    (ts) => {
      root = ts;
      return [];
    },
    async (_thread, { method, channel }) => {
      if (method === 'users.conversations') return { ok: true, channels: [{ id: 'C1' }] };
      if (channel !== 'C1') return { ok: true, messages: [] };
      const parent = { type: 'message', user: 'UADA', text: 'help', ts: root, thread_ts: root };
      if (method === 'conversations.history')
        return { ok: true, messages: [{ ...parent, latest_reply: replies.at(-1)?.ts }] };
      reads += 1;
      return {
        ok: true,
        messages: [parent, ...replies.map((one) => ({ type: 'message', thread_ts: root, ...one }))],
      };
    },
    { part: 'channels' },
  );
  const readsIn = async (scans: number) => {
    const before = reads;
    for (let n = 0; n < scans; n++) await work();
    return reads - before;
  };
  const post = (n: number) => replies.push({ user: 'UBOT', bot_id: 'B1', text: 'a card', ts: at(root, n) });
  post(1);
  expect(await readsIn(6)).toBe(1);
  post(3);
  expect(await readsIn(6)).toBe(1);
  // A reply that no event reported, before our newest post.
  replies.splice(1, 0, { user: 'UADA', text: 'it burns', ts: at(root, 2) });
  post(4);
  expect(await readsIn(2)).toBe(2);
  expect(found).toContain(`message:T1:C1:${at(root, 2)}:new`);
});

test.each<[string, { mode: string; wanted: boolean; isDescription?: boolean }, boolean]>([
  ['of a reply', { mode: 'tombstone', wanted: true }, true],
  ['of the description', { mode: 'tombstone', wanted: true, isDescription: true }, true],
  ['that is gone from the ticket, too', { mode: 'tombstone', wanted: false }, false],
  ['that is still there', { mode: 'hosted', wanted: true }, false],
])(
  'B50 a file whose deletion was lost is found on a message that was never edited: one %s',
  async (_, { mode, wanted, isDescription = false }, isFound) => {
    let ts = '';
    const { work, database, found } = await compared((root) => {
      ts = `${root.slice(0, -1)}1`;
      const files = [{ id: 'F1', mode, name: 'plan.png', mimetype: 'image/png' }];
      return [{ type: 'message', user: 'UADA', text: 'see the plan', thread_ts: root, ts, files }];
    });
    if (isDescription) await database.db.updateTable('conversation').set({ description_ts: ts }).execute();
    else
      await database.db
        .insertInto('message_link')
        .values({
          id: 'lnk_1',
          conversation_id: 'cnv_1',
          ticket_message_id: 'msg_1',
          team_id: 'T1',
          channel_id: 'C1',
          ts,
          origin: 'chat',
          version: null,
        })
        .execute();
    await database.db
      .insertInto('file_copy')
      .values({
        id: 'cpy_1',
        conversation_id: 'cnv_1',
        ticket_id: 'tkt_1',
        target_id: isDescription ? 'tkt_1' : 'msg_1',
        file_id: 'F1',
        name: '',
        bytes: 0,
        mimetype: '',
        url: '',
        permalink: '',
        author_id: null,
        wanted,
        state: 'copied',
        created_at: new Date(),
      })
      .execute();
    await work();
    expect(found.filter((key) => key.startsWith(`message:T1:C1:${ts}:edited:`))).toHaveLength(
      isFound ? 1 : 0,
    );
  },
);
