import { sql } from 'kysely';
import { expect, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { PARTS } from '../../src/bridge/features/index.ts';
import { REACTED } from '../../src/bridge/features/reactions/forward.ts';
import { joinHooks } from '../../src/bridge/hooks.ts';
import { EventContext } from '../../src/bridge/inbox/event-context.ts';
import type { Added } from '../../src/bridge/inbox/finish.ts';
import { createBridgeMetrics } from '../../src/bridge/metrics.ts';
import { createSender } from '../../src/bridge/outbox/send.ts';
import { ChatError } from '../../src/bridge/slack/errors.ts';
import { paceKey } from '../../src/bridge/slack/ids.ts';
import { bindCopy, findByThread } from '../../src/bridge/store/conversations.ts';
import { linkMessage } from '../../src/bridge/store/links.ts';
import { planPosts } from '../../src/bridge/store/posts.ts';
import { conversationLane, EVENT, NOTIFY, SEND, workFor } from '../../src/bridge/work.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';
import { until } from '../harness/until.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-01T10:00:00.000Z');
const PLACE = { team_id: 'T1', channel_id: 'C1' };

/** A bridge with a conversation of each name, in each of which a reply is stored, with its work. */
async function storedReplies(names: readonly string[], ticketOf: (name: string) => string | null) {
  const { database } = await bridgeDatabase(6);
  const engine = bridgeEngine(database);
  await database.db
    .insertInto('conversation')
    .values(
      names.map((id) => ({
        ...PLACE,
        id,
        thread_ts: `${id}.1`,
        ticket_id: ticketOf(id),
        created_at: NOW,
        active_at: NOW,
      })),
    )
    .execute();
  await database.db
    .insertInto('inbox')
    .values(
      names.map((id) => ({
        id: `inb_${id}`,
        source: 'chat' as const,
        kind: 'message',
        event_key: `message:T1:C1:${id}.2:new`,
        body: '{}',
        conversation_id: id,
        received_at: NOW,
      })),
    )
    .execute();
  await engine.transaction(async (tx) =>
    tx.plan.add(...names.map((id) => workFor(EVENT, id, { inbox: `inb_${id}` }))),
  );
  const bridge: Bridge = {
    database,
    engine,
    clock: systemClock,
    log,
    metrics: createBridgeMetrics(createRegistry()),
    budgets: [{ method: 'chat.postMessage', per: 'channel', perMinute: 1 }],
    get hooks() {
      return joinHooks(PARTS.map((part) => part.hooks?.(bridge) ?? {}));
    },
  } as unknown as Bridge;
  return { bridge, engine, db: database.db };
}

const rowOf = (name: string) => ({
  id: `inb_${name}`,
  kind: 'message',
  event: {},
  conversationId: name,
  receivedAt: NOW,
});

/** What a reply in a conversation adds, which is named after its ticket. */
const addedBy = (name: string): Added => ({
  link: {
    ...PLACE,
    id: `lnk_${name}`,
    conversation_id: name,
    ticket_message_id: `msg_${name}`,
    ts: `${name}.2`,
    origin: 'chat',
  },
  notice: workFor(NOTIFY, `ticket:${name}`, { ticket: name }, { delayMs: 60_000 }),
});

/**
 * A stored reply in the thread of each ticket, each with a reaction that arrived before it, and an engine that works
 * them.
 */
async function openReplies(
  names: readonly string[],
  meanwhile: (db: Bridge['database']['db'], name: string) => Promise<unknown> = () => Promise.resolve(),
) {
  const { bridge, engine, db } = await storedReplies(names, (name) => name);
  await db
    .insertInto('chat_reaction')
    .values(
      names.map((name) => ({
        ...PLACE,
        ts: `${name}.2`,
        chat_user_id: 'U1',
        name: 'eyes',
        event_ts: '5.5',
        present: true,
        received_at: NOW,
      })),
    )
    .execute();
  const seen: unknown[] = [];
  engine.handle(EVENT, {
    work: async (work) => {
      seen.push(work.body);
      const name = work.body.inbox.replace('inb_', '');
      await meanwhile(db, name);
      return new EventContext(bridge, work, rowOf(name)).finish('reply', undefined, addedBy(name));
    },
  });
  engine.handle(REACTED, {
    work: async ({ body }) => {
      seen.push(body);
      return { outcome: 'forwarded' };
    },
  });
  return { db, engine, seen };
}

test.each([
  ['without writes of its own', undefined],
  ['with writes of its own', () => Promise.resolve()],
])(
  'B26 a reply is handled again if a card is recorded for its thread while it is handled: %s',
  async (_, write) => {
    const { bridge, engine, db } = await storedReplies(['1'], () => null);
    const thread = { team: 'T1', channel: 'C1', root: '1.1' };
    /** Resolves when the thread is bound; commits once another transaction waits for it. */
    const bind = () =>
      new Promise<void>((resolve, reject) => {
        engine
          .transaction(async (tx) => {
            await bindCopy(tx, { id: '1' }, 'tkt_1', { role: 'triage', party: undefined });
            resolve();
            await until('the end of the work waits', async () => {
              const { rows } = await sql`select from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
              return rows.length > 0;
            });
          })
          .catch(reject);
      });
    const tickets: unknown[] = [];
    engine.handle(EVENT, {
      work: async (work) => {
        const conversation = await findByThread(db, thread);
        tickets.push(conversation?.ticket_id);
        if (conversation?.ticket_id === null) await bind();
        const outcome = conversation?.ticket_id ? 'a note' : 'no ticket here';
        return new EventContext(bridge, work, { ...rowOf('1'), conversation }).finish(outcome, write);
      },
    });
    await engine.start();
    await engine.settled();
    expect(tickets).toEqual([null, 'tkt_1']);
    const { rows } = await sql`select outcome from inbox`.execute(db);
    expect(rows).toEqual([{ outcome: 'a note' }]);
  },
);

test('B52 the records of a message, the end of its work and what it adds are one commit', async () => {
  const { db, engine, seen } = await openReplies(['1']);
  const { rows: before } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(db);
  await engine.start();
  await engine.settled();
  const { rows } = await sql<{ what: string; transaction: string }>`
    select 'link' as what, xmin::text as transaction from message_link where id = 'lnk_1' and ts = '1.2'
    union all select 'outcome', xmin::text from inbox where outcome = 'reply' and done_at is not null
    union all select 'active', xmin::text from conversation where active_at > ${NOW}
    union all select 'notice', xmin::text from work where kind = ${NOTIFY.name} and body ->> 'ticket' = '1'
    union all select 'end', xmin::text from work where kind = ${EVENT.name} and done_at is not null`.execute(
    db,
  );
  expect(rows.map(({ what }) => what)).toEqual(['link', 'outcome', 'active', 'notice', 'end']);
  expect(new Set(rows.map((row) => row.transaction)).size).toBe(1);
  // The reaction that arrived before its message is forwarded next.
  expect(seen).toEqual([{ inbox: 'inb_1' }, { conversation: '1', channel: 'C1', ts: '1.2' }]);
  expect(Number(rows[0]?.transaction)).toBeGreaterThan(Number(before[0]?.id));
});

test('B53 an event whose lane another process has claimed meanwhile records and adds nothing; one that ends at the same time is recorded', async () => {
  const { db, engine } = await openReplies(['1', '2'], async (other, name) => {
    if (name === '2') return;
    await sql`update lane set leased_by = 'another', fence = nextval('lane_fence'),
      leased_until = clock_timestamp() + interval '1 hour' where key = ${conversationLane(name)}`.execute(
      other,
    );
    await until('the other event to be recorded', async () => {
      const { rows } = await sql`select from inbox where done_at is not null`.execute(other);
      return rows.length > 0;
    });
  });
  await engine.start();
  await expect
    .poll(async () => (await db.selectFrom('work').select('id').where('begins', '>', 0).execute()).length)
    .toBeGreaterThanOrEqual(2);
  await engine.stop();
  const { rows } = await sql`
    select (select array_agg(id) from message_link) as links,
      (select array_agg(id) from inbox where done_at is not null) as done,
      (select array_agg(body ->> 'ticket') from work where kind = ${NOTIFY.name}) as notices,
      (select array_agg(body ->> 'conversation') from work where kind = ${REACTED.name}) as reacted,
      (select array_agg(body ->> 'inbox') from work where kind = ${EVENT.name} and done_at is null) as undone`.execute(
    db,
  );
  expect(rows).toEqual([
    { links: ['lnk_2'], done: ['inb_2'], notices: ['2'], reacted: ['2'], undone: ['inb_1'] },
  ]);
});

/** Events in conversations of these names, each of which plans an answer, whose call is `make`. */
async function openAnswers(
  names: readonly string[],
  make: (id: string, db: Bridge['database']['db']) => Promise<string>,
) {
  const { bridge, engine, db } = await storedReplies(names, (name) => name);
  const part = (name: string) => ({
    ...PLACE,
    conversation_id: name,
    ticket_message_id: `msg_${name}`,
    part: 0,
    ts: null,
    origin: 'service' as const,
    version: '1',
    digest: 'd',
  });
  engine.handle(EVENT, {
    work: async (work) => {
      const name = work.body.inbox.replace('inb_', '');
      const link = { ...part(name), id: `lnk_${name}` };
      const place = { conversationId: name, team: 'T1', channel: 'C1' };
      const post = { kind: 'post' as const, link: link.id, text: '', blocks: [], thread: '1.1' };
      return new EventContext(bridge, work, rowOf(name)).finish('answered', async (tx) => {
        await linkMessage(tx, link);
        await planPosts(tx, { newId: () => `out_${name}`, clock: systemClock }, place, [post]);
      });
    },
  });
  const call = { methods: ['chat.postMessage'] as const, make: (id: string) => make(id, db) };
  const kind = { kind: 'post', rank: 'reply' as const, isMessage: true, call: async () => call };
  engine.handle(SEND, createSender(bridge, { kinds: [kind], writer: undefined as never }));
  return { engine, db };
}

test('B48 answers that events plan are sent each in its turn: where one call is due, one begins and takes the slot, and the other waits', async () => {
  const sent: string[] = [];
  const { engine, db } = await openAnswers(['1', '2'], async (id) => {
    sent.push(id);
    return '9.9';
  });
  // One call of the channel is due, and no other is saved up.
  const key = paceKey('T1', 'C1', 'chat.postMessage');
  await sql`insert into rate_limit (key, next_at) values (${key}, clock_timestamp())`.execute(db);
  await engine.start();
  await engine.settled();
  expect(sent).toHaveLength(1);
  const posts = await db.selectFrom('outbox').select(['id', 'state', 'waits_for']).execute();
  expect(posts.filter(({ state }) => state === 'sent').map(({ id }) => id)).toEqual(sent);
  expect(posts.filter(({ state }) => state === 'planned').map((one) => one.waits_for)).toEqual([
    'chat.postMessage',
  ]);
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from next_at - clock_timestamp())::float8 as seconds from rate_limit where key = ${key}`.execute(
    db,
  );
  expect(rows[0]?.seconds).toBeGreaterThan(30);
  expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
});

test('B53 a call that fails for a process whose lane another one has claimed meanwhile leaves the post as being sent', async () => {
  const { engine, db } = await openAnswers(['1'], async (_, other) => {
    await sql`update lane set leased_by = 'another', fence = nextval('lane_fence'),
      leased_until = clock_timestamp() + interval '1 hour'
      where key in (select lane from work where kind = ${SEND.name})`.execute(other);
    throw new ChatError('Slack could not be reached', { next: 'retry', certain: true });
  });
  await engine.start();
  await expect
    .poll(() => db.selectFrom('lane').select('key').where('leased_by', '=', 'another').execute())
    .toHaveLength(1);
  await engine.stop();
  expect(await db.selectFrom('outbox').select('state').execute()).toEqual([{ state: 'sending' }]);
});
