import { expect } from 'vitest';

import type { Notification } from '../../../src/contract/index.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { deriveNotifications, type Done } from '../../../src/service/notifications/derive.ts';
import { MovableClock } from '../clock.ts';
import { type Body, type Running, type Settings, sharedService, startTestService } from '../harness.ts';
import { type SignedIn, signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';

/** Offices of the tests of a file, in one service, called at the top of the file (`sharedService`). */
export function sharedOffices() {
  const clock = new MovableClock();
  const newWorkspace = sharedService({ clock });
  return async () => furnish(await newWorkspace(), clock);
}

/** An office in a service of its own. */
export async function openOffice(settings: Settings) {
  const clock = new MovableClock();
  return furnish(await startTestService({ clock, ...settings }), clock);
}

/** Two queues, agents and a requester in a workspace, whose inboxes are filled by hand. */
async function furnish(running: Running, clock: MovableClock) {
  const { workspaceId, call } = running;
  const { db } = openTables(running);
  const newId = createIds(clock);
  const post = async (path: string, body: object, token?: string): Promise<Body> => {
    clock.pass(1_000);
    const answer = await call('POST', path, { body, ...(token !== undefined && { token }) });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body;
  };
  const put = async (path: string, body: object, token?: string): Promise<Body> => {
    clock.pass(1_000);
    const answer = await call('PUT', path, { body, ...(token !== undefined && { token }) });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body;
  };
  const queue = (await post('/queues', { name: 'One', prefix: 'ONE' })).id;
  const otherQueue = (await post('/queues', { name: 'Two', prefix: 'TWO' })).id;
  const person = (role: 'requester' | 'agent' | 'admin', name: string, queueIds: string[] | null = null) =>
    signIn(db, workspaceId, { role, name, queueIds, now: clock.now() });
  const people = {
    mira: await person('agent', 'Mira'),
    sam: await person('admin', 'Sam'),
    fay: await person('agent', 'Fay'),
    ada: await person('requester', 'Ada'),
    quinn: await person('agent', 'Quinn', [queue]),
  };
  const done: Done = new Map();
  /** Fills the inboxes; `from` as a process that has just started. */
  const fill = async (from: Done = done) => {
    clock.pass(1_000);
    await deriveNotifications(db, { newId, now: clock.now(), done: from });
  };
  await fill();
  const inbox = async ({ token }: Pick<SignedIn, 'token'>, query = '') => {
    const { status, body } = await call('GET', `/notifications${query}`, { token });
    expect(status).toBe(200);
    return body.items as unknown as Notification[];
  };
  const kinds = async (one: SignedIn) => (await inbox(one)).map(({ kind }) => kind).toReversed();
  const unread = async ({ token }: SignedIn) =>
    ((await call('GET', '/notifications/count', { token })).body as unknown as { unread: number }).unread;
  const ids = Object.fromEntries(
    Object.entries(people).map(([name, { personId }]) => [name, personId]),
  ) as Record<keyof typeof people, string>;
  return {
    ...running,
    clock,
    db,
    post,
    put,
    queue,
    otherQueue,
    people,
    ids,
    fill,
    inbox,
    kinds,
    unread,
    person,
  };
}

export const mention = (id: string, name = 'Someone') => `[@${name}](user:${id})`;
