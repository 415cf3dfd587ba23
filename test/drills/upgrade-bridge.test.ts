import pg from 'pg';
import { expect, test } from 'vitest';

import { migrations as STEPS } from '../../src/bridge/schema/migrations.ts';
import { DEMO } from '../../src/demo.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { assertHistory } from '../harness/history-of.ts';
import { connected, openSchema } from '../harness/schema.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { runCli, startProcess, type World } from '../harness/world.ts';
import { ROWS } from './upgrade-rows.ts';

/** Without a card for the team, whose edits would be waited for at chat's pace as well. */
const CHANNEL = 'people-help';
/** Steps after which there is something to hold: all but the first, which has lanes alone, and the newest. */
const EARLIER = STEPS.slice(1, -1).map(({ name }) => name);
/** How far the post of an answer had come when its version was stopped. */
const POSTS = ['planned', 'begun', 'posted'] as const;

/** A conversation that a version of that step had; its reply and its answer are still to cross. */
interface Held {
  step: string;
  post: (typeof POSTS)[number];
  root: string;
  ticket: string;
  reply: { ts: string; text: string };
  answer: { id: string; version: string; text: string };
}

test(
  'F12 a bridge of today finishes what every earlier version had begun: each reply and each post crosses once, and what was parked stays',
  { timeout: 400_000 },
  async () => {
    const world = await startProcess();
    const { chat, service, environment } = world;
    const { bot, channels } = await chat.state();
    const channel = channels[CHANNEL] ?? '';
    const roots: string[] = [];
    for (const step of EARLIER) roots.push((await chat.say(CHANNEL, 'ada', `<@${bot}> since ${step}`)).ts);
    const tickets: string[] = [];
    for (const root of roots) tickets.push((await ticketAt(service, root)).id);
    await world.quiet();
    const database = await connected(environment['DATABASE_URL'] ?? '');
    const known = await conversations(database);
    const event = await sampleEvent(database, roots[0] ?? '');
    await world.stop();

    // Both sides go on while no bridge runs: what a version took in, or planned, before it was stopped.
    const others = [
      await startProcess(environment, ['sandbox']),
      await startProcess(environment, ['service']),
    ];
    const held: Held[] = [];
    for (const [at, step] of EARLIER.entries()) {
      const [root = '', ticket = ''] = [roots[at], tickets[at]];
      const reply = await chat.say(CHANNEL, 'ada', `a reply of ${step}`, root);
      const text = `an answer of ${step}`;
      const answer = await service.createTicketMessage({ body: { ticketId: ticket, content: text } });
      const post = POSTS[at % POSTS.length] ?? 'planned';
      held.push({
        step,
        post,
        root,
        ticket,
        reply,
        answer: { id: answer.id, version: answer.updatedAt, text },
      });
      // Chat took it, and its version was stopped before it had written that down.
      if (post === 'posted') await postAsBot(world, channel, root, text, `out_${step}`, answer.id);
    }
    for (const other of others) await other.stop();

    await database.query('drop schema bridge cascade');
    const bridge = openSchema(environment['DATABASE_URL'] ?? '', 'bridge');
    for (const [at, step] of STEPS.entries()) {
      if (at === STEPS.length - 1) break;
      await migrate(bridge, STEPS.slice(0, at + 1));
      await database.query('set search_path = bridge');
      const one = held.find((each) => each.step === step.name);
      const conversation = one && known.find(({ ticket_id }) => ticket_id === one.ticket);
      if (one && conversation) await hold(database, one, conversation, event);
      await database.query(ROWS[step.name] ?? '');
    }
    expect(await emptyTables(database), 'tables without a row of before').toEqual([]);
    const rowsBefore = await rowCounts(database);

    await world.restart();
    // The service's webhooks of meanwhile may wait to be delivered again: nothing here depends on them.
    await until('chat to have told everything', async () => (await chat.state()).undelivered === 0);
    await world.idle();

    for (const { step, root, ticket, reply, answer } of held) {
      const thread = await chat.thread(CHANNEL, root);
      const words = thread.map(({ text }) => text).filter((text) => text.includes(' of '));
      expect(words.sort(), step).toEqual([reply.text, answer.text].sort());
      const { items } = await service.listTicketMessages({ query: { ticketId: ticket } });
      expect(items.map(({ content }) => content).sort(), step).toEqual([reply.text, answer.text].sort());
    }
    // By the rows of before, not by a comparison that made up for their loss.
    const { rows: posts } = await database.query(
      `select id, state from outbox where id like 'out\\_%-%' and id not like '%parked' order by id`,
    );
    expect(posts).toEqual(held.map(({ step }) => ({ id: `out_${step}`, state: 'sent' })).sort(byId));
    const { rows: worked } = await database.query(
      `select id, done_at is not null as done, repeats > 0 as again from inbox where id like 'inb\\_%-%' order by id`,
    );
    expect(worked).toEqual(
      held.map(({ step }) => ({ id: `inb_${step}`, done: true, again: true })).sort(byId),
    );
    const { code, out } = await runCli(['parked', 'list'], environment);
    expect(code).toBe(0);
    for (const { step } of held) expect(out).toContain(`parked at ${step}`);
    const rowsAfter = await rowCounts(database);
    // Jobs end, and the sweep takes a mark away that no pending message stands behind, as that of the planted row (B47).
    for (const [table, count] of Object.entries(rowsBefore))
      if (table !== 'job' && table !== 'receipt')
        expect(rowsAfter[table], table).toBeGreaterThanOrEqual(count);

    // What was linked by each version is known as such: its edit, or its deletion, reaches the post that carries it. Half
    // of them each, as chat paces the two apart.
    const isEdited = (at: number) => at % 2 === 0;
    for (const [at, { answer }] of held.entries())
      if (isEdited(at))
        await service.updateTicketMessage({
          params: { id: answer.id },
          body: { content: `${answer.text}!` },
        });
      else await service.deleteTicketMessage({ params: { id: answer.id } });
    for (const [at, { step, root, answer }] of held.entries()) {
      const shown = async () =>
        (await chat.thread(CHANNEL, root))
          .map(({ text }) => text)
          .filter((text) => text.startsWith(answer.text));
      await until(
        `the edit or deletion of ${step} to be shown`,
        async () => (await shown()).join() === (isEdited(at) ? `${answer.text}!` : ''),
        { withinMs: 60_000, seen: shown },
      );
    }
    await world.idle();
    await assertHistory(world);
    world.leaveUncompared(
      'it is, above: what the service could not tell while it was stopped it tells minutes later',
    );
  },
);

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** What the version of that step had stored: in columns that the first version had too, so every later one wrote them. */
async function hold(
  database: pg.Client,
  { step, post, root, ticket, reply, answer }: Held,
  known: Known,
  event: Envelope,
): Promise<void> {
  const { team_id: team, channel_id: channel } = known;
  const conversation = `cnv_${step}`;
  await database.query(
    `insert into conversation (id, team_id, channel_id, root_ts, ticket_id, description_ts, title, applied_until, created_at)
       values ($1, $2, $3, $4, $5, $4, $6, $7, clock_timestamp())`,
    [conversation, team, channel, root, ticket, known.title, known.applied_until],
  );
  await database.query(`insert into card (conversation_id, channel_id, ts) values ($1, $2, $3)`, [
    conversation,
    channel,
    known.card_ts,
  ]);
  const told = {
    ...event.event,
    text: reply.text,
    ts: reply.ts,
    event_ts: reply.ts,
    thread_ts: root,
    blocks: [],
  };
  await database.query(
    `insert into inbox (id, source, event_key, kind, conversation_id, body, received_at)
       values ($1, 'chat', $2, 'message', $3, $4, clock_timestamp())`,
    [
      `inb_${step}`,
      `message:${team}:${channel}:${reply.ts}:new`,
      conversation,
      { ...event, event_id: `Ev${step}`, event: told },
    ],
  );
  await addJob(database, 'conversation', conversation, { inbox: `inb_${step}` });
  await database.query(
    `insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, origin, version)
       values ($1, $2, $3, $4, $5, 'service', $6)`,
    [`lnk_${step}`, conversation, answer.id, team, channel, answer.version],
  );
  const body = { kind: 'post', link: `lnk_${step}`, text: answer.text, blocks: [], thread: root };
  const insertRow = (id: string, state: string, content: object) =>
    database.query(
      `insert into outbox (id, conversation_id, team_id, channel_id, kind, body, state, sending_since, planned_at)
         values ($1, $2, $3, $4, $5, $6, $7, case when $7 = 'sending' then clock_timestamp() - interval '1 minute' end, clock_timestamp())`,
      [id, conversation, team, channel, 'post', content, state],
    );
  await insertRow(`out_${step}`, post === 'planned' ? 'planned' : 'sending', body);
  await addJob(database, 'chat', conversation, { outbox: `out_${step}` });
  await insertRow(`out_${step}_parked`, 'parked', { kind: 'line', text: 'never said', thread: root });
  await database.query(
    `insert into job (queue, key, payload, state, head, run_at, last_error, parked_at)
       values ('chat', $1, $2, 'parked', false, clock_timestamp(), $3, clock_timestamp())`,
    [conversation, { outbox: `out_${step}_parked` }, `parked at ${step}`],
  );
}

async function addJob(database: pg.Client, queue: string, key: string, payload: object): Promise<void> {
  await database.query(
    `insert into job (queue, key, payload, head, run_at) values ($1, $2, $3, true, clock_timestamp())`,
    [queue, key, payload],
  );
}

interface Known {
  ticket_id: string;
  team_id: string;
  channel_id: string;
  title: string | null;
  applied_until: Date | null;
  card_ts: string | null;
}

async function conversations(database: pg.Client): Promise<Known[]> {
  const { rows } = await database.query<Known>(
    `select c.ticket_id, c.team_id, c.channel_id, c.title, c.applied_until, k.ts as card_ts
       from bridge.conversation c join bridge.card k on k.conversation_id = c.id
      where c.role = 'request' and c.ticket_id is not null`,
  );
  return rows;
}

interface Envelope {
  event: Record<string, unknown>;
}

/** An event of chat as it is stored; replies differ from it in words and place only. */
async function sampleEvent(database: pg.Client, ts: string): Promise<Envelope> {
  const { rows } = await database.query<{ body: Envelope }>(
    `select body from bridge.inbox where source = 'chat' and event_key like $1`,
    [`message:%:${ts}:new`],
  );
  const [row] = rows;
  if (!row) throw new Error('the first message was not stored');
  return row.body;
}

async function postAsBot(
  { urls }: World,
  channel: string,
  thread: string,
  text: string,
  id: string,
  message: string,
): Promise<void> {
  const metadata = { event_type: 'deskbridge_post', event_payload: { id, message } };
  const answer = await fetch(`${urls.sandbox}/api/chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${DEMO.app.botToken}` },
    body: JSON.stringify({ channel, thread_ts: thread, text, metadata }),
  });
  expect(await answer.json()).toMatchObject({ ok: true });
}

async function tablesOf(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'bridge' order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function rowCounts(database: pg.Client): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of await tablesOf(database)) {
    const { rows } = await database.query<{ count: string }>(
      `select count(*) from bridge.${pg.escapeIdentifier(name)}`,
    );
    counts[name] = Number(rows[0]?.count);
  }
  return counts;
}

async function emptyTables(database: pg.Client): Promise<string[]> {
  return Object.entries(await rowCounts(database)).flatMap(([name, count]) => (count === 0 ? [name] : []));
}
