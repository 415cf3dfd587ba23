import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { LIMITS, type Route, type RouteName, routes } from '../../src/contract/index.ts';
import { sessionCookie } from '../harness/sign-in.ts';
import { type ProcessWorld, startProcess } from '../harness/world.ts';
import { caller, type Running } from '../service/harness.ts';
import { createWorld, openTables, pathOf, type Sample, SAMPLES } from '../service/world.ts';
import { drawn, LONG, SEED } from './drill.ts';
import { copyRow } from './harness/copied-rows.ts';
import { FILLS } from './harness/largest.ts';
import {
  contractRoute,
  type Large,
  largestBody,
  largestQueries,
  type LargeWorld,
  shapedBodies,
  without,
} from './harness/largest-requests.ts';
import { otherRequests } from './harness/other-requests.ts';
import { createWatch, type Held, type ServedRoute, type Watch } from './harness/watched.ts';

const TURN_MS = 100;
const HEAP_BYTES = 64 * 1024 * 1024;
/**
 * A busy machine, or code that is compiled at that moment, makes a request slower, but not each time. What is too slow
 * itself is so at every try.
 */
const TRIES = 8;
/**
 * The list with the largest records, asked for by one caller so often at once; some of the answers are held together.
 */
const AT_ONCE = {
  name: 'listTicketMessages',
  times: 12,
  heapBytes: 2 * HEAP_BYTES,
} as const;
/** Of so many routes of the desk's the short form tries one. */
const DESK_ROUTES_OF = 4;
/** Fields that the service may refuse of one body, for what is stored; it is sent again without them. */
const MOST_REFUSED = 40;

interface Measured extends Held {
  route: string;
  what: string;
  status: number;
  text: string;
}

test('no request of any route holds the event loop for more than 100 ms, or takes more than 64 MB: the largest bodies, and reads of the largest records', async () => {
  const watch = await createWatch();
  const world = await startProcess({
    ...watch.environment,
    SANDBOX_TRANSPORT: 'http',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    RATE_LIMIT_PER_MINUTE: '1000000',
    // The copied rows would be compared with chat, and each request would wait for that.
    RECONCILE_EVERY_SECONDS: '3600',
  });
  world.skipComparison('rows are copied in the database');
  const running = await runningOf(world);
  const large = await largeWorld(running);
  const cookie = await sessionCookie(world);
  const served = await watch.routes(Number(new URL(world.urls.root).port));
  const all = new Measurements(watch, world);
  const callers = [
    { prefix: '/api', headers: { 'x-service-api-token': world.apiKey } },
    { prefix: '/desk/api', headers: { cookie, 'sec-fetch-site': 'same-origin' } },
  ];
  const known = callers.flatMap((one) => {
    const own = served.flatMap((route) => routeOf(route, one) ?? []);
    // The desk's routes are the API's, with another way to sign in.
    return one.prefix === '/api' ? own : drawn(own, DESK_ROUTES_OF);
  });

  const measureSample = (route: KnownRoute) => {
    const sample = SAMPLES[route.name](large);
    return all.measure(route.route, () =>
      requestOf(route, 'the sample', sample, JSON.stringify(sample.body ?? {})),
    );
  };

  // Before others deactivate or delete the workflow, and change who may read the ticket.
  for (const route of known.filter(({ name }) => OF_ACTIVE_WORKFLOW.has(name))) await measureSample(route);
  for (const route of known.filter(({ method, name }) => method !== 'DELETE' && hasBody(name))) {
    for (const fill of some(Object.keys(FILLS), all.count))
      await sendLargest(all, route, fill, running, large);
    if (route.prefix === '/api' || LONG)
      for (const { what, body } of shapedBodies(route.name, large))
        if (LONG || what.startsWith('many keys'))
          await all.measure(route.route, () => requestOf(route, what, SAMPLES[route.name](large), body));
  }
  // What has a version refuses the largest body of all fields: it does its work with the sample.
  for (const route of known.filter(({ name, method }) => method !== 'DELETE' && hasBody(name)))
    if (!all.measured.some((one) => one.route === route.route && one.status < 300))
      await measureSample(route);
  await fillLists(running);
  for (const route of known.filter(({ method }) => method === 'GET'))
    for (const { what, sample } of queriesOf(route, large, all.count))
      await all.measure(route.route, () => requestOf(route, what, sample));
  for (const route of known.filter(({ name, prefix }) => name === AT_ONCE.name && prefix === '/api')) {
    const sample = { query: { ...SAMPLES[route.name](large).query, limit: String(LIMITS.list.maxLimit) } };
    const what = `all records, ${AT_ONCE.times} times at once`;
    const request = { ...requestOf(route, what, sample), times: AT_ONCE.times };
    await all.measure(route.route, () => request, AT_ONCE.heapBytes);
  }
  const isKnown = (one: ServedRoute) => callers.some((each) => routeOf(one, each));
  const others = served.filter((one) => !isKnown(one));
  const lacking: string[] = [];
  for (const route of new Set(others.map(nameOf))) {
    const requests = await otherRequests(route, { world, large, cookie, running });
    if (!requests) lacking.push(route);
    for (const request of requests ?? [])
      await all.measure(route, typeof request === 'function' ? request : () => request);
  }
  const bodiless = known.filter(
    ({ method, name }) => method !== 'GET' && method !== 'DELETE' && !hasBody(name),
  );
  for (const route of [...bodiless, ...known.filter(({ method }) => method === 'DELETE')]) {
    await all.measure(route.route, async () => {
      // Tickets have the others.
      const requestType =
        route.name === 'deleteRequestType' ? await newRequestType(running) : large.requestType;
      const sample = SAMPLES[route.name](Object.assign({}, large, { requestType }));
      const body = hasBody(route.name) ? JSON.stringify(sample.body ?? {}) : undefined;
      return requestOf(route, 'the sample', sample, body);
    });
  }

  const slowest = all.measured.toSorted((a, b) => b.turnMs - a.turnMs).slice(0, 10);
  console.log(`${all.count} requests, seed ${SEED}; the longest turns:\n${slowest.map(shownOf).join('\n')}`);
  expect(all.over.map(shownOf)).toEqual([]);
  // A new route of the contract has a body by its schema, any other one needs requests of its own.
  expect(lacking).toEqual([]);
  const tried = new Set(all.measured.map(({ route }) => route));
  expect(known.filter(({ route }) => !tried.has(route)).map(({ route }) => route)).toEqual([]);
  // What did not do its work was not measured.
  const worked = new Set(all.measured.filter(({ status }) => status < 300).map(({ route }) => route));
  const idle = known.filter(({ prefix, route }) => prefix === '/api' && !worked.has(route));
  const lastOf = ({ route }: KnownRoute) => all.measured.findLast((one) => one.route === route);
  expect(idle.map((one) => `${one.route}: ${lastOf(one)?.text ?? ''}`)).toEqual([]);
});

const OF_ACTIVE_WORKFLOW: ReadonlySet<string> = new Set(['updateWorkflow', 'runWorkflow', 'tryWorkflow']);

/** Measures requests, one after the other. */
class Measurements {
  readonly measured: Measured[] = [];
  /** What was over a limit each time. */
  readonly over: Measured[] = [];
  readonly #watch: Watch;
  readonly #world: ProcessWorld;

  constructor(watch: Watch, world: ProcessWorld) {
    this.#watch = watch;
    this.#world = world;
  }

  get count(): number {
    return this.measured.length;
  }

  /** Sends a request; if it is over a limit, more of them, of which the least counts. */
  async measure(
    route: string,
    requestOf: () => Large | Promise<Large>,
    heapLimit = HEAP_BYTES,
  ): Promise<Measured> {
    const isOver = async ({ heapBytes, turnMs }: Held) =>
      heapBytes > heapLimit || (turnMs > TURN_MS && turnMs > TURN_MS * (await this.#watch.slowness()));
    const tries: Measured[] = [];
    let over: boolean;
    do {
      const one = await this.#once(route, await requestOf());
      tries.push(one);
      over = await isOver(one);
    } while (over && tries.length < TRIES);
    const [first] = tries as [Measured];
    const least = {
      ...first,
      turnMs: Math.min(...tries.map(({ turnMs }) => turnMs)),
      heapBytes: Math.min(...tries.map(({ heapBytes }) => heapBytes)),
    };
    if (over) this.over.push(least);
    this.measured.push(least);
    return least;
  }

  async #once(route: string, { what, path, headers = {}, body, times = 1 }: Large): Promise<Measured> {
    const [method = ''] = route.split(' ');
    const send = async () => {
      const sent = fetch(`${this.#world.urls.root}${path}`, {
        method,
        redirect: 'manual',
        headers,
        ...(body !== undefined && { body: body as string }),
      });
      const answer = await sent.catch((error: unknown) => {
        if (body === undefined || !wasClosed(error)) throw error;
      });
      // It was refused before it was read to its end.
      if (!answer) return { status: 0, ok: false, text: 'the connection was closed' };
      const text = await answer.text();
      return { status: answer.status, ok: answer.ok, text: text.slice(0, 2_000) };
    };
    await this.#watch.begin();
    const [answer] = (await Promise.all(Array.from({ length: times }, send))) as [
      Awaited<ReturnType<typeof send>>,
    ];
    // What follows from a write is a part of it.
    if (method !== 'GET' && answer.ok) await this.#world.untilBridgeIdle();
    const held = await this.#watch.held();
    return { route, what, status: answer.status, text: answer.text, ...held };
  }
}

/** Whether the server closed the connection while a request was written. */
const wasClosed = (error: unknown) =>
  error instanceof TypeError &&
  ['EPIPE', 'ECONNRESET'].includes((error.cause as { code?: string }).code ?? '');

interface KnownRoute {
  name: RouteName;
  method: string;
  /** As `Measured.route`. */
  route: string;
  prefix: string;
  headers: Record<string, string>;
}

function routeOf(
  served: ServedRoute,
  { prefix, headers }: Pick<KnownRoute, 'prefix' | 'headers'>,
): KnownRoute | undefined {
  const { method, url } = served;
  const name = url.startsWith(`${prefix}/`) ? contractRoute(method, url, prefix) : undefined;
  return name && { name, method, route: nameOf(served), prefix, headers };
}

const nameOf = ({ method, url }: ServedRoute) => `${method} ${url}`;
const hasBody = (name: RouteName) => (routes[name] as Route).body !== undefined;

/** All of some kinds in the long form; in the short one, another one at each turn. */
function some<Kind>(kinds: readonly Kind[], turn: number): readonly Kind[] {
  return LONG ? kinds : kinds.filter((_, at) => at === (turn + SEED) % kinds.length);
}

function requestOf(
  { name, prefix, headers }: KnownRoute,
  what: string,
  sample: Sample,
  body?: string,
): Large {
  return {
    what,
    path: prefix + pathOf(routes[name].path, sample),
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(sample.token !== undefined && prefix === '/api' && { 'x-service-api-token': sample.token }),
    },
    ...(body !== undefined && { body }),
  };
}

/** Sends the largest body of a route, without what the service refuses for what is stored. */
async function sendLargest(
  all: Measurements,
  route: KnownRoute,
  fill: string,
  running: Running,
  large: LargeWorld,
): Promise<void> {
  const refused: string[][] = [];
  for (;;) {
    const { status, text } = await all.measure(route.route, async () => {
      const fresh = route.name === 'mergeTicket' ? { ...large, ...(await twoTickets(running)) } : large;
      const sample = SAMPLES[route.name](fresh);
      const body = without(largestBody(route.name, fresh, fill, all.count), refused, sample.body ?? {});
      return requestOf(route, fill, sample, JSON.stringify(body));
    });
    const paths = status < 300 ? [] : pathsOf(text);
    if (paths.length === 0 || refused.length > MOST_REFUSED) return;
    refused.push(...paths);
  }
}

function pathsOf(text: string): string[][] {
  const paths = [...text.matchAll(/"path":"([^"]+)"/g)].map(([, path = '']) => path);
  return paths.map((path) => path.split('.'));
}

/** In the short form the desk is asked for all records only: it reads as the API does. */
function queriesOf({ name, prefix }: KnownRoute, large: LargeWorld, turn: number) {
  const queries = largestQueries(name, large);
  const searches = queries.filter(({ what }) => what.includes(' for ') || what.includes(' of '));
  const others = queries.filter((one) => !searches.includes(one));
  return [...(prefix === '/api' || LONG ? others : others.slice(0, 2)), ...some(searches, turn)];
}

function shownOf({ route, what, status, turnMs, heapBytes }: Measured): string {
  return `${turnMs.toFixed(0)} ms, ${(heapBytes / 1024 / 1024).toFixed(0)} MB: ${route}, ${what} (${status})`;
}

async function runningOf(world: ProcessWorld): Promise<Running> {
  const call = caller(world.urls.api, world.apiKey);
  const { body } = await call('GET', '/workspaces');
  return {
    url: world.urls.api,
    databaseUrl: world.environment['DATABASE_URL'] ?? '',
    workspaceId: body.items[0]?.id ?? '',
    token: world.apiKey,
    call,
  } as Running;
}

async function newRequestType({ call }: Running): Promise<string> {
  return (await call('POST', '/request-types', { body: { name: 'Unused' } })).body.id;
}

async function twoTickets({ call }: Running): Promise<Pick<LargeWorld, 'ticket' | 'otherTicket'>> {
  const make = async () => (await call('POST', '/tickets', { body: { title: 'A ticket' } })).body.id;
  return { ticket: await make(), otherTicket: await make() };
}

async function largeWorld(running: Running): Promise<LargeWorld> {
  const world = await createWorld(running);
  const many = (count: number, path: string, bodyOf: (at: number) => object) =>
    Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const { body } = await running.call('POST', path, { body: bodyOf(at) });
        return body.id;
      }),
    );
  const { arrayItems } = LIMITS;
  return {
    ...world,
    tags: await many(arrayItems, '/tags', (at) => ({ name: `tag ${at}` })),
    users: await many(arrayItems, '/users', (at) => ({
      firstName: `User ${at}`,
      email: `user${at}@acme.example`,
    })),
    queues: await many(20, '/queues', (at) => ({ name: `Queue ${at}`, prefix: `QU${at}` })),
  };
}

/** The records of lists, and the columns in which copies of one must differ. */
const LISTED: Record<string, Record<string, string>> = {
  ticket: { number: 'n + 1000', short_id: 'n + 1000' },
  // Before what is in chat already, or the bridge would post two thousand messages.
  ticket_message: { updated_at: "o.updated_at - n * interval '1 second'" },
  person: { email: "n || '@acme.example'" },
  tag: { name: 'left(o.name, 400) || n' },
  view: {},
  canned_reply: { shortcut: "'s' || n" },
  custom_field: { key: "'k' || n" },
  request_type: { is_default: 'false' },
  ai_agent: {},
  personality: {},
  knowledge_base: { name: 'left(o.name, 400) || n' },
  knowledge_base_document: {},
  workflow: {},
  business_hours: { is_default: 'false' },
  webhook: { active: 'false', serves_chat: 'false' },
  api_key: { hash: "'\\x' || md5(n::text)" },
  audit_entry: {},
  ticket_activity: {},
};
/** Of each list there are more bytes than an answer may have, and as many records as such an answer may have. */
const COPIES = { bytes: 12 * 1024 * 1024, least: 100, most: 2_000 };

/** Copies the largest record of each list. */
async function fillLists(running: Running): Promise<void> {
  const tables = openTables(running);
  for (const [table, values] of Object.entries(LISTED)) {
    const { rows } = await sql<{ id: string; bytes: number }>`
      select id, octet_length(r::text) as bytes from ${sql.table(table)} r
      where workspace_id = ${running.workspaceId} order by bytes desc limit 1`.execute(tables.db);
    const [row] = rows;
    if (!row) throw new Error(`no record in ${table}`);
    const copies = Math.min(Math.max(Math.ceil(COPIES.bytes / row.bytes), COPIES.least), COPIES.most);
    await copyRow(tables, { table, workspaceId: running.workspaceId, id: row.id }, copies, values);
  }
}
