import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import { BUDGETS, budgetsAt } from '../../src/bridge/slack/limits.ts';
import { createInbox } from '../../src/bridge/inbox/store.ts';
import { finishEvents } from '../../src/bridge/inbox/finish.ts';
import { EventContext } from '../../src/bridge/inbox/event-context.ts';
import { createBridgeMetrics } from '../../src/bridge/metrics.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { openDatabase, transaction } from '../../src/platform/database/open.ts';
import { createJobs, enqueue, NewClaims } from '../../src/platform/jobs/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { paceKey } from '../../src/bridge/slack/ids.ts';
import { bindCopy, findByThread } from '../../src/bridge/threads/conversations.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { until } from '../harness/until.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-01T10:00:00.000Z');

type BridgeDatabase = ReturnType<typeof openDatabase<BridgeTables>>;

/** A database with a conversation of each name, which has a ticket. */
async function openConversations(names: readonly string[]) {
  const { database } = await bridgeDatabase(2);
  await database.db
    .insertInto('conversation')
    .values(
      names.map((id) => ({
        id,
        team_id: 'T1',
        channel_id: 'C1',
        thread_ts: id,
        ticket_id: `tkt_${id}`,
        created_at: NOW,
        active_at: NOW,
      })),
    )
    .execute();
  return database.db;
}

/** A stored reply in a thread. */
async function storedReply(ticket: string | null) {
  const { database } = await bridgeDatabase(4);
  const { db } = database;
  const place = { team_id: 'T1', channel_id: 'C1', ts: '1.2' };
  await db
    .insertInto('conversation')
    .values({
      id: 'cnv_1',
      team_id: 'T1',
      channel_id: 'C1',
      thread_ts: '1.1',
      ticket_id: ticket,
      created_at: NOW,
      active_at: NOW,
    })
    .execute();
  await db
    .insertInto('inbox')
    .values({
      id: 'inb_1',
      source: 'chat',
      kind: 'message',
      event_key: 'message:T1:C1:1.2:new',
      body: '{}',
      conversation_id: 'cnv_1',
      received_at: NOW,
    })
    .execute();
  const jobs = createJobs({ database, log });
  onTestFinished(() => jobs.stop(0));
  const storing = {
    database,
    clock: systemClock,
    newId: createIds(systemClock),
    claims: new NewClaims(),
    budgets: BUDGETS,
  };
  const bridge = {
    ...storing,
    inbox: createInbox(storing),
    log,
    metrics: createBridgeMetrics(createRegistry()),
  };
  await transaction(db, (tx) =>
    enqueue(tx, [{ queue: 'conversation', orderingKey: 'cnv_1', payload: { inbox: 'inb_1' } }]),
  );
  return { bridge, jobs, place };
}

/**
 * A stored reply in a ticket's thread, with a reaction that arrived before it, and a worker that processes
 * it.
 */
async function openReply(meanwhile: (database: BridgeDatabase) => Promise<void>) {
  const { bridge, jobs, place } = await storedReply('tkt_1');
  const { database } = bridge;
  await database.db
    .insertInto('chat_reaction')
    .values({
      ...place,
      chat_user_id: 'U1',
      name: 'eyes',
      event_ts: '5.5',
      present: true,
      received_at: NOW,
    })
    .execute();
  const seen: unknown[] = [];
  const link = { id: 'lnk_1', conversation_id: 'cnv_1', ticket_message_id: 'msg_1', ...place, version: '0' };
  jobs.work({
    queue: 'conversation',
    concurrency: 1,
    handle: async (job) => {
      seen.push(job.payload);
      if (seen.length > 1) return;
      await meanwhile(database);
      const row = { id: 'inb_1', kind: 'message', event: {}, conversationId: 'cnv_1', receivedAt: NOW };
      await new EventContext(bridge, job, row).finish('B12 reply', undefined, {
        link: { ...link, origin: 'chat' },
        notice: {
          queue: 'notice',
          orderingKey: 'ticket:tkt_1',
          payload: { ticket: 'tkt_1' },
          delayMs: 60_000,
        },
      });
    },
  });
  return { db: database.db, jobs, seen };
}

test.each([
  ['in one statement', undefined],
  ['with writes of its own', () => Promise.resolve()],
])(
  'B26 a reply is handled again if a card is recorded for its thread while it is handled: %s',
  async (_, write) => {
    const { bridge, jobs } = await storedReply(null);
    const { db } = bridge.database;
    const place = { team: 'T1', channel: 'C1', root: '1.1' };
    /** Resolves when the thread is bound; commits once another transaction waits for it. */
    const bind = () =>
      new Promise<void>((resolve, reject) => {
        transaction(db, async (tx) => {
          await bindCopy(tx, { id: 'cnv_1' }, 'tkt_1', { role: 'triage', party: undefined });
          resolve();
          await until('the end of the job waits', async () => {
            const { rows } = await sql`select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
            return rows.length > 0;
          });
        }).catch(reject);
      });
    const tickets: unknown[] = [];
    jobs.work({
      queue: 'conversation',
      concurrency: 1,
      handle: async (job) => {
        const conversation = await findByThread(db, place);
        tickets.push(conversation?.ticket_id);
        if (conversation?.ticket_id === null) await bind();
        const row = { id: 'inb_1', kind: 'message', event: {}, conversationId: 'cnv_1', conversation };
        const outcome = conversation?.ticket_id ? 'B26 a note' : 'no ticket here';
        await new EventContext(bridge, job, { ...row, receivedAt: NOW }).finish(outcome, write);
      },
    });
    await jobs.start();
    await jobs.onSettled(['conversation']);
    expect(tickets).toEqual([null, 'tkt_1']);
    const { rows } = await sql`select outcome from inbox`.execute(db);
    expect(rows).toEqual([{ outcome: 'B26 a note' }]);
  },
);

test('B52 the records of a message and the end of its job are one statement and one commit', async () => {
  const { db, jobs, seen } = await openReply(() => Promise.resolve());
  const { rows: before } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(db);
  await jobs.start();
  await jobs.onSettled(['conversation']);
  const { rows } = await sql<{ what: string; transaction: string }>`
    select 'link' as what, xmin::text as transaction from message_link where id = 'lnk_1' and ts = '1.2'
    union all select 'outcome', xmin::text from inbox where outcome = 'B12 reply' and done_at is not null
    union all select 'active', xmin::text from conversation where active_at > ${NOW}
    union all select 'notice', xmin::text from job where queue = 'notice' and payload ->> 'ticket' = 'tkt_1'`.execute(
    db,
  );
  expect(rows.map(({ what }) => what)).toEqual(['link', 'outcome', 'active', 'notice']);
  expect(new Set(rows.map((row) => row.transaction)).size).toBe(1);
  // The reaction that arrived before its message is forwarded next.
  expect(seen).toEqual([{ inbox: 'inb_1' }, { reacted: 'cnv_1', channel: 'C1', ts: '1.2' }]);
  expect(Number(rows[0]?.transaction)).toBeGreaterThan(Number(before[0]?.id));
});

test('B53 a worker that has lost its job records nothing of the message', async () => {
  const { db, jobs } = await openReply(async ({ db: other }) => {
    await sql`update job set worker = 'another', fence = fence + 1, lease_until = clock_timestamp() + interval '1 hour'
      where queue = 'conversation'`.execute(other);
  });
  await jobs.start();
  await expect
    .poll(async () => (await jobs.stats()).find(({ queue }) => queue === 'conversation')?.running)
    .toBe(1);
  await jobs.stop();
  const { rows } = await sql<{ links: number; done: number; notices: number; reacted: number }>`
    select (select count(*)::int from message_link) as links,
      (select count(*)::int from inbox where done_at is not null) as done,
      (select count(*)::int from job where queue = 'notice') as notices,
      (select count(*)::int from job where payload ->> 'reacted' is not null) as reacted`.execute(db);
  expect(rows).toEqual([{ links: 0, done: 0, notices: 0, reacted: 0 }]);
});

test('B53 B26 when several events end together, one whose job another worker claimed and one whose thread gained a ticket record nothing; the others are recorded in one commit, which also claims the next of their thread', async () => {
  const names = ['one', 'lost', 'gained', 'two'];
  const db = await openConversations(names);
  for (const id of names) {
    for (const ts of [`${id}.1`, `${id}.2`])
      await db
        .insertInto('inbox')
        .values({
          id: ts,
          source: 'chat',
          kind: 'message',
          event_key: `message:T1:C1:${ts}:new`,
          body: '{}',
          conversation_id: id,
          received_at: NOW,
        })
        .execute();
    await transaction(db, (tx) =>
      enqueue(
        tx,
        [`${id}.1`, `${id}.2`].map((inbox) => ({
          queue: 'conversation',
          orderingKey: id,
          payload: { inbox, author: 'U1' },
        })),
      ),
    );
  }
  await db
    .insertInto('person')
    .values({
      team_id: 'T1',
      chat_user_id: 'U1',
      name: 'Ada',
      is_bot: false,
      is_guest: false,
      read_at: NOW,
    })
    .execute();
  await sql`update job set state = 'running', worker = case ordering_key when 'lost' then 'another' else 'me' end,
    fence = 1, attempts = 1, lease_until = clock_timestamp() + interval '1 hour' where head`.execute(db);
  const heads = await db.selectFrom('job').select(['id', 'ordering_key']).where('head', '=', true).execute();
  const events = names.map((name) => ({
    event: `${name}.1`,
    outcome: 'B12 reply',
    untitled: name === 'gained' ? name : null,
    added: {
      link: {
        id: `lnk_${name}`,
        conversation_id: name,
        ticket_message_id: `msg_${name}`,
        origin: 'chat' as const,
        team_id: 'T1',
        channel_id: 'C1',
        ts: `${name}.1`,
        version: '0',
      },
    },
    ending: {
      id: heads.find(({ ordering_key }) => ordering_key === name)?.id ?? 0,
      queue: 'conversation',
      orderingKey: name,
      worker: 'me',
      fence: 1,
      nextLeaseMs: 60_000,
    },
  }));
  const { rows: ended } = await finishEvents(db, events, NOW);
  expect(ended.map((row) => row?.ended)).toEqual(['promoted', undefined, 'gained', 'promoted']);
  expect(ended[0]).toMatchObject({
    next: { payload: { inbox: 'one.2' } },
    stored: { id: 'one.2', isLinked: false, conversation: { id: 'one' }, author: { name: 'Ada' } },
  });
  const { rows } = await sql`
    select inbox.id, inbox.xmin = link.xmin as together, state, worker from inbox
      left join message_link link on link.conversation_id = inbox.conversation_id and ts = inbox.id
      left join job on payload ->> 'inbox' = inbox.id
    where done_at is not null or worker is not null order by inbox.id`.execute(db);
  expect(rows).toEqual([
    { id: 'gained.1', together: null, state: 'running', worker: 'me' },
    { id: 'lost.1', together: null, state: 'running', worker: 'another' },
    { id: 'one.1', together: true, state: null, worker: null },
    { id: 'one.2', together: null, state: 'running', worker: 'me' },
    { id: 'two.1', together: true, state: null, worker: null },
    { id: 'two.2', together: null, state: 'running', worker: 'me' },
  ]);
});

test('B48 an answer whose turn it is begins to be sent with the end of its event, and takes one slot; the next one waits', async () => {
  const names = ['one', 'two'];
  const db = await openConversations(names);
  await transaction(db, (tx) =>
    enqueue(
      tx,
      names.map((name) => ({ queue: 'conversation', orderingKey: name, payload: { mirror: `tkt_${name}` } })),
    ),
  );
  await sql`update job set state = 'running', worker = 'me', fence = 1, attempts = 1,
    lease_until = clock_timestamp() + interval '1 hour'`.execute(db);
  const jobs = await db.selectFrom('job').select(['id', 'ordering_key']).orderBy('id').execute();
  const keys = ['C1', '*'].map((place) => paceKey('T1', place, 'chat.postMessage'));
  // One call of the channel is due, and no other is saved up.
  await sql`insert into rate_limit (key, next_at) select key, clock_timestamp() from unnest(${keys}::text[]) as k (key)`.execute(
    db,
  );
  const events = jobs.map(({ id, ordering_key: name }) => ({
    event: null,
    outcome: 'mirrored',
    untitled: null,
    added: {
      planned: {
        links: [
          {
            id: `lnk_${name}`,
            conversation_id: name,
            ticket_message_id: `msg_${name}`,
            part: 0,
            team_id: 'T1',
            channel_id: 'C1',
            ts: null,
            origin: 'service' as const,
            version: '1',
            digest: 'd',
          },
        ],
        posts: [
          {
            id: `out_${name}`,
            conversation_id: name,
            team_id: 'T1',
            channel_id: 'C1',
            kind: 'post',
            link_id: `lnk_${name}`,
            body: '{}',
            ordering_key: name,
          },
        ],
        applied: undefined,
      },
    },
    ending: {
      id,
      queue: 'conversation',
      orderingKey: name,
      worker: 'me',
      fence: 1,
      nextLeaseMs: null,
    },
  }));
  const takers = JSON.stringify([{ queue: 'chat', slots: 2, worker: 'me', lease_ms: 60_000 }]);
  const { posts, claimed } = await finishEvents(db, events, NOW, { takers, budgets: budgetsAt(1) });
  expect(claimed.map(({ payload }) => payload)).toEqual([{ outbox: 'out_one' }, { outbox: 'out_two' }]);
  expect(Object.fromEntries(posts.map(({ row }) => [row.id, row.state]))).toEqual({
    out_one: 'sending',
    out_two: 'planned',
  });
  const { rows } = await sql<{ seconds: number }>`
    select round(extract(epoch from next_at - clock_timestamp()), 1)::float8 as seconds from rate_limit
    where key = ${keys[0]}`.execute(db);
  expect(rows[0]?.seconds).toBeGreaterThan(0.5);
  expect(rows[0]?.seconds).toBeLessThanOrEqual(1);
});
