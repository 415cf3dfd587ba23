import { describe, expect, it } from 'vitest';

import { openTables } from '../world.ts';
import { create, person, put, queue, statuses } from './requests.ts';
import { made, minute, read, setUp } from './targets.ts';

const MINUTE_MS = 60_000;

/** On Friday, 20 November 2026, 10:30 in Berlin. */
async function openDesk() {
  const world = await setUp();
  const { service, clock } = world;
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const open = (queueId: string, more = {}) => create(service, { queueId, requesterId: ada, ...more });
  const answer = (ticketId: string) =>
    made(service, '/ticket-messages', { ticketId, content: 'x', authorId: mira });
  /** Opens a ticket that is answered after so many minutes. */
  const answered = async (queueId: string, minutes: number, more = {}) => {
    const { id } = await open(queueId, more);
    clock.pass(minutes * MINUTE_MS);
    await answer(id);
    return id;
  };
  const expected = async (id: string) => minute((await read(service, id)).expectedReplyAt);
  return { ...world, ada, mira, open, answer, answered, expected };
}

describe('when a requester may expect the first reply', () => {
  it('is when four of five came lately in that queue and priority, else the target, else nothing', async () => {
    const { service, queue: withTarget, open, answered, expected } = await openDesk();
    const plain = await queue(service, 'HR');
    expect(await expected((await open(plain)).id)).toBeNull();
    // 12:30 in Berlin.
    expect(await expected((await open(withTarget.id)).id)).toBe('2026-11-20T11:30:00.000Z');
    for (const minutes of [5, 20, 10, 15]) await answered(plain, minutes);
    expect(await expected((await open(plain)).id)).toBeNull();
    await answered(plain, 100);
    // It is 13:00: the fourth of five came after 20 minutes. Other priorities are other replies.
    expect(await expected((await open(plain)).id)).toBe('2026-11-20T12:20:00.000Z');
    expect(await expected((await open(plain, { priority: 'LOW' })).id)).toBeNull();
    for (const minutes of [5, 5, 5, 5, 5]) await answered(withTarget.id, minutes);
    expect(await expected((await open(withTarget.id)).id)).toBe('2026-11-20T12:30:00.000Z');
  });

  it('stays once it has passed, is nothing while it waits or once there is a reply, and follows the queue', async () => {
    const { service, queue: withTarget, clock, open, answer, expected } = await openDesk();
    const labels = await statuses(service);
    const { id } = await open(withTarget.id);
    await put(service, id, { statusId: labels['Waiting'] });
    expect(await expected(id)).toBeNull();
    clock.pass(60 * MINUTE_MS);
    await put(service, id, { statusId: labels['Open'] });
    expect(await expected(id)).toBe('2026-11-20T12:30:00.000Z');
    clock.pass(150 * MINUTE_MS);
    expect(await expected(id)).toBe('2026-11-20T12:30:00.000Z');
    const { id: other } = await open(withTarget.id);
    await put(service, other, { queueId: await queue(service, 'HR') });
    expect(await expected(other)).toBeNull();
    await answer(id);
    expect(await expected(id)).toBeNull();
  });

  it('is nothing if the assignee is away then', async () => {
    const { service, queue: withTarget, mira, open, expected } = await openDesk();
    const { id } = await open(withTarget.id, { assigneeId: mira });
    const away = async (from: string, until: string) =>
      (await made(service, `/users/${mira}/absences`, { from, until })).id;
    await away('2026-11-20T12:00:00Z', '2026-11-27T00:00:00Z');
    expect(await expected(id)).toBe('2026-11-20T11:30:00.000Z');
    await away('2026-11-20T11:00:00Z', '2026-11-20T12:00:00Z');
    expect(await expected(id)).toBeNull();
  });

  it('is counted without what the earlier ones waited', async () => {
    const { service, clock, open, answer, expected } = await openDesk();
    const plain = await queue(service, 'HR');
    const labels = await statuses(service);
    for (let count = 0; count < 5; count++) {
      const { id } = await open(plain, { statusId: labels['Waiting'] });
      clock.pass(20 * MINUTE_MS);
      await put(service, id, { statusId: labels['Open'] });
      clock.pass(10 * MINUTE_MS);
      await answer(id);
    }
    const { db } = openTables(service);
    const results = await db.selectFrom('target_result').select(['open_minutes', 'held_minutes']).execute();
    expect(results.map((row) => [Math.round(row.open_minutes), Math.round(row.held_minutes)])).toEqual(
      results.map(() => [10, 20]),
    );
    // It is 13:00.
    expect(await expected((await open(plain)).id)).toBe('2026-11-20T12:10:00.000Z');
  });
});
