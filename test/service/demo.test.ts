import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { type Metric, type Route, routes, type Ticket, type User } from '../../src/contract/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { DEMO_TARGETS } from '../../src/service/demo/setup-data.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { startTestService } from './harness.ts';
import { startSession } from './signed-in.ts';
import { openTables } from './world.ts';

type Clocks = Pick<
  Ticket,
  'code' | 'queueId' | 'respondedAt' | 'firstReplyDueAt' | 'resolutionDueAt' | 'slaPausedAt'
>;

it('the demo is a workspace with people, linked channels and believable tickets, created once', async () => {
  const clock = new MovableClock();
  const { call } = await startTestService({
    clock,
    prepare: (service) => Promise.all([service.seedDemo(DEMO), service.seedDemo(DEMO)]),
  });
  const workspaces = (await call('GET', '/workspaces')).body.items as unknown as {
    slug: string;
    chatTriageChannels: unknown[];
  }[];
  expect(workspaces).toMatchObject([{ slug: 'acme' }]);
  expect(workspaces[0]?.chatTriageChannels).toMatchObject([
    { channelId: DEMO.channels.itHelp.id, type: 'REQUEST', queue: { name: 'IT' } },
    { channelId: DEMO.channels.itTriage.id, type: 'TRIAGE', private: true },
    { channelId: DEMO.channels.peopleHelp.id, type: 'REQUEST', queue: { name: 'People' } },
  ]);
  expect((await call('GET', `/users?chatUserId=${DEMO.people.ada.id}`)).body.items).toMatchObject([
    { firstName: 'Ada' },
  ]);
  const [it, ppl] = (await call('GET', '/queues')).body.items as unknown as {
    id: string;
    visibility: string;
  }[];
  expect([it?.visibility, ppl?.visibility]).toEqual(['workspace', 'team']);
  const users = (await call('GET', '/users')).body.items as unknown as User[];
  expect(
    users
      .filter(({ role }) => role !== 'requester')
      .map(({ firstName, role, queueIds }) => ({ firstName, role, queueIds })),
  ).toEqual([
    { firstName: 'Mira', role: 'admin', queueIds: [ppl?.id] },
    { firstName: 'Sam', role: 'agent', queueIds: [it?.id] },
    { firstName: 'Erik', role: 'agent', queueIds: [it?.id] },
  ]);
  // Requesters get a survey, as the tour shows (D12), and each queue has targets, counted in the office's hours.
  const settings = { enableCSAT: true, targets: { URGENT: { responseMinutes: 60, resolutionMinutes: 240 } } };
  expect((await call('GET', '/queues')).body.items).toMatchObject([{ settings }, { settings }]);
  expect((await call('GET', '/business-hours')).body.items).toMatchObject([{ isDefault: true }]);
  // The clocks of open tickets run, as if the operations had opened them; most of them are in time.
  const open = (await call('GET', '/tickets?openFilter=true&limit=100')).body.items as unknown as Clocks[];
  expect(open.length).toBeGreaterThan(15);
  for (const { respondedAt, firstReplyDueAt, resolutionDueAt, slaPausedAt, code } of open)
    expect([firstReplyDueAt === null, resolutionDueAt === null], code).toEqual(
      slaPausedAt === null ? [respondedAt !== null, false] : [true, true],
    );
  const late = open.filter(
    ({ resolutionDueAt }) => Date.parse(resolutionDueAt ?? '') < clock.now().getTime(),
  );
  expect(late.length).toBeLessThan(open.length / 2);
  // Setting the same targets again gives the same times.
  const put = async (targets: object | null) =>
    expect((await call('PUT', `/queues/${it?.id ?? ''}`, { body: { settings: { targets } } })).status).toBe(
      200,
    );
  const clocks = async () =>
    (await call('GET', `/tickets?openFilter=true&limit=100&queueId=${it?.id ?? ''}`)).body
      .items as unknown as Clocks[];
  const before = await clocks();
  await put(null);
  const isTimed = ({ resolutionDueAt, slaPausedAt }: Clocks) =>
    resolutionDueAt !== null || slaPausedAt !== null;
  await until('no clocks', async () => !(await clocks()).some(isTimed));
  await put(DEMO_TARGETS);
  await until('the clocks', async () => (await clocks()).every(isTimed));
  expect(await clocks()).toEqual(before);
  // Open tickets are the newest of each queue; seed.test.ts checks its history.
  const { items } = (await call('GET', '/tickets?limit=6')).body;
  expect(items.map(({ title }) => title)).toContain('Cannot open the finance share');
  // Whoever answered has the ticket; only new ones are nobody's.
  const { body: unassigned } = await call('GET', '/tickets?unassignedFilter=true');
  expect(unassigned.items.map(({ status }) => status.label)).toEqual(['Open', 'Open']);
});

/** What the demo's tickets of a queue say, as the admin reads it. */
interface Said {
  tickets: Ticket[];
  /** Their ids, references, and each of their texts. */
  texts: Set<string>;
}

it('the planner knows how many rows the demo has as soon as it is there', async () => {
  const running = await startTestService({ prepare: (service) => service.seedDemo(DEMO) });
  const { rows } = await sql<{ name: string; planned: number; stored: number }>`
    select 'ticket' as name, (select reltuples from pg_class where oid = 'ticket'::regclass) as planned,
      (select count(*)::integer from ticket) as stored
    union all
    select 'ticket_message', (select reltuples from pg_class where oid = 'ticket_message'::regclass),
      (select count(*)::integer from ticket_message)`.execute(openTables(running).db);
  for (const { name, planned, stored } of rows) expect([name, planned]).toEqual([name, stored]);
});

it('Sam, of IT, finds nothing of a ticket of People in any list, search, count or number', async () => {
  const running = await startTestService({ prepare: (service) => service.seedDemo(DEMO) });
  const { call, workspaceId } = running;
  const sam = (await call('GET', `/users?chatUserId=${DEMO.people.sam.id}`)).body.items[0]?.id ?? '';
  const { token } = await startSession(openTables(running).db, workspaceId, sam);
  const read = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await call(method, path, { token, ...(body && { body }) });
    return { status: answer.status, body: answer.body, text: JSON.stringify(answer.body) };
  };
  const said = async (prefix: string): Promise<Said> => {
    const queue = (await call('GET', `/queues?search=${prefix}`)).body.items[0]?.id ?? '';
    const tickets = (await call('GET', `/tickets?limit=1000&queueId=${queue}`)).body
      .items as unknown as Ticket[];
    const ids = new Set(tickets.map(({ id }) => id));
    const { items } = (await call('GET', '/ticket-messages?limit=10000')).body;
    const messages = items.filter(({ ticketId }) => ids.has(ticketId));
    return {
      tickets,
      texts: new Set([
        ...tickets.flatMap(({ id, code, title, description }) => [id, code, title ?? '', description ?? '']),
        ...messages.flatMap(({ id, content }) => [id, content]),
      ]),
    };
  };
  const [people, it] = [await said('PPL'), await said('IT')];
  expect([people.tickets.length > 40, it.tickets.length > 100]).toEqual([true, true]);
  // Both teams say "Here it is."
  const secrets = [...people.texts]
    .filter((text) => text && !it.texts.has(text))
    .map((text) => JSON.stringify(text).slice(1, -1));
  const found = (text: string) => secrets.filter((secret) => text.includes(secret));

  const lists = (Object.values(routes) as Route[]).flatMap(({ method, path, params, query }) =>
    method !== 'GET' || params || (query && !query.safeParse({}).success)
      ? []
      : [`${path}${query?.safeParse({ limit: 1000 }).success ? '?limit=1000' : ''}`],
  );
  for (const path of [...lists, '/tickets?limit=1000&includeArchived=true&responseType=thin']) {
    const { status, text } = await read('GET', path);
    expect([path, [200, 403].includes(status), found(text)]).toEqual([path, true, []]);
  }
  const all = await read('GET', '/tickets?limit=1000');
  expect(all.body.totalCount).toBe(it.tickets.length);
  // One that is there is found.
  expect(found(JSON.stringify((await call('GET', '/tickets?limit=1000')).body))).not.toEqual([]);

  // By what each ticket is called, as words, by meaning, and as what is similar to one of his own.
  const own = it.tickets[0]?.id ?? '';
  for (const title of new Set(people.tickets.map(({ title: each }) => encodeURIComponent(each ?? '')))) {
    const words = await read('GET', `/tickets?search=${title}&limit=100`);
    const best = await read('GET', `/tickets/semantic-search?query=${title}&limit=20`);
    const similar = await read(
      'GET',
      `/tickets/semantic-search?query=${title}&excludeTicketId=${own}&limit=20`,
    );
    const asked = decodeURIComponent(title);
    expect(
      [asked, words, best, similar].map((each) => (typeof each === 'string' ? each : found(each.text))),
    ).toEqual([asked, [], [], []]);
  }
  for (const { id, code } of people.tickets.slice(0, 20))
    for (const path of [id, code, `${id}/activity`, `${id}/files`, `${id}/draft`])
      expect([path, (await read('GET', `/tickets/${path}`)).status]).toEqual([path, 404]);

  const [{ queueId } = { queueId: '' }] = people.tickets;
  const counted = await read('POST', '/tickets/counts', {
    filters: [{}, { queueId }, { search: 'payslip' }].map((query, at) => ({ key: `${at}`, query })),
  });
  expect(
    (counted.body as unknown as { counts: { count: number }[] }).counts.map(({ count }) => count),
  ).toEqual([it.tickets.length, 0, 0]);
  const queues = (await read('GET', '/queues')).body.items as unknown as { id: string; _count: object }[];
  expect(queues.find(({ id }) => id === queueId)?._count).toEqual({ tickets: 0 });
  for (const groupBy of [
    'queueId',
    'requestTypeId',
    'assigneeId',
    'requesterId',
    'tags',
    'createdAt',
  ] as const) {
    const metric = await read('POST', '/analytics/preview-metric', {
      workspaceId,
      query: { dataSource: 'Ticket', groupBy, limit: 1000, aggregations: [{ type: 'count', field: 'id' }] },
    });
    expect([groupBy, metric.status]).toEqual([groupBy, 200]);
    const own = new Set(it.tickets.flatMap((ticket) => groupsOf(ticket)));
    const groups = (metric.body as unknown as Metric).data.filter(({ value }) => value > 0);
    if (groupBy !== 'createdAt')
      expect([groupBy, groups.filter(({ groupId }) => !own.has(groupId ?? ''))]).toEqual([groupBy, []]);
    if (groupBy !== 'tags')
      expect([groupBy, groups.reduce((sum, { value }) => sum + value, 0)]).toEqual([
        groupBy,
        it.tickets.length,
      ]);
  }
});

/** Every group that analytics may put a ticket in. */
const groupsOf = ({ queueId, requestTypeId, assigneeId, requesterId, tags }: Ticket): string[] => [
  ...[queueId, requestTypeId, assigneeId, requesterId].map((id) => id ?? ''),
  ...tags.map(({ id }) => id),
];
