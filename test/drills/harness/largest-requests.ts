import { LIMITS, type Route, type RouteName, routes } from '../../../src/contract/index.ts';
import { isBeyond } from '../../../src/platform/bounded-json.ts';
import { type Sample, SAMPLES, type World } from '../../service/world.ts';
import { FILLS, largestOf, SHAPES } from './largest.ts';

/** A request of the drill. */
export interface Large {
  /** What is large about it. */
  what: string;
  /** Below the server's root. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** How often it is sent at once; default once. */
  times?: number;
}

/** What requests refer to: a record of each kind, and for arrays as many of them as an array may have. */
export interface LargeWorld extends World {
  tags: string[];
  users: string[];
  queues: string[];
}

const REFERENCES: Record<string, (world: LargeWorld) => readonly string[]> = {
  tags: ({ tags }) => tags,
  tagId: ({ tag }) => [tag],
  addTags: ({ tags }) => tags,
  followers: ({ users }) => users,
  approvers: ({ users }) => users,
  approverIds: ({ users }) => users,
  autoAssignees: ({ users }) => users,
  queueIds: ({ queues }) => queues,
  requesterId: ({ user }) => [user],
  authorId: ({ user }) => [user],
  queueId: ({ queue }) => [queue],
  defaultQueueId: ({ queue }) => [queue],
  statusId: ({ status }) => [status],
  requestTypeId: ({ requestType }) => [requestType],
  requestTypeIds: ({ requestType }) => [requestType],
  requestTypes: ({ requestType }) => [requestType],
  kbIds: ({ kb }) => [kb],
  customFieldId: ({ customField }) => [customField],
  personalityId: ({ personality }) => [personality],
  activePersonalityId: ({ personality }) => [personality],
  businessHoursId: ({ businessHours }) => [businessHours],
  parentId: ({ otherTicket }) => [otherTicket],
};

/** Bodies whose parts belong together in a way that no schema says. */
const OWN_BODIES: Partial<Record<RouteName, (world: LargeWorld, text: Text) => Record<string, unknown>>> = {
  readNotifications: ({ users }) => ({ ids: users }),
  countTickets: (_, text) => ({
    filters: Array.from({ length: LIMITS.ticketCounts.filters }, (_each, at) => ({
      key: text(LIMITS.shortText, at),
      query: { search: text(LIMITS.shortText, at), openFilter: 'true', includeArchived: 'true' },
    })),
  }),
  previewTrend: ({ workspace }, text) => ({
    workspaceId: workspace,
    query: {
      filterGroups: filterGroups(text),
      groupBy: ['requesterId', 'assigneeId'],
      timeInterval: 'day',
      aggregations: Array.from({ length: LIMITS.analytics.aggregations }, (_each, at) => ({
        type: 'p90',
        field: 'responseTime',
        alias: `${at}${text(LIMITS.analytics.alias - 2, at)}`,
      })),
    },
  }),
  previewMetric: ({ workspace }, text) => ({
    workspaceId: workspace,
    query: { filterGroups: filterGroups(text), groupBy: 'tags', limit: LIMITS.list.maxLimit },
  }),
};

type Text = (length: number, number: number) => string;

/** As many filters as a query may have; half of a megabyte of text. */
function filterGroups(text: Text): unknown[] {
  const { filterGroups: groups, filters, filterText } = LIMITS.analytics;
  return Array.from({ length: groups }, (_group, at) =>
    Array.from({ length: filters }, (_filter, filter) => ({
      field: 'requesterId',
      condition: filter % 2 === 0 ? 'not_in' : 'not_contains',
      value: text(filterText / 8, at * filters + filter),
    })),
  );
}

/** Fields that would take from the world what other requests need, or whose values must be those of before. */
const LEFT_OUT = [
  ['expected'],
  ['isDeactivated'],
  ['data', 'archivedAt'],
  ['data', 'published'],
  ['active'],
  // A body has one of the two.
  ['sendAt'],
  ['delaySeconds'],
];

/** docs/api.md, Conventions. */
const BODY_BOUNDS = { values: 20_000, depth: 64 };
const bodyBytes = (route: Route) => route.bodyLimit ?? LIMITS.body;

/** The largest body that the schema of a route takes, made of one kind of text. */
export function largestBody(
  name: RouteName,
  world: LargeWorld,
  fill: string,
  number: number,
): Record<string, unknown> {
  const route: Route = routes[name];
  const text: Text = (length, at) => (FILLS[fill] as Text)(length, number + at);
  const own = OWN_BODIES[name];
  const sample = own ? {} : (SAMPLES[name](world).body ?? {});
  const ids = (field: string) => REFERENCES[field]?.(world) ?? [];
  for (let scale = 1; ; scale /= 2) {
    const largest =
      own?.(world, (length, at) => text(Math.floor(length * scale), at)) ??
      largestOf(route.body as never, { text, ids, scale }, '', number + 1);
    const whole = without({ ...sample, ...(largest as object) }, LEFT_OUT, sample);
    const body = fitting(route, whole, sample);
    const json = Buffer.from(JSON.stringify(body));
    if (json.length <= bodyBytes(route) && !isBeyond(json, BODY_BOUNDS)) return body;
  }
}

/** Leaves out what the schema refuses, until it takes the body. */
function fitting(
  route: Route,
  body: Record<string, unknown>,
  sample: Record<string, unknown>,
): Record<string, unknown> {
  let fits = body;
  for (;;) {
    const issues = route.body?.safeParse(fits).error?.issues;
    if (!issues) return fits;
    const next = without(
      fits,
      issues.map(({ path }) => path.map(String)),
      sample,
    );
    if (JSON.stringify(next) === JSON.stringify(fits))
      throw new Error(`no large body for ${route.method} ${route.path}: ${JSON.stringify(issues)}`);
    fits = next;
  }
}

/** Returns a body with what a sample has in the fields that were refused; without them if it has nothing there. */
export function without(
  body: Record<string, unknown>,
  paths: readonly string[][],
  sample: Record<string, unknown>,
): Record<string, unknown> {
  const copy = new Map(Object.entries(body));
  for (const [field = '', inner] of paths) {
    const value = copy.get(field);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && inner !== undefined && inner in value)
      copy.set(field, Object.fromEntries(Object.entries(value).filter(([key]) => key !== inner)));
    else if (field in sample && value !== sample[field]) copy.set(field, sample[field]);
    else copy.delete(field);
  }
  return Object.fromEntries(copy);
}

const STRUCTURED = /customFields|filters|steps|query|data|settings|days|chatEmojiActions/;

/** Bodies that are as large as any may be, with the sample's fields around what is large. */
export function* shapedBodies(name: RouteName, world: LargeWorld): Generator<{ what: string; body: string }> {
  const route: Route = routes[name];
  const bytes = bodyBytes(route) - 20;
  const sample = SAMPLES[name](world).body ?? {};
  // A field that takes an object or an array, if there is one.
  const fields = Object.keys(route.body?.shape ?? {});
  const field = fields.find((one) => STRUCTURED.test(one)) ?? fields[0] ?? 'x';
  for (const [shape, make] of Object.entries(SHAPES)) {
    const around = { ...sample, [field]: 0 };
    const [begin = '', end = ''] = JSON.stringify(around).split(`"${field}":0`);
    const room = bytes - Buffer.byteLength(begin + end) - field.length - 4;
    yield { what: `${shape} in ${field}`, body: `${begin}"${field}":${make(room)}${end}` };
  }
}

/** The largest reads of a route: as many records as there may be, and the longest parameters. */
export function largestQueries(name: RouteName, world: LargeWorld): { what: string; sample: Sample }[] {
  const route: Route = routes[name];
  const sample = SAMPLES[name](world);
  const shape = route.query?.shape ?? {};
  const queries: Record<string, Record<string, string>> = { sample: sample.query ?? {} };
  const most =
    'limit' in shape ? { limit: name === 'semanticSearch' ? '20' : String(LIMITS.list.maxLimit) } : {};
  if ('limit' in shape) queries['all records'] = { ...sample.query, ...most };
  if ('search' in shape)
    for (const fill of Object.keys(FILLS))
      queries[`search for ${fill}`] = {
        ...sample.query,
        ...most,
        // As many characters as one address of 16 kB holds, percent-encoded.
        search: (FILLS[fill] as Text)(LIMITS.shortText, 1),
      };
  if ('query' in shape)
    for (const fill of Object.keys(FILLS))
      queries[`query of ${fill}`] = { ...most, query: (FILLS[fill] as Text)(LIMITS.shortText, 1) };
  if ('set' in shape)
    queries['a set of ids'] = { ...most, set: Array.from({ length: 400 }, (_, at) => `id${at}`).join(',') };
  if (name === 'listTickets') {
    queries['thin'] = { ...most, responseType: 'thin' };
    queries['by relevance'] = { limit: '200', search: 'a ticket', sortBy: 'relevance' };
  }
  if (name === 'readTicket') queries['with its messages'] = { messagesFrom: '2020-01-01T00:00:00.000Z' };
  return Object.entries(queries).map(([what, query]) => ({ what, sample: { ...sample, query } }));
}

/** The route of the contract that an address of the server is, if it is one. */
export function contractRoute(method: string, url: string, prefix: string): RouteName | undefined {
  const path = url.slice(prefix.length).replaceAll(/:(\w+)/g, '{$1}');
  const all = Object.entries(routes) as [RouteName, Route][];
  return all.find(([, route]) => route.method === method && route.path === path)?.[0];
}
