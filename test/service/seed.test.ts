import { expect, it } from 'vitest';

import {
  type Route,
  routes,
  type TargetReport,
  type TicketWarning,
  type User,
} from '../../src/contract/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { DEMO_WORKFLOWS } from '../../src/service/demo/setup-data.ts';
import { actionNamed } from '../../src/service/workflow-config/catalogue.ts';
import { TEMPLATES } from '../../src/service/workflow-config/templates.ts';
import { openTables } from './world.ts';
import { type Body, startTestService } from './harness.ts';
import { MovableClock } from './clock.ts';
import { expectIndexed } from './search/indexed.ts';

const DAY_MS = 24 * 60 * 60_000;

async function seeded(clock = new MovableClock()) {
  const running = await startTestService({ clock, prepare: (service) => service.seedDemo(DEMO) });
  const { items } = (await running.call('GET', '/tickets?limit=1000&sortBy=createdAt&sortDirection=asc'))
    .body;
  return { ...running, clock, items };
}

it('two hundred tickets over ninety days tell one story: times and numbers are in order', async () => {
  const { call, clock, items } = await seeded();
  expect(items).toHaveLength(200);
  const now = clock.now().getTime();
  const oldest = Math.min(...items.map(({ createdAt }) => Date.parse(createdAt)));
  expect(Math.round((now - oldest) / DAY_MS)).toBeGreaterThan(80);
  expect(now - oldest).toBeLessThan(91 * DAY_MS);
  for (const queue of new Set(items.map(({ queueId }) => queueId))) {
    const numbers = items.filter(({ queueId }) => queueId === queue).map(({ number }) => number);
    expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1));
  }
  for (const ticket of items) {
    const { createdAt, respondedAt, resolvedAt, closedAt, updatedAt } = ticket;
    const times = [createdAt, respondedAt, resolvedAt, closedAt, updatedAt].filter((time) => time !== null);
    expect([...times].sort(), ticket.code).toEqual(times);
    expect(Date.parse(updatedAt), ticket.code).toBeLessThanOrEqual(now);
    const { label } = ticket.status;
    expect([resolvedAt !== null, closedAt !== null], ticket.code).toEqual([
      label === 'Done' || label === 'Closed',
      label === 'Closed',
    ]);
  }
  const { items: messages } = (await call('GET', '/ticket-messages?limit=2000')).body;
  expect(messages.length).toBeGreaterThan(300);
  expect(messages.filter(({ content }) => content === '' || content.includes('{'))).toEqual([]);
  expect(items.filter(({ title, description }) => /[{}]/.test(title + description))).toEqual([]);
});

it('the next ticket of each queue has the next number, and can be answered; all words are indexed', async () => {
  const running = await seeded();
  const { service, call, items } = running;
  await expectIndexed(openTables(running).db, 'the demo');
  for (const prefix of ['IT', 'PPL']) {
    const queueId = items.find(({ code }) => code.startsWith(`${prefix}-`))?.queueId;
    const expected = await service.nextReference(prefix);
    const made = await call('POST', '/tickets', { body: { title: 'Next', queueId } });
    expect([made.status, made.body.code]).toEqual([200, expected]);
    const sent = await call('POST', '/ticket-messages', { body: { ticketId: expected, content: 'Hello' } });
    expect(sent.status).toBe(200);
  }
});

it('the story is the same on every day', async () => {
  const later = new MovableClock();
  later.pass(11 * DAY_MS + 5 * 60 * 60_000);
  const told = ({ items }: { items: Body[] }) =>
    items.map(({ title, description }) => `${title}: ${description}`).sort();
  const [first, second] = [await seeded(), await seeded(later)];
  expect(told(second)).toEqual(told(first));
  expect(await second.service.nextReference('IT')).toBe(await first.service.nextReference('IT'));
});

it('the tables are as the operations would leave them: every reference, message and rating belongs to a ticket', async () => {
  const running = await seeded();
  const { db } = openTables(running);
  const count = async (table: 'ticket' | 'ticket_reference') =>
    (await db.selectFrom(table).select(db.fn.countAll<string>().as('rows')).executeTakeFirstOrThrow()).rows;
  expect(await count('ticket_reference')).toBe(await count('ticket'));
  const queues = await db.selectFrom('queue').select(['id', 'last_number']).execute();
  for (const { id, last_number } of queues)
    expect(running.items.filter(({ queueId }) => queueId === id)).toHaveLength(last_number);
  const ratings = await db.selectFrom('csat').select('score').execute();
  expect(ratings.length).toBeGreaterThan(20);
});

it('the desks are set up: request types with forms, AI agents with their knowledge, workflows of real actions, applications', async () => {
  const { call, items } = await seeded();
  const list = async (path: string) =>
    (await call('GET', path)).body.items as unknown as Record<string, unknown>[];
  const forms = await list('/forms');
  expect(forms.length).toBeGreaterThanOrEqual(10);
  for (const form of forms) expect(form['customFields'], String(form['name'])).not.toEqual([]);
  const types = await list('/request-types?type=request-type');
  expect(types).toHaveLength(14);
  const named = new Set(types.map(({ id }) => id));
  const typed = (items as unknown as { requestTypeId: string | null }[]).filter(
    ({ requestTypeId }) => requestTypeId,
  );
  expect(typed.length).toBeGreaterThan(190);
  expect(typed.every(({ requestTypeId }) => named.has(requestTypeId))).toBe(true);
  expect(await list('/canned-replies')).toHaveLength(4);
  expect(await list('/agents')).toMatchObject([
    { name: 'Patch', kBs: [{ name: 'IT handbook' }] },
    { name: 'Robin', kBs: [{ name: 'People handbook' }] },
  ]);
  for (const { steps } of DEMO_WORKFLOWS)
    for (const [, action, inputs = {}] of Object.values(steps)) {
      const keys = actionNamed(action)?.inputs.map(({ key }) => key);
      expect(keys, action).toEqual(expect.arrayContaining(Object.keys(inputs)));
    }
  const drafts = await list('/workflows?isTemplate=false');
  expect(drafts.map(({ state }) => state)).toEqual(['Draft', 'Draft']);
  for (const draft of drafts) {
    const { status } = await call('PUT', `/workflows/${String(draft['id'])}`, {
      body: { name: draft['name'], state: 'Active' },
    });
    expect([draft['name'], status]).toEqual([draft['name'], 200]);
  }
  expect(await list('/workflows?isTemplate=true')).toHaveLength(TEMPLATES.length);
});

it('every list returns the demo according to its closed schema', async () => {
  const { call } = await seeded();
  for (const [name, { method, path, params, query }] of Object.entries(routes) as [string, Route][]) {
    // A key has no session.
    if (method !== 'GET' || params || name === 'readSession') continue;
    if (query && !query.safeParse({}).success) continue;
    const { status, body } = await call('GET', path);
    expect([name, status, status === 200 ? '' : body]).toEqual([name, 200, '']);
  }
});

it('targets have a past: most were met, some missed, time was held, somebody was warned, and a colleague is away', async () => {
  const running = await seeded();
  const { call, clock, items } = running;
  const now = clock.now().getTime();
  const to = clock.now().toISOString();
  const from = new Date(now - 90 * DAY_MS).toISOString();
  const report = (await call('GET', `/target-report?from=${from}&to=${to}&groupBy=queue`))
    .body as unknown as TargetReport;
  for (const { groupName, firstReply, resolution, heldMinutes, openMinutes } of report.groups) {
    for (const { attained, missed } of [firstReply, resolution])
      expect(attained / (attained + missed), groupName ?? '').toBeGreaterThan(0.6);
    expect([heldMinutes > 0, openMinutes > 0], groupName ?? '').toEqual([true, true]);
  }
  const missed = report.breaches.filter(({ minutes, openMinutes }) => openMinutes > minutes);
  expect([report.breaches.length > 5, missed.length]).toEqual([true, report.breaches.length]);

  const warnings = (await call('GET', '/ticket-warnings?limit=100')).body.items as unknown as TicketWarning[];
  expect(warnings.length).toBeGreaterThan(0);
  for (const { ticketId, createdAt } of warnings) {
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(now);
    const ticket = items.find(({ id }) => id === ticketId);
    expect([ticket?.resolvedAt, ticket?.status.label]).toEqual([null, 'In Progress']);
  }
  const { db } = openTables(running);
  const told = await db.selectFrom('notification').select(['source_id', 'kind']).execute();
  expect(new Set(told.map(({ source_id }) => source_id))).toEqual(new Set(warnings.map(({ id }) => id)));
  // What comes next is told when it comes.
  const planned = await db.selectFrom('ticket').select('warn_at').where('warn_at', 'is not', null).execute();
  expect(planned.length).toBeGreaterThan(3);
  for (const { warn_at: at } of planned) expect(at?.getTime()).toBeGreaterThan(now);

  const users = (await call('GET', '/users')).body.items as unknown as User[];
  const away = users.filter(({ absence }) => absence);
  expect(away.map(({ firstName }) => firstName)).toEqual(['Erik']);
  expect(Date.parse(away[0]?.absence?.from ?? '')).toBeLessThan(now);
  expect(Date.parse(away[0]?.absence?.until ?? '')).toBeGreaterThan(now + 6 * DAY_MS);
});
