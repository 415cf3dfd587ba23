import { describe, expect, it } from 'vitest';

import { MovableClock } from '../clock.ts';
import { type Running, sharedService, startTestService } from '../harness.ts';
import { create, person, put, queue, statuses } from './requests.ts';

const newWorkspace = sharedService();

/** The titles of what a list, a count and a search find with the same filters. */
async function titlesOf({ call }: Running, filters: Record<string, string>) {
  const found = async (path: string, query: Record<string, string>) => {
    const answer = await call('GET', `${path}?${new URLSearchParams({ ...filters, ...query }).toString()}`);
    expect([answer.status, answer.body.code]).toEqual([200, undefined]);
    return answer.body.items.map(({ title }) => title).toSorted();
  };
  const list = await found('/tickets', {});
  const counted = await call('POST', '/tickets/counts', { body: { filters: [{ key: '', query: filters }] } });
  expect((counted.body as unknown as { counts: unknown }).counts).toEqual([
    { key: '', count: list.length, isCapped: false },
  ]);
  expect(await found('/tickets/semantic-search', { query: 'lamp', limit: '20' })).toEqual(list);
  return list;
}

/** Makes three values for a filter; each is what a ticket is given, and what the filter is then called by. */
const VALUES: Record<string, (service: Running) => Promise<{ given: object; value: string }[]>> = {
  priority: async () => ['URGENT', 'HIGH', 'LOW'].map((value) => ({ given: { priority: value }, value })),
  statusId: async (service) => {
    const { Open: open = '', Waiting: waiting = '', 'In Progress': progress = '' } = await statuses(service);
    return [open, waiting, progress].map((value) => ({ given: { statusId: value }, value }));
  },
  queueId: async (service) => {
    const made = [await queue(service, 'AAA'), await queue(service, 'BBB'), await queue(service, 'CCC')];
    return made.map((value) => ({ given: { queueId: value }, value }));
  },
  requesterId: ofPeople((id) => ({ requesterId: id })),
  authorId: ofPeople((id) => ({ authorId: id })),
  assigneeId: ofPeople((id) => ({ assigneeId: id })),
  approverId: ofPeople((id) => ({ approverIds: [id] })),
  followerId: ofPeople((id) => ({ followers: [{ id }] })),
  tagId: async ({ call }) => {
    const made = [];
    for (const name of ['one', 'two', 'three'])
      made.push((await call('POST', '/tags', { body: { name } })).body.id);
    return made.map((value) => ({ given: { tags: [{ id: value }] }, value }));
  },
  requestTypeId: async ({ call }) => {
    const made = [];
    for (const name of ['One', 'Two', 'Three'])
      made.push((await call('POST', '/request-types', { body: { name } })).body.id);
    return made.map((value) => ({ given: { requestTypeId: value }, value }));
  },
  parentId: async (service) => {
    const made = [];
    for (const title of ['P', 'Q', 'R']) made.push((await create(service, { title })).id);
    return made.map((value) => ({ given: { parentId: value }, value }));
  },
};

function ofPeople(given: (id: string) => object) {
  return async (service: Running) => {
    const ids = [await person(service, 'Ada'), await person(service, 'Ben'), await person(service, 'Cleo')];
    return ids.map((value) => ({ given: given(value), value }));
  };
}

describe('a filter by several values, with commas between them, finds what has any of them', () => {
  it.each(Object.keys(VALUES))('%s', async (filter) => {
    const service = await newWorkspace();
    const values = (await VALUES[filter]?.(service)) ?? [];
    for (const [at, { given }] of values.entries()) await create(service, { title: `Lamp ${at}`, ...given });
    const [first, second, third] = values.map(({ value }) => value);
    expect(await titlesOf(service, { [filter]: `${first}` })).toEqual(['Lamp 0']);
    expect(await titlesOf(service, { [filter]: `${third}, ${first},${third}` })).toEqual([
      'Lamp 0',
      'Lamp 2',
    ]);
    expect(await titlesOf(service, { [filter]: `${second},${second}` })).toEqual(['Lamp 1']);
  });
});

it('one of several values that is none is refused, and not left out', async () => {
  const { call } = await newWorkspace();
  for (const [filter, value] of [
    ['priority', 'HIGH,SOON'],
    ['priority', 'HIGH,'],
    ['due', 'today,tomorrow'],
    ['assigneeId', ','],
    ['tagId', Array.from({ length: 1001 }, (_, at) => at).join()],
  ])
    for (const path of ['/tickets?', '/tickets/semantic-search?query=lamp&']) {
      const { status, body } = await call('GET', `${path}${filter}=${value}`);
      expect([filter, status, body.issues?.map((issue) => issue.path)]).toEqual([filter, 400, [filter]]);
    }
});

it('a search is narrowed down by every filter of a list', async () => {
  const service = await startTestService({ clock: new MovableClock() });
  const ada = await person(service, 'Ada');
  const { Done } = await statuses(service);
  // It is the 20th of November 2026, 09:30.
  await create(service, { title: 'Lamp late', dueAt: '2026-11-19T00:00:00Z' });
  await create(service, { title: 'Lamp today', dueAt: '2026-11-20T20:00:00Z' });
  await create(service, { title: 'Lamp next week', dueAt: '2026-11-24T20:00:00Z' });
  await create(service, { title: 'Lamp asleep', snoozeUntil: '2026-12-01T08:00:00Z' });
  await create(service, { title: 'Lamp to approve', approverIds: [ada] });
  await create(service, { title: 'Lamp private', private: true });
  const { id } = await create(service, { title: 'Lamp done', assigneeId: ada });
  await put(service, id, { statusId: Done });
  const all = ['asleep', 'done', 'late', 'next week', 'private', 'to approve', 'today'];
  const without = (...names: string[]) => all.filter((name) => !names.includes(name));
  const cases: [Record<string, string>, string[]][] = [
    [{}, all],
    [{ due: 'overdue' }, ['late']],
    [{ due: 'overdue,today' }, ['late', 'today']],
    [{ due: 'overdue,week', timeZone: 'Europe/Berlin' }, ['late', 'next week', 'today']],
    [{ snoozedFilter: 'true' }, ['asleep']],
    [{ snoozed: 'false' }, without('asleep')],
    [{ undecidedFilter: 'true' }, ['to approve']],
    [{ undecidedFilter: 'true', approverId: 'usr_none' }, []],
    [{ private: 'true' }, ['private']],
    [{ openFilter: 'true' }, without('done')],
    [{ unassignedFilter: 'true' }, without('done')],
    [{ createdFrom: '2026-11-21T00:00:00Z' }, []],
    [{ createdTo: '2026-11-21T00:00:00Z', updatedFrom: '2026-11-20T00:00:00Z' }, all],
    [{ updatedTo: '2026-11-19T00:00:00Z' }, []],
  ];
  for (const [filters, names] of cases)
    expect([filters, await titlesOf(service, filters)]).toEqual([
      filters,
      names.map((name) => `Lamp ${name}`),
    ]);
});
