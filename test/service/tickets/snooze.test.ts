import { describe, expect, it } from 'vitest';

import { MovableClock } from '../clock.ts';
import { startTestService } from '../harness.ts';
import { openTables } from '../world.ts';
import { create, person, put, statuses } from './requests.ts';

const UNTIL = '2026-11-23T08:00:00.000Z';

async function setUp() {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const { id } = await create(service, { requesterId: ada, assigneeId: mira, snoozeUntil: UNTIL });
  const snoozed = async () => (await service.call('GET', '/tickets?snoozedFilter=true')).body.totalCount;
  const until = async () => (await service.call('GET', `/tickets/${id}`)).body.snoozeUntil;
  const say = (body: object) =>
    service.call('POST', '/ticket-messages', { body: { ticketId: id, content: 'x', ...body } });
  return { clock, service, ada, mira, id, snoozed, until, say };
}

describe('a snoozed ticket', () => {
  it('wakes when its time is over', async () => {
    const { clock, snoozed } = await setUp();
    expect(await snoozed()).toBe(1);
    clock.pass(Date.parse(UNTIL) - clock.now().getTime());
    expect(await snoozed()).toBe(0);
  });

  it('wakes by a reply of its requester, with an event that says so', async () => {
    const { service, ada, mira, until, say, snoozed } = await setUp();
    await service.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    await say({ authorId: mira });
    await say({ authorId: ada, private: true });
    expect(await until()).toBe(UNTIL);
    const answer = await say({ authorId: ada });
    expect([answer.status, await until(), await snoozed()]).toEqual([200, null, 0]);
    const bodies = await openTables(service).db.selectFrom('event').select('body').orderBy('id').execute();
    const told = bodies
      .map(({ body }) => JSON.parse(body) as { changes: Record<string, unknown> | null })
      .filter(({ changes }) => changes?.['snoozeUntil']);
    expect(told.map(({ changes }) => changes)).toEqual([{ snoozeUntil: [UNTIL, null] }]);
    // Awake, it costs the next reply nothing.
    expect((await say({ authorId: ada })).status).toBe(200);
  });

  it('that is awake again is not changed by a reply', async () => {
    const { clock, service, ada, id, until, say } = await setUp();
    clock.pass(Date.parse(UNTIL) - clock.now().getTime());
    const before = (await service.call('GET', `/tickets/${id}`)).body.updatedAt;
    await say({ authorId: ada });
    expect([await until(), (await service.call('GET', `/tickets/${id}`)).body.updatedAt]).toEqual([
      UNTIL,
      before,
    ]);
  });

  it.each(['Done', 'Closed'])(
    'loses its snooze with the status %s, and a new one is refused there',
    async (label) => {
      const { service, id, until, snoozed } = await setUp();
      const by = await statuses(service);
      const refused = async (data: Record<string, unknown>) => {
        const answer = await put(service, id, data);
        return [answer.status, answer.body.issues?.[0]?.path];
      };
      expect(await refused({ statusId: by[label], snoozeUntil: UNTIL })).toEqual([422, 'data.snoozeUntil']);
      expect((await service.call('GET', `/tickets/${id}`)).body.status.label).toBe('Open');
      await put(service, id, { statusId: by[label] });
      expect([await until(), await snoozed()]).toEqual([null, 0]);
      expect(await refused({ snoozeUntil: UNTIL })).toEqual([422, 'data.snoozeUntil']);
      // What is no snooze, or one that is over, changes nothing.
      for (const over of [null, '2026-01-01T00:00:00Z'])
        expect([await refused({ snoozeUntil: over }), await until()]).toEqual([[200, undefined], null]);
      await put(service, id, { statusId: by['Open'], snoozeUntil: UNTIL });
      expect(await until()).toBe(UNTIL);
      await put(service, id, { archivedAt: '2026-11-20T10:00:00Z' });
      expect(await until()).toBeNull();
      expect(await refused({ snoozeUntil: UNTIL })).toEqual([422, 'data.snoozeUntil']);
      const born = await service.call('POST', '/tickets', {
        body: { title: 'x', statusId: by[label], snoozeUntil: UNTIL },
      });
      expect([born.status, born.body.issues?.[0]?.path]).toEqual([422, 'snoozeUntil']);
    },
  );
});
