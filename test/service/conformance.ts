import type { z } from 'zod';

import { errorEnvelope, type Route, type RouteName } from '../../src/contract/index.ts';
import type { Database } from '../../src/platform/database/open.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import type { Answered, Running } from './harness.ts';
import { optionsOf, pathOf, type Sample } from './world.ts';

/** The observed behaviour of one operation; an empty text is a missing proof. */
export interface Proofs {
  /** Its sample gets 200, and the body matches its closed schema (also the thin one, if it has that). */
  answers: string;
  unauthorized: string;
  forbidden: string;
  isolated: string;
  malformed: string;
  emits: string;
}

const NOT_ONE = 'NOT_ONE_OF_THEM';
const WRONG: readonly unknown[] = [42, { wrong: 1 }, NOT_ONE, [42], true, 1e300];
const ABSENT = '–';

export async function prove200(
  { call }: Running,
  route: Route,
  sample: Sample,
): Promise<Pick<Proofs, 'answers'>> {
  const answer = await call(route.method, pathOf(route.path, sample), optionsOf(sample));
  if (answer.status !== 200 || !route.answer.safeParse(answer.body).success) return { answers: '' };
  if (!route.thin) return { answers: '200' };
  const thin = await call(
    route.method,
    pathOf(route.path, { ...sample, query: { ...sample.query, responseType: 'thin' } }),
  );
  return { answers: thin.status === 200 && route.thin.safeParse(thin.body).success ? '200, thin' : '' };
}

/** The events that a call stores, as `Ticket created`, in order. */
export async function eventsOf(
  { db }: Pick<Database<Tables>, 'db'>,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const stored = () => db.selectFrom('event').select(['id', 'type', 'action']).orderBy('id').execute();
  const before = new Set((await stored()).map(({ id }) => id));
  await work();
  return (await stored()).filter(({ id }) => !before.has(id)).map(({ type, action }) => `${type} ${action}`);
}

/** docs/api.md, Webhooks: the events of each write. */
export function expectedEvents({ method, path }: Route): string[] {
  const decided: Record<string, string | string[]> = {
    'POST /tickets': 'Ticket created',
    'PUT /tickets/{id}': 'Ticket updated',
    'DELETE /tickets/{id}': 'Ticket archived',
    'POST /tickets/{id}/csat': 'Ticket updated',
    // The message that says where it goes on, and both tickets.
    'POST /tickets/{id}/merge': ['Message created', 'Ticket updated', 'Ticket updated'],
    'POST /tickets/{id}/links': ['Ticket updated', 'Ticket updated'],
    'DELETE /tickets/{id}/links/{linkId}': ['Ticket updated', 'Ticket updated'],
    'DELETE /files/{id}': 'Ticket updated',
    'POST /ticket-messages': 'Message created',
    'POST /reply-drafts/{id}/send': 'Message created',
    'PUT /ticket-messages/{id}': 'Message updated',
    'DELETE /ticket-messages/{id}': 'Message deleted',
    'PUT /ticket-messages/{id}/reactions': 'Message updated',
    'DELETE /ticket-messages/{id}/reactions': 'Message updated',
    // A test event, requested by hand; no other webhook gets it.
    'POST /webhooks/{id}/ping': 'Ping ping',
  };
  const event = decided[`${method} ${path}`];
  return event === undefined ? [] : [event].flat();
}

export async function prove401({ call }: Running, route: Route): Promise<Pick<Proofs, 'unauthorized'>> {
  const answers = await Promise.all(
    [null, 'unknown-key-of-some-length'].map((token) => call(route.method, emptyPath(route), { token })),
  );
  return { unauthorized: answers.every((answer) => isError(answer, 401, 'UNAUTHORIZED')) ? '401' : '' };
}

export async function prove403(
  { call }: Running,
  route: Route,
  keys: Readonly<Record<'read' | 'agent', string>>,
): Promise<Pick<Proofs, 'forbidden'>> {
  if (route.role === 'read') return { forbidden: ABSENT };
  const tooLow = route.role === 'agent' ? (['read'] as const) : (['read', 'agent'] as const);
  const answers = await Promise.all(
    tooLow.map((role) =>
      call(route.method, emptyPath(route), { token: keys[role], ...(route.body && { body: '{' }) }),
    ),
  );
  return {
    forbidden: answers.every((answer) => isError(answer, 403, 'FORBIDDEN')) ? `403 ${tooLow.join(', ')}` : '',
  };
}

/**
 * A record of another workspace gets 404 with the same bytes as one that does not exist; a list of it is
 * empty.
 */
export async function prove404(
  { call, workspaceId }: Running,
  route: Route,
  sample: Sample,
  token: string,
): Promise<Pick<Proofs, 'isolated'>> {
  if (route.params) {
    const foreign = await call(route.method, pathOf(route.path, sample), { token, body: sample.body });
    const missing = await call(route.method, pathOf(emptyPath(route), sample), { token, body: sample.body });
    const same =
      JSON.stringify({ ...foreign.body, requestId: '' }) ===
      JSON.stringify({ ...missing.body, requestId: '' });
    return { isolated: same && isError(foreign, 404, 'NOT_FOUND') ? '404' : '' };
  }
  // An operation without a record in its path can only list or create; its references get 422.
  if (!route.query || !('workspaceId' in route.query.shape)) return { isolated: ABSENT };
  const { body, status } = await call(
    route.method,
    pathOf(route.path, { ...sample, query: { ...sample.query, workspaceId } }),
    { token },
  );
  // A page of records, or a report of several lists.
  const lists = Object.values(body).filter((value) => Array.isArray(value));
  const counts = 'totalCount' in body ? [body.totalCount] : [];
  const isEmpty =
    lists.length > 0 && lists.every((list) => list.length === 0) && counts.every((n) => n === 0);
  return { isolated: status === 200 && isEmpty ? 'empty list' : '' };
}

/**
 * Each field of the body, at any depth, and each parameter of the query: a wrong one gets 400 with its name.
 */
export async function prove400(
  { call }: Running,
  route: Route,
  sample: Sample,
): Promise<Pick<Proofs, 'malformed'>> {
  const requests = [
    ...wrongBodies(route.body?.shape ?? {}, sample.body).map(([field, body]) => ({
      field,
      path: pathOf(route.path, sample),
      body,
    })),
    ...Object.keys(route.query?.shape ?? {}).map((field) => ({
      field,
      path: twice(pathOf(route.path, { ...sample, query: without(sample.query, field) }), field),
      body: sample.body,
    })),
  ];
  if (requests.length === 0) return { malformed: ABSENT };
  const named = await Promise.all(
    requests.map(async ({ field, path, body }) => {
      const answer = await call(route.method, path, { body });
      const named = answer.body.issues?.some(({ path: told }) => `${told}.`.startsWith(`${field}.`));
      return isError(answer, 400, 'BAD_REQUEST') && named === true;
    }),
  );
  return { malformed: named.every(Boolean) ? `400 × ${requests.length}` : '' };
}

/**
 * For each field, nested ones too, a body that is wrong only there; fields that accept anything have none.
 */
function wrongBodies(
  shape: Shape,
  good: Readonly<Record<string, unknown>> = {},
): [string, Record<string, unknown>][] {
  return Object.entries(shape).flatMap(([field, schema]): [string, Record<string, unknown>][] => {
    const wrong = WRONG.filter((value) => !(schema as z.ZodType).safeParse(value).success);
    const own: [string, Record<string, unknown>][] =
      wrong.length === 0 ? [] : [[field, { ...good, [field]: wrong[0] }]];
    const inner = shapeOf(schema);
    if (!inner) return own;
    const given = (good[field] ?? {}) as Record<string, unknown>;
    const nested = wrongBodies(inner, given).map(([name, part]): [string, Record<string, unknown>] => [
      `${field}.${name}`,
      { ...good, [field]: part },
    ]);
    return [...own, ...nested];
  });
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The fields of an object, inside of optional wrappers. */
function shapeOf(schema: z.core.$ZodType): Shape | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.shape;
  return def.type === 'optional' || def.type === 'nullable' ? shapeOf(def.innerType) : undefined;
}

function twice(path: string, field: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${field}=${NOT_ONE}&${field}=${NOT_ONE}`;
}

function without(query: Sample['query'], field: string): Record<string, string> {
  return Object.fromEntries(Object.entries(query ?? {}).filter(([name]) => name !== field));
}

/** The path with ids of no record. */
function emptyPath(route: Route): string {
  const params = Object.keys(route.params?.shape ?? {}).map((name) => [name, 'nothing']);
  return pathOf(route.path, { params: Object.fromEntries(params) as Record<string, string> });
}

function isError(answer: Answered, status: number, code: string): boolean {
  const parsed = errorEnvelope.safeParse(answer.body);
  return answer.status === status && parsed.success && parsed.data.code === code;
}

export type Table = [RouteName, Route, Proofs][];
