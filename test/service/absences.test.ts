import { describe, expect, it } from 'vitest';

import type { Notification, User } from '../../src/contract/index.ts';
import { MovableClock } from './clock.ts';
import { startTestService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { create } from './tickets/requests.ts';
import { openTables } from './world.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A queue that assigns its tickets to Mira, Sam and Fay in turn; Root is an admin, Quinn an agent of the queue. */
async function setUp() {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const { db } = openTables(service);
  const { body: queue } = await service.call('POST', '/queues', { body: { name: 'IT', prefix: 'IT' } });
  const agent = (name: string, role: 'agent' | 'admin' = 'agent') =>
    signIn(db, service.workspaceId, { role, name, queueIds: [queue.id], now: clock.now() });
  const people = {
    mira: await agent('Mira'),
    sam: await agent('Sam'),
    fay: await agent('Fay'),
    quinn: await agent('Quinn'),
    root: await agent('Root', 'admin'),
  };
  const { mira, sam, fay } = people;
  const inTurn = [mira, sam, fay].map(({ personId }) => personId);
  await service.call('PUT', `/queues/${queue.id}`, { body: { autoAssignees: inTurn.join(',') } });
  const nameOf = (id: string | null) =>
    Object.entries(people).find(([, { personId }]) => personId === id)?.[0] ?? id;
  const assigned = async (count: number) => {
    const names = [];
    for (let at = 0; at < count; at++)
      names.push(nameOf((await create(service, { queueId: queue.id })).assigneeId));
    return names;
  };
  const away = (who: keyof typeof people, by: keyof typeof people, from: string, until: string) =>
    service.call('POST', `/users/${people[who].personId}/absences`, {
      token: people[by].token,
      body: { from, until },
    });
  return { service, clock, queue, people, assigned, away };
}

const MONDAY = '2026-11-23T00:00:00.000Z';

describe('a person who is away', () => {
  it('gets no tickets in turn, while the others take turns, and gets them again afterwards', async () => {
    const { assigned, away, clock } = await setUp();
    expect(await assigned(3)).toEqual(['mira', 'sam', 'fay']);
    expect((await away('sam', 'sam', '2026-11-20T00:00:00Z', MONDAY)).status).toBe(200);
    expect((await assigned(4)).toSorted()).toEqual(['fay', 'fay', 'mira', 'mira']);
    // One that begins later is none yet.
    await away('mira', 'root', '2026-12-01T00:00:00Z', '2026-12-02T00:00:00Z');
    clock.pass(3 * DAY_MS);
    expect((await assigned(3)).toSorted()).toEqual(['fay', 'mira', 'sam']);
  });

  it('leaves a ticket unassigned if all are, and the team is told', async () => {
    const { service, assigned, away, people } = await setUp();
    for (const who of ['mira', 'sam', 'fay'] as const) await away(who, who, '2026-11-20T00:00:00Z', MONDAY);
    expect(await assigned(1)).toEqual([null]);
    const { items } = (await service.call('GET', '/notifications', { token: people.quinn.token }))
      .body as unknown as { items: Notification[] };
    expect(items.map(({ kind, ticket }) => [kind, ticket.code])).toEqual([['unassigned', 'IT-1']]);
  });

  it('says so, and admins say it of everyone', async () => {
    const { service, away, people, clock } = await setUp();
    expect((await away('sam', 'mira', '2026-11-20T00:00:00Z', MONDAY)).status).toBe(403);
    expect((await away('sam', 'sam', MONDAY, MONDAY)).status).toBe(422);
    expect((await away('sam', 'sam', '2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z')).status).toBe(422);
    const next = await away('sam', 'root', '2026-12-01T00:00:00Z', '2026-12-02T00:00:00Z');
    const now = await away('sam', 'sam', '2026-11-20T00:00:00Z', MONDAY);
    const absence = async () =>
      ((await service.call('GET', `/users/${people.sam.personId}`)).body as unknown as User).absence;
    expect(await absence()).toEqual({ from: '2026-11-20T00:00:00.000Z', until: MONDAY });
    clock.pass(3 * DAY_MS);
    expect(await absence()).toEqual({ from: '2026-12-01T00:00:00.000Z', until: '2026-12-02T00:00:00.000Z' });
    const remove = (id: string, token: string) => service.call('DELETE', `/absences/${id}`, { token });
    expect((await remove(next.body.id, people.mira.token)).status).toBe(403);
    expect((await remove(next.body.id, people.sam.token)).status).toBe(200);
    expect(await absence()).toBeNull();
    const { items } = (await service.call('GET', '/absences', { token: people.mira.token })).body;
    expect(items.map(({ id }) => id)).toEqual([now.body.id]);
  });
});
