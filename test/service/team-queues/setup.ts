import { expect } from 'vitest';

import type { ApiKey, QueueVisibility } from '../../../src/contract/index.ts';
import { type Body, type Running, sharedService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';

/** Workspaces with a queue of a team, in one service, called at the top of the file (`sharedService`). */
export function sharedTeams() {
  const newWorkspace = sharedService();
  return async () => furnish(await newWorkspace());
}

/** The queue People is its team's, Pia and Ron; IT is for everyone. Zoe is an agent of all queues. */
async function furnish(running: Running) {
  const { call, workspaceId } = running;
  const { db } = openTables(running);
  const send = async (method: 'POST' | 'PUT', path: string, body: object, token?: string): Promise<Body> => {
    const answer = await call(method, path, { body, ...(token !== undefined && { token }) });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body;
  };
  const post = (path: string, body: object, token?: string) => send('POST', path, body, token);
  const put = (path: string, body: object, token?: string) => send('PUT', path, body, token);
  const it = (await post('/queues', { name: 'IT', prefix: 'IT' })).id;
  const people = (await post('/queues', { name: 'People', prefix: 'PEO' })).id;
  const person = (role: 'requester' | 'agent' | 'admin', name: string, queueIds: string[] | null = null) =>
    signIn(db, workspaceId, { role, name, queueIds });
  const who = {
    ada: await person('requester', 'Ada'),
    ben: await person('requester', 'Ben'),
    pia: await person('agent', 'Pia', [people]),
    ron: await person('agent', 'Ron', [it, people]),
    sam: await person('agent', 'Sam', [it]),
    zoe: await person('agent', 'Zoe'),
    root: await person('admin', 'Root'),
  };
  const show = (visibility: QueueVisibility) => put(`/queues/${people}`, { visibility });
  await show('team');
  const key = async (body: object): Promise<{ token: string } & ApiKey> => {
    const made = await post('/api-keys', { name: 'K', role: 'agent', ...body });
    return { ...(made as unknown as ApiKey), token: made.key };
  };
  const ids = async (path: string, token?: string) => {
    const answer = await call('GET', path, token === undefined ? {} : { token });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body.items.map(({ id }) => id);
  };
  const status = async (path: string, token: string) => (await call('GET', path, { token })).status;
  /** A ticket of People, whose requester is Ada. */
  const ask = (title: string, more: object = {}) =>
    post('/tickets', { title, queueId: people, requesterId: who.ada.personId, ...more });
  return { ...running, db, post, put, it, people, who, show, key, ids, status, ask };
}

export type TeamWorld = Awaited<ReturnType<typeof furnish>>;
