import { expect, it } from 'vitest';

import type { TicketActivity } from '../../../src/contract/index.ts';
import { MovableClock } from '../clock.ts';
import { type Running, sharedService, startTestService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';
import { create, person, put, queue, statuses } from './requests.ts';

const newWorkspace = sharedService();

type Started = Running;

async function activity({ call }: Started, id: string, token?: string): Promise<TicketActivity[]> {
  const answer = await call('GET', `/tickets/${id}/activity`, token === undefined ? {} : { token });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body.items as unknown as TicketActivity[];
}

/** The entries as `field: from → to`, with names. */
function lines(entries: readonly TicketActivity[]): string[] {
  const name = (value: TicketActivity['from']) =>
    value === null ? '–' : typeof value === 'string' ? value : value.name;
  return entries.map(({ kind, field, from, to }) => `${kind} ${field ?? ''}: ${name(from)} → ${name(to)}`);
}

it('the activity has one entry per change of a field people look up, with names, oldest first', async () => {
  const service = await newWorkspace();
  const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
  const labels = await statuses(service);
  const hr = await queue(service, 'HR');
  const tag = (await service.call('POST', '/tags', { body: { name: 'vip' } })).body.id;
  const type = (await service.call('POST', '/request-types', { body: { name: 'Access' } })).body.id;
  const { id } = await create(service, { requesterId: ada, authorId: ada });
  const due = '2026-12-01T10:00:00.000Z';
  await put(service, id, { statusId: labels['In Progress'], assigneeId: ben, priority: 'HIGH' });
  await put(service, id, { description: 'Told without its text', customFields: { floor: 2 } });
  await put(service, id, { queueId: hr, title: 'Another title', private: true });
  await put(service, id, { addTags: [{ id: tag }], dueAt: due, requestTypeId: type, approverIds: [ben] });
  await put(service, id, { removeTags: [{ id: tag }], dueAt: null, snoozeUntil: due });
  await put(service, id, { approvedAt: due }, { approverId: ben });
  // A write that changes nothing adds nothing.
  await put(service, id, { priority: 'HIGH', addTags: [] });
  const entries = await activity(service, id);
  expect(lines(entries).slice(0, 1)).toEqual(['created : – → –']);
  expect(entries[0]?.actor).toEqual({ kind: 'person', id: ada, name: 'Ada' });
  expect(lines(entries).slice(1)).toEqual([
    'changed statusId: Open → In Progress',
    'changed assigneeId: – → Ben',
    'changed priority: MEDIUM → HIGH',
    'changed description: – → –',
    'changed customFields: – → floor',
    expect.stringMatching(/^changed queueId: .+ → HR$/),
    'changed title: A ticket → Another title',
    'changed private: false → true',
    `changed dueAt: – → ${due}`,
    'changed requestTypeId: – → Access',
    'changed tags: – → vip',
    'changed approvers: – → Ben',
    `changed dueAt: ${due} → –`,
    `changed snoozeUntil: – → ${due}`,
    'changed tags: vip → –',
    'changed approval: – → approved',
  ]);
  expect(entries.at(-1)?.actor).toEqual({ kind: 'person', id: ben, name: 'Ben' });
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted());
  // What is gone has a name all the same.
  await service.call('DELETE', `/tags/${tag}`);
  expect(lines(await activity(service, id))).toContain('changed tags: – → Deleted tag');
});

it('who created a ticket stays so, whoever is its author later', async () => {
  const service = await newWorkspace();
  const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
  const { id } = await create(service, { requesterId: ada, authorId: ada });
  await put(service, id, { authorId: ben });
  await put(service, id, { authorId: null });
  const entries = await activity(service, id);
  expect(entries[0]?.actor).toEqual({ kind: 'person', id: ada, name: 'Ada' });
  expect(lines(entries).slice(1)).toEqual(['changed authorId: Ada → Ben', 'changed authorId: Ben → –']);
});

it('an entry names the person, the key, or the user for whom the key acts; an erased one is nameless', async () => {
  const service = await newWorkspace();
  const { db } = openTables(service);
  const ada = await person(service, 'Ada');
  const mira = await signIn(db, service.workspaceId, { role: 'agent', name: 'Mira' });
  const { id } = await create(service);
  await service.call('PUT', `/tickets/${id}`, {
    token: mira.token,
    body: { data: { priority: 'LOW' } },
  });
  await put(service, id, { priority: 'HIGH' });
  await put(service, id, { priority: 'URGENT' }, { actorId: ada });
  await put(service, id, { priority: 'LOW' }, { actorId: 'usr_of_nobody' });
  const actors = async () => (await activity(service, id)).slice(1).map(({ actor }) => actor);
  const key = { kind: 'key', id: expect.stringMatching(/^key_/) as string, name: 'test' };
  expect(await actors()).toEqual([
    { kind: 'person', id: mira.personId, name: 'Mira' },
    key,
    { kind: 'person', id: ada, name: 'Ada' },
    key,
  ]);
  const forOther = await service.call('PUT', `/tickets/${id}`, {
    token: mira.token,
    body: { data: { priority: 'HIGH' }, actorId: ada },
  });
  expect(forOther.status).toBe(403);
  expect((await service.call('DELETE', `/users/${ada}`)).status).toBe(200);
  expect((await actors())[2]).toEqual({ kind: 'person', id: ada, name: 'Deleted user' });
});

it('a refused update says who changed the field meanwhile, and to what', async () => {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const mira = await signIn(openTables(service).db, service.workspaceId, { role: 'agent', name: 'Mira' });
  const labels = await statuses(service);
  const { id, statusId } = await create(service, { description: 'Before' });
  const waiting = labels['Waiting'] ?? '';
  await service.call('PUT', `/tickets/${id}`, {
    token: mira.token,
    body: { data: { statusId: waiting, dueAt: '2026-12-01T10:00:00Z' } },
  });
  const refused = await put(service, id, { statusId: labels['Done'] }, { expected: { statusId } });
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body).toMatchObject({
    message: 'Mira changed the status to Waiting. Check the ticket and try again.',
    conflict: {
      field: 'statusId',
      value: { id: waiting, name: 'Waiting' },
      by: { kind: 'person', id: mira.personId, name: 'Mira' },
    },
  });
  expect((await service.call('GET', `/tickets/${id}`)).body.statusId).toBe(waiting);
  // The same instant in another notation, and a value that is there already.
  const expected = { dueAt: '2026-12-01T11:00:00+01:00', statusId };
  expect((await put(service, id, { statusId: waiting, title: 'New' }, { expected })).status).toBe(200);
  // Changes that are not recorded name nobody.
  await put(service, id, { description: 'After' });
  const described = await put(service, id, { title: 'Newer' }, { expected: { description: 'Before' } });
  expect(described.body).toMatchObject({
    message: 'test changed the description. Check the ticket and try again.',
    conflict: { field: 'description', by: { kind: 'key', name: 'test' } },
  });

  // Custom fields one by one; their answers may be private, so the refusal does not tell them.
  await service.call('PUT', `/tickets/${id}`, {
    token: mira.token,
    body: { data: { customFields: { floor: 2, seats: [1] } } },
  });
  for (const [data, values, status] of [
    [{ customFields: { floor: 3 } }, { floor: null }, 409],
    [{ customFields: { floor: 2 } }, { floor: null }, 200],
    [{ customFields: { floor: 3 } }, { floor: 2, seats: [1] }, 200],
    [{ title: 'Newest' }, { seats: [2] }, 409],
    [{ title: 'Newest' }, { unknown: null }, 200],
  ] as const)
    expect((await put(service, id, data, { expected: { customFields: values } })).status).toBe(status);
  const answered = await put(service, id, { title: 'Newest' }, { expected: { customFields: { seats: 2 } } });
  expect(answered.body).toMatchObject({
    message: 'Mira changed “seats”. Check the ticket and try again.',
    conflict: { field: 'customFields.seats', value: null },
  });

  // Followers are compared in any order: whoever adds one sends all.
  const follow = (ids: string[]) => ids.map((each) => ({ id: each }));
  const [one = '', two = '', three = ''] = await Promise.all(
    ['One', 'Two', 'Three'].map(async (firstName) => {
      const made = await service.call('POST', '/users', { body: { firstName } });
      return made.body.id;
    }),
  );
  for (const [followers, before, status] of [
    [[one], [], 200],
    [[two], [], 409],
    [[one, two], [one], 200],
    [[one, two, three], [two, one], 200],
    [[three, one, two], [], 200],
    [[], [one], 409],
    [[one], null, 409],
  ] as [string[], string[] | null, number][]) {
    const known = { expected: { followers: before && follow(before) } };
    const written = await put(service, id, { followers: follow(followers) }, known);
    expect([followers, written.status]).toEqual([followers, status]);
    if (status === 409)
      expect(written.body).toMatchObject({
        message: 'Another user changed the followers. Check the ticket and try again.',
        conflict: { field: 'followers', value: null, by: null },
      });
  }
  expect((await service.call('GET', `/tickets/${id}`)).body.followers).toHaveLength(3);

  const at = '2026-11-20T10:00:00.000Z';
  await put(service, id, { approvedAt: at });
  expect((await put(service, id, { declinedAt: at })).body.conflict).toMatchObject({
    field: 'approval',
    value: 'approved',
  });
});

it('presence shows who looks at a ticket or writes on it for 30 seconds, or until they leave', async () => {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const { db } = openTables(service);
  const sign = (name: string) => signIn(db, service.workspaceId, { role: 'agent', name, now: clock.now() });
  const [mira, noor] = [await sign('Mira'), await sign('Noor')];
  const [one, two] = [(await create(service)).id, (await create(service)).id];
  const set = (token: string, id: string, state: string, more = {}) =>
    service.call('PUT', `/tickets/${id}/presence`, { token, body: { state, ...more } });
  const shown = async (id: string) => {
    const { people } = (await service.call('GET', `/tickets/${id}/presence`)).body;
    return people.map(({ name, state }) => `${name} ${state}`).sort();
  };
  const first = await set(mira.token, one, 'viewing');
  const until = new Date(clock.now().getTime() + 30_000).toISOString();
  expect(first.body).toEqual({
    people: [{ userId: mira.personId, name: 'Mira', state: 'viewing', until }],
  });
  await set(noor.token, one, 'viewing');
  await set(noor.token, one, 'typing');
  await set(noor.token, two, 'viewing');
  expect([await shown(one), await shown(two)]).toEqual([['Mira viewing', 'Noor typing'], ['Noor viewing']]);
  clock.pass(20_000);
  await set(mira.token, one, 'viewing');
  await set(noor.token, two, 'gone');
  clock.pass(10_000);
  expect([await shown(one), await shown(two)]).toEqual([['Mira viewing'], []]);
  clock.pass(20_000);
  expect(await shown(one)).toEqual([]);
  // Old rows do not stay.
  await set(mira.token, two, 'viewing');
  const rows = await db.selectFrom('ticket_presence').select('ticket_id').execute();
  expect(rows.filter(({ ticket_id }) => ticket_id === one)).toHaveLength(1);
  expect((await set(mira.token, one, 'viewing', { userId: noor.personId })).status).toBe(403);
  expect((await set(service.token, one, 'viewing', { userId: 'usr_of_nobody' })).status).toBe(422);
  expect((await set(mira.token, one, 'asleep')).status).toBe(400);
});
