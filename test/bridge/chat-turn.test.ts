import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ChatError } from '../../src/bridge/slack/errors.ts';
import { budgetsAt, LIMITS, type WriteMethod } from '../../src/bridge/slack/limits.ts';
import { msUntilTurn, msLeftToYield, msToYield, holdBack, takeTurn } from '../../src/bridge/outbox/turn.ts';
import { PARTS } from '../../src/bridge/features/index.ts';
import { joinHooks } from '../../src/bridge/hooks.ts';
import type { OutboxRow } from '../../src/bridge/store/posts.ts';
import { type Call, ranksOf } from '../../src/bridge/outbox/post-kind.ts';
import { createSender } from '../../src/bridge/outbox/send.ts';
import type { Bridge } from '../../src/bridge/bridge.ts';
import { migrateBridge } from '../../src/bridge/index.ts';
import { type BridgeEngine, SEND, workFor } from '../../src/bridge/work.ts';
import { createBridgeMetrics } from '../../src/bridge/metrics.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { type Database, openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';
import { CONNECTION_WAIT_MS, migratedDatabase } from '../harness/database.ts';
import { MovableClock } from '../service/clock.ts';

const log = createLog({ level: 'silent', pretty: false });
const TEAM = 'T1';
const POSTS_PER_SECOND = 20;
const BUDGETS = budgetsAt(POSTS_PER_SECOND);
const POSTS = PARTS.flatMap(({ posts = [] }) => posts);
const KINDS = POSTS.map(({ kind }) => kind);
const ranks = ranksOf(POSTS);
const PACED = { budgets: BUDGETS, ranks };

const clock = new MovableClock();

/** A process. */
interface Replica {
  database: Database<BridgeTables>;
  db: Database<BridgeTables>['db'];
  engine: BridgeEngine;
}

const replicaOn = (database: Database<BridgeTables>): Replica => ({
  database,
  db: database.db,
  engine: bridgeEngine(database),
});

/** Two processes on one database. */
async function openReplicas(): Promise<[Replica, Replica]> {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const open = () => {
    const database = openDatabase<BridgeTables>({
      url,
      schema: 'bridge',
      log,
      poolSize: 8,
      waitMs: CONNECTION_WAIT_MS,
    });
    onTestFinished(() => database.close());
    return replicaOn(database);
  };
  return [open(), open()];
}

/** Returns the milliseconds after which a row may ask again; 0 if its call begins. */
function turnOf(
  { engine }: Replica,
  row: OutboxRow,
  method: WriteMethod = 'chat.postMessage',
): Promise<number> {
  return engine.transaction((tx) => takeTurn(tx, { clock }, row, [method], PACED));
}

/**
 * Lets a process send posts, each by this call.
 * @returns a function that plans the sending of a row, and resolves once it was sent or waits.
 */
async function startSender(
  { database, engine }: Replica,
  call: (row: OutboxRow) => Call,
  { budgets = BUDGETS, ownClock = clock } = {},
): Promise<(row: OutboxRow) => Promise<void>> {
  const metrics = createBridgeMetrics(createRegistry());
  const bridge = {
    database,
    budgets,
    clock: ownClock,
    log,
    metrics,
    hooks: joinHooks([]),
  } as unknown as Bridge;
  const kind = {
    kind: 'post',
    rank: 'reply' as const,
    isMessage: true,
    call: async (_: unknown, __: unknown, row: OutboxRow) => call(row),
  };
  engine.handle(SEND, createSender(bridge, { writer: undefined as never, kinds: [kind] }));
  await engine.start();
  return async ({ id }) => {
    await engine.add(workFor(SEND, id, { outbox: id }));
    await engine.settled();
  };
}

async function plan(
  { db }: Pick<Replica, 'db'>,
  id: string,
  { kind = 'post', channel = 'C1', agoMs = 0 } = {},
): Promise<OutboxRow> {
  return db
    .insertInto('outbox')
    .values({
      id,
      conversation_id: null,
      team_id: TEAM,
      channel_id: channel,
      kind,
      body: JSON.stringify({ kind: 'bot-message', text: id }),
      state: 'planned',
      planned_at: new Date(clock.now().getTime() - agoMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Rows that a process sends one after the other. */
interface Line {
  replica: Replica;
  rows: OutboxRow[];
  method?: WriteMethod;
  /** Asks whenever another line does: on a busy machine it would otherwise ask too late. */
  eager?: boolean;
}

/**
 * Sends the rows of all lines. Each line asks for a slot at the same moment as the others, and again after
 * the wait that it was given.
 * @returns the rows in the order of their slots, and the time that it would have taken.
 */
async function sendAll(lines: Line[]): Promise<{ sent: string[]; tookMs: number }> {
  const sent: string[] = [];
  const beganAt = performance.now();
  let passedMs = 0;
  const tookMs = () => performance.now() - beganAt + passedMs;
  let waiting = lines.map(({ replica, rows, method, eager = false }) => ({
    replica,
    rows: [...rows],
    method,
    eager,
    askAtMs: 0,
  }));
  while (waiting.length > 0) {
    const askedAtMs = tookMs();
    await Promise.all(
      waiting
        .filter(({ askAtMs, eager }) => eager || askAtMs <= askedAtMs)
        .map(async (line) => {
          const { replica, rows, method } = line;
          const [row] = rows;
          if (!row) return;
          const waitMs = await turnOf(replica, row, method);
          line.askAtMs = askedAtMs + waitMs;
          if (waitMs > 0) return;
          await replica.db.updateTable('outbox').set({ state: 'sent' }).where('id', '=', row.id).execute();
          rows.shift();
          sent.push(row.id);
        }),
    );
    waiting = waiting.filter(({ rows }) => rows.length > 0);
    const [first] = waiting;
    if (!first) break;
    const next = Math.min(...waiting.map(({ askAtMs }) => askAtMs)) - tookMs();
    if (next <= 0) continue;
    await pass(first.replica, next);
    passedMs += next;
  }
  return { sent, tookMs: tookMs() };
}

/**
 * Rate limits use the database's clock, which all processes share and no test can move, so the due times move
 * instead.
 */
async function pass({ db }: Replica, ms: number): Promise<void> {
  clock.pass(ms);
  await sql`update rate_limit set next_at = next_at - ${ms} * interval '1 millisecond'`.execute(db);
}

describe('how long a row waits', () => {
  const gap = fc.double({ min: 1, max: 3_000, noNaN: true });

  test('B48 a row waits behind all rows of higher priority, never less than its budget requires, and not at all within the saved burst', () => {
    fc.assert(
      fc.property(
        gap,
        fc.double({ min: -1e6, max: 60_000, noNaN: true }),
        fc.nat(50),
        (gapMs, dueInMs, ahead) => {
          const wait = msUntilTurn([{ gapMs, dueInMs, ahead }]);
          expect(wait).toBeGreaterThanOrEqual(Math.max(0, dueInMs));
          expect(wait).toBeLessThanOrEqual(Math.ceil(Math.max(0, dueInMs) + ahead * gapMs));
          if (ahead >= LIMITS.burst - 1 && dueInMs >= 0)
            expect(wait).toBeGreaterThanOrEqual(Math.floor(ahead * gapMs));
          // The slowest of several budgets decides.
          expect(
            msUntilTurn([
              { gapMs, dueInMs, ahead },
              { gapMs, dueInMs: 1e6, ahead: 0 },
            ]),
          ).toBeGreaterThanOrEqual(1e6);
        },
      ),
    );
  });

  test('B48 cards and emoji yield to rows of a higher rank, replies to none, and no row yields longer than its limit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.nat(10_000),
        fc.nat(60_000),
        gap,
        (kind, better, waitedMs, gapMs) => {
          const wait = msLeftToYield({ yields: msToYield(ranks, kind), better, waitedMs, gapMs });
          const yields = better > 0 && waitedMs < msToYield(ranks, kind);
          expect(wait > 0).toBe(yields);
          expect(waitedMs + wait).toBeLessThanOrEqual(Math.max(waitedMs, msToYield(ranks, kind)));
        },
      ),
    );
    expect(KINDS.filter((kind) => msToYield(ranks, kind) > 0).sort()).toEqual([
      'card',
      'delivery-status',
      'home',
      'reaction',
      'status',
      'unfurl',
    ]);
    expect(msToYield(ranks, 'delivery-status')).toBeGreaterThan(msToYield(ranks, 'card'));
  });
});

describe('B48 two processes that send to one channel', () => {
  test('B48 of every kind, several rows that wait for one budget are all sent', async () => {
    const [one, other] = await openReplicas();
    for (const kind of KINDS) {
      const lines: Line[] = [];
      for (let n = 1; n <= 3 + LIMITS.burst; n++)
        lines.push({
          replica: n % 2 === 0 ? one : other,
          rows: [await plan(one, `${kind}${n}`, { kind, channel: `C-${kind}` })],
        });
      await sendAll(lines);
    }
    const { rows: left } = await sql`select id from outbox where state <> 'sent'`.execute(one.db);
    expect(left).toEqual([]);
  });

  test('B48 replies are sent in order, then the card, then the emoji, and never above the channel’s rate limit', async () => {
    const [one, other] = await openReplicas();
    const emoji = await plan(one, 'delivery-status', { kind: 'delivery-status' });
    const card = await plan(one, 'card', { kind: 'card' });
    const replies: OutboxRow[][] = [];
    for (const orderingKey of ['a', 'b', 'c']) {
      const rows: OutboxRow[] = [];
      for (let n = 1; n <= 4; n++) rows.push(await plan(one, `${orderingKey}${n}`));
      replies.push(rows);
    }
    const { sent, tookMs } = await sendAll([
      { replica: one, rows: [emoji], method: 'reactions.add' },
      { replica: other, rows: [card] },
      ...replies.map((rows, n) => ({ replica: n % 2 === 0 ? one : other, rows })),
    ]);
    for (const rows of replies) {
      const ids = rows.map(({ id }) => id);
      expect(sent.filter((id) => ids.includes(id))).toEqual(ids);
    }
    expect(sent.slice(-2)).toEqual(['card', 'delivery-status']);
    // Thirteen posts, of which a burst is sent at once: a shorter time would exceed the rate limit.
    expect(tookMs).toBeGreaterThanOrEqual(((13 - LIMITS.burst) * 1000) / POSTS_PER_SECOND);
  });

  test('B48 a card that has waited its limit is sent before replies that were planned later, however many follow', async () => {
    const [one, other] = await openReplicas();
    const replies: OutboxRow[] = [];
    for (let n = 0; n < 10; n++) replies.push(await plan(one, `reply ${n}`));
    const card = await plan(one, 'card', { kind: 'card', agoMs: LIMITS.cardYieldsMs + 60_000 });
    // No slot is free before all of them have asked, however slow this machine is.
    await holdBack({ database: one.database, clock }, card, 'chat.postMessage', 300_000);
    const { sent } = await sendAll([
      { replica: other, rows: [card], eager: true },
      ...replies.map((row) => ({ replica: one, rows: [row] })),
    ]);
    // Slots saved while no row was waiting are used at once, in any order.
    expect(sent.slice(0, LIMITS.burst)).toContain('card');
  });

  test('B48 a row waits behind those that were planned before it and wait for the same calls', async () => {
    const [one, other] = await openReplicas();
    const notBefore = new Date(clock.now().getTime() + 1_000);
    for (let n = 0; n < LIMITS.burst; n++) {
      const { id } = await plan(one, `earlier ${n}`, { agoMs: 1_000 });
      await one.db
        .updateTable('outbox')
        .set({ not_before: notBefore, waits_for: 'chat.postMessage' })
        .where('id', '=', id)
        .execute();
    }
    const later = await plan(one, 'later');
    expect(await turnOf(other, later)).toBeGreaterThan(0);
  });

  test('B48 a row that failed for another reason, or whose process is gone, does not hold up a card', async () => {
    const [one] = await openReplicas();
    const failing = await plan(one, 'failing');
    await one.db.updateTable('outbox').set({ error: 'away' }).where('id', '=', failing.id).execute();
    const left = await plan(one, 'left', { agoMs: 60_000 });
    await one.db
      .updateTable('outbox')
      .set({
        not_before: new Date(clock.now().getTime() - 10_000),
        waits_for: 'chat.postMessage',
        error: 'x',
      })
      .where('id', '=', left.id)
      .execute();
    const card = await plan(one, 'card', { kind: 'card' });
    expect(await turnOf(one, card)).toBe(0);
  });
});

test('B14 a post that was taken back while it waited is not sent', async () => {
  const [one] = await openReplicas();
  const made: string[] = [];
  const send = await startSender(one, ({ id }) => ({
    methods: ['chat.update'],
    part: id,
    make: async () => void made.push(id),
  }));
  await sql`insert into conversation (id, team_id, channel_id, thread_ts, ticket_id, created_at)
    values ('cnv', ${TEAM}, 'C1', '1.0', 'tkt', now())`.execute(one.db);
  const ask = async (id: string, deleted: boolean | undefined) => {
    if (deleted !== undefined)
      await sql`insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, origin, version, deleted)
        values (${id}, 'cnv', ${id}, ${TEAM}, 'C1', 'service', '1', ${deleted})`.execute(one.db);
    await send(await plan(one, id));
    const { state } = await one.db
      .selectFrom('outbox')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(state).toBe('sent');
    return made.includes(id);
  };
  expect(await ask('gone', true)).toBe(false);
  expect(await ask('without its link', undefined)).toBe(false);
  await pass(one, 60_000);
  expect(await ask('still wanted', false)).toBe(true);
});

/** A clock of a process that stands still after it has looked at it so many times. */
class PausingClock extends MovableClock {
  readonly #pause: { afterLooks: number; ms: number };
  #looks = 0;

  constructor(pause: { afterLooks: number; ms: number }) {
    super();
    this.#pause = pause;
  }

  override now(): Date {
    const now = super.now();
    if (++this.#looks === this.#pause.afterLooks) this.pass(this.#pause.ms);
    return now;
  }
}

test('a post of a kind that this version does not know is left to a newer process', async () => {
  const [one] = await openReplicas();
  const send = await startSender(one, () => ({ methods: ['chat.update'], make: async () => undefined }));
  await send(await plan(one, 'new', { kind: 'newer' }));
  expect(await one.engine.deadLetters()).toEqual([]);
  expect(await one.db.selectFrom('work').select(['attempts', 'error']).execute()).toEqual([
    { attempts: 0, error: 'this version sends no rows of the kind newer' },
  ]);
});

test('B51 a process that stood still once its post was marked does not make the call: by then another one may have', async () => {
  const [replica] = await openReplicas();
  // It looks at it for its turn, and when the post is marked.
  const ownClock = new PausingClock({ afterLooks: 2, ms: 60_000 });
  const late: number[] = [];
  const send = await startSender(
    replica,
    ({ id }) => ({
      methods: ['chat.postMessage'],
      make: async () => {
        const { sending_since: since } = await replica.db
          .selectFrom('outbox')
          .select('sending_since')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        late.push(ownClock.now().getTime() - (since?.getTime() ?? 0));
        return '1700000000.000100';
      },
    }),
    { ownClock },
  );
  await send(await plan(replica, 'paused'));
  expect(late).toEqual([0]);
});

describe('B48 Retry-After', () => {
  test('B48 a Retry-After for a post holds back the same method in that channel, for other calls in the workspace, and nothing else', async () => {
    const [one, other] = await openReplicas();
    const first = await plan(one, 'first');
    await holdBack({ database: one.database, clock }, first, 'chat.postMessage', 60_000);
    const ask = async (id: string, method: WriteMethod, channel: string) =>
      turnOf(other, await plan(one, id, { channel }), method);
    expect(await ask('same channel', 'chat.postMessage', 'C1')).toBeGreaterThan(50_000);
    expect(await ask('another channel', 'chat.postMessage', 'C2')).toBe(0);
    expect(await ask('another method', 'chat.update', 'C1')).toBe(0);
    await holdBack({ database: one.database, clock }, first, 'chat.update', 60_000);
    expect(await ask('same method elsewhere', 'chat.update', 'C2')).toBeGreaterThan(50_000);
    expect(await ask('one more channel', 'chat.postMessage', 'C3')).toBe(0);
  });

  test('B48 after one call gets a Retry-After, no process makes another call in that channel until it is over', async () => {
    const [one, other] = await openReplicas();
    let calls = 0;
    const limited: Call = {
      methods: ['chat.postMessage'],
      make: () => {
        calls++;
        throw new ChatError('limited', {
          next: 'retry',
          certain: true,
          method: 'chat.postMessage',
          code: 'ratelimited',
          retryAfterMs: 60_000,
        });
      },
    };
    // Both do the work that either adds.
    const senders = [
      await startSender(one, () => limited, { budgets: budgetsAt(1) }),
      await startSender(other, () => limited, { budgets: budgetsAt(1) }),
    ];
    for (let n = 0; n < 5; n++) await senders[n % 2]?.(await plan(one, `reply ${n}`));
    expect(calls).toBe(1);
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from not_before - clock_timestamp()) * 1000)::float8 as ms from work order by id`.execute(
      one.db,
    );
    const waits = rows.map(({ ms }) => ms);
    expect(waits).toHaveLength(5);
    expect(Math.min(...waits)).toBeGreaterThan(50_000);
    // The row that got the Retry-After keeps its place; the others follow one by one.
    expect([...waits].sort((a, b) => a - b)).toEqual(waits);
  });
});

test('acquiring a slot reads a few hundred of 20,000 waiting rows, so the workspace lock is held briefly', async () => {
  // Postgres counts the rows read per connection, so there is only one.
  const { database } = await bridgeDatabase(1);
  const { db } = database;
  const rowsRead = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: string }>`
      select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid) as read
      from pg_stat_user_tables t where schemaname = 'bridge' and relname = 'outbox'`.execute(db);
    return Number(rows[0]?.read);
  };
  await sql`
      insert into outbox (id, team_id, channel_id, kind, body, state, planned_at, not_before, waits_for)
      select 'out_' || n, ${TEAM}, 'C' || n % 50, case when n % 3 = 0 then 'card' else 'post' end, '{}', 'planned',
        ${clock.now()}::timestamptz - interval '1 hour', ${clock.now()}::timestamptz + n * interval '1 second',
        'chat.postMessage'
      from generate_series(1, 20000) n`.execute(db);
  await sql`analyze outbox`.execute(db);
  const row = await plan(database, 'mine', { kind: 'card' });
  const before = await rowsRead();
  expect(await turnOf(replicaOn(database), row)).toBeGreaterThan(0);
  const read = (await rowsRead()) - before;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(1_500);
});
