import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
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

/** A server that returns these messages for every Web API call, after `before` has run. */
async function serveMessages(messages: readonly unknown[], before: () => Promise<void>): Promise<string> {
  const server = createServer((_request, response) => {
    before().then(
      () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ok: true, messages })),
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

/** A ticket's thread in which these messages follow the first one; `before` runs before each read of it. */
async function compared(
  replies: (root: string) => readonly unknown[],
  before: (thread: Compared) => Promise<void> = () => Promise.resolve(),
  settleMs = 0,
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
    () => before(thread),
  );
  const chat = new ChatReader(createWebClient('xoxb-1', apiUrl), clock);
  const found: string[] = [];
  const inbox = {
    chat: async ({ event: { key } }: Envelope) => {
      found.push(key);
      return 'new' as const;
    },
  };
  let settled = 0;
  const reconciler: Reconciler = {
    bridge: { database, engine, chat, bot, clock, log, inbox } as unknown as Bridge,
    settings: { everyMs: 60_000, settleMs, readsPerMinute: 20, retentionDays: 90 },
    settle: async () => {
      settled += 1;
    },
    beforeRead: () => Promise.resolve(),
    keepWebhook: () => Promise.resolve(),
  };
  const thread = {
    clock,
    database,
    engine,
    bot,
    work: await runRounds(reconciler, 'threads'),
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
    30_000,
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
