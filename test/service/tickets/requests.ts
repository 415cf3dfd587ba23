import { expect } from 'vitest';

import type { Answered, Body, startTestService } from '../harness.ts';

type Started = Awaited<ReturnType<typeof startTestService>>;

/** A created ticket. */
export async function create({ call }: Started, body: Record<string, unknown> = {}): Promise<Body> {
  const answer = await call('POST', '/tickets', { body: { title: 'A ticket', ...body } });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
}

/** Writes fields of a ticket; the response may be an error. */
export async function put(
  { call }: Started,
  id: string,
  data: Record<string, unknown>,
  more = {},
): Promise<Answered> {
  return call('PUT', `/tickets/${id}`, { body: { data, ...more } });
}

/** The id of a new user. */
export async function person({ call }: Started, firstName: string): Promise<string> {
  return (
    await call('POST', '/users', { body: { firstName, email: `${firstName.toLowerCase()}@acme.example` } })
  ).body.id;
}

/** The statuses' ids by their labels. */
export async function statuses({ call }: Started): Promise<Record<string, string>> {
  const { items } = (await call('GET', '/statuses')).body;
  return Object.fromEntries(items.map((status) => [status.label, status.id]));
}

/** The id of a new queue. */
export async function queue({ call }: Started, prefix: string, more = {}): Promise<string> {
  return (await call('POST', '/queues', { body: { name: prefix, prefix, ...more } })).body.id;
}
