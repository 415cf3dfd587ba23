import { expect, it } from 'vitest';

import { sharedService } from '../harness.ts';
import { anotherWorkspace, OFFICE_HOURS } from '../world.ts';

const newWorkspace = sharedService();

it('business hours are created, listed, changed and removed; one record of a workspace is its default', async () => {
  const service = await newWorkspace();
  const { call } = service;
  const holidays = [{ date: '2026-12-25', name: 'Christmas' }];
  const made = await call('POST', '/business-hours', {
    body: { ...OFFICE_HOURS, holidays, isDefault: true },
  });
  expect([made.status, made.body]).toMatchObject([200, { ...OFFICE_HOURS, holidays, isDefault: true }]);
  const second = (await call('POST', '/business-hours', { body: { ...OFFICE_HOURS, name: ' Night ' } })).body;
  expect(second).toMatchObject({ name: 'Night', holidays: [], isDefault: false });
  const put = (id: string, body: object) => call('PUT', `/business-hours/${id}`, { body });
  expect((await put(second.id, { isDefault: true, timeZone: 'Asia/Tokyo' })).body).toMatchObject({
    name: 'Night',
    days: OFFICE_HOURS.days,
    isDefault: true,
    timeZone: 'Asia/Tokyo',
  });
  const list = async () => (await call('GET', '/business-hours')).body.items;
  expect((await list()).map(({ id, isDefault }) => [id, isDefault])).toEqual([
    [second.id, true],
    [made.body.id, false],
  ]);
  const { token } = await anotherWorkspace(service);
  expect((await call('PUT', `/business-hours/${second.id}`, { body: {}, token })).status).toBe(404);
  expect((await call('DELETE', `/business-hours/${second.id}`, { token })).status).toBe(404);
  expect((await call('DELETE', `/business-hours/${second.id}`)).body.id).toBe(second.id);
  expect((await list()).map(({ id }) => id)).toEqual([made.body.id]);
});

it('a queue names business hours of its workspace, and none any more once they are removed', async () => {
  const service = await newWorkspace();
  const { call } = service;
  const { id } = (await call('POST', '/business-hours', { body: OFFICE_HOURS })).body;
  const queue = (await call('POST', '/queues', { body: { name: 'IT', prefix: 'IT', businessHoursId: id } }))
    .body;
  expect(queue.businessHoursId).toBe(id);
  const { token } = await anotherWorkspace(service);
  const other = (await call('POST', '/business-hours', { body: OFFICE_HOURS, token })).body;
  const refused = await call('PUT', `/queues/${queue.id}`, { body: { businessHoursId: other.id } });
  expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'businessHoursId']);
  await call('DELETE', `/business-hours/${id}`);
  expect((await call('GET', `/queues/${queue.id}`)).body.businessHoursId).toBeNull();
});

it.each<[string, object, number, string]>([
  ['no working time', { days: [] }, 422, 'Add a span'],
  [
    'a span over midnight',
    { days: [{ day: 5, from: '22:00', to: '06:00' }] },
    422,
    '00:00 to 06:00 on the next day',
  ],
  ['an empty span', { days: [{ day: 5, from: '09:00', to: '09:00' }] }, 422, 'does not end on its day'],
  [
    'spans that overlap',
    {
      days: [
        { day: 1, from: '09:00', to: '12:00' },
        { day: 1, from: '11:59', to: '17:00' },
      ],
    },
    422,
    'overlaps 09:00 to 12:00',
  ],
  ['an unknown time zone', { timeZone: 'Europe/Nowhere' }, 400, 'Not an IANA time zone'],
  ['a time that no clock shows', { days: [{ day: 1, from: '09:00', to: '24:30' }] }, 400, 'time of day'],
  ['a day that no week has', { days: [{ day: 8, from: '09:00', to: '17:00' }] }, 400, 'days.0.day'],
  ['a date that no calendar has', { holidays: [{ date: '2026-02-30', name: 'x' }] }, 400, 'holidays.0.date'],
])('business hours with %s are refused', async (_, change, status, says) => {
  const { call } = await newWorkspace();
  const answer = await call('POST', '/business-hours', { body: { ...OFFICE_HOURS, ...change } });
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(says)]);
  expect((await call('GET', '/business-hours')).body.totalCount).toBe(0);
});
