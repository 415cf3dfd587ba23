import { expect, it } from 'vitest';

import { anotherWorkspace } from '../world.ts';
import { fieldOf, withPeople } from './people.ts';

const MINE = { name: 'Mine', filters: { assigneeId: 'me', openFilter: 'true' }, sortBy: 'dueAt' };

it('a personal view is seen by its owner only, a shared one by all agents', async () => {
  const { person, call, token } = await withPeople();
  const [ada, bo, admin] = [await person('agent'), await person('agent'), await person('admin')];
  const own = (await ada.send('POST', '/views', { ...MINE, sortDirection: 'desc' })).body;
  expect(own).toMatchObject({
    ...MINE,
    sortDirection: 'desc',
    isShared: false,
    ownerId: ada.personId,
    position: 0,
  });
  const shared = (await bo.send('POST', '/views', { name: 'VIP', isShared: true })).body;
  expect(shared).toMatchObject({ filters: {}, sortBy: null, ownerId: bo.personId, position: 1 });
  const names = async (someone: typeof ada) => fieldOf(await someone.send('GET', '/views'), 'name');
  expect([await names(ada), await names(bo), await names(admin)]).toEqual([
    ['Mine', 'VIP'],
    ['VIP'],
    ['VIP'],
  ]);
  for (const method of ['PUT', 'DELETE'])
    for (const other of [bo, admin])
      expect((await other.send(method, `/views/${own.id}`, { name: 'Taken' })).status).toBe(404);
  expect(fieldOf(await call('GET', '/views', { token }), 'name')).toEqual(['VIP']);
  expect(fieldOf(await call('GET', '/views?includePersonal=true'), 'name')).toEqual(['Mine', 'VIP']);
  expect(fieldOf(await admin.send('GET', '/views?includePersonal=true'), 'name')).toEqual(['VIP']);
});

it('a shared view is changed by its owner and by admins, and made personal by its owner', async () => {
  const { person } = await withPeople();
  const [ada, bo, admin] = [await person('agent'), await person('agent'), await person('admin')];
  const { id } = (await ada.send('POST', '/views', { ...MINE, isShared: true })).body;
  const path = `/views/${id}`;
  for (const method of ['PUT', 'DELETE'])
    expect((await bo.send(method, path, { name: 'Taken' })).status).toBe(403);
  const changed = await admin.send('PUT', path, {
    name: ' Ours ',
    filters: { tagId: 'tag_1' },
    sortBy: null,
  });
  expect(changed.body).toMatchObject({
    name: 'Ours',
    filters: { tagId: 'tag_1' },
    sortBy: null,
    isShared: true,
    ownerId: ada.personId,
  });
  expect((await admin.send('PUT', path, { isShared: false })).status).toBe(403);
  expect((await ada.send('PUT', path, { isShared: false, position: 7 })).body).toMatchObject({
    name: 'Ours',
    isShared: false,
    position: 7,
  });
  expect((await admin.send('DELETE', path)).status).toBe(404);
  expect((await ada.send('DELETE', path)).body.id).toBe(id);
  expect(fieldOf(await ada.send('GET', '/views'), 'id')).toEqual([]);
});

it('a view that the ticket list would refuse or ignore is refused, and so is a personal one of nobody', async () => {
  const running = await withPeople();
  const { person, call, db } = running;
  const ada = await person('agent');
  for (const [field, wrong] of [
    ['filters', { filters: { colour: 'red' } }],
    ['filters', { filters: { cursor: 'x' } }],
    ['filters.openFilter', { filters: { openFilter: 'perhaps' } }],
    ['filters.due', { filters: { due: 'tomorrow' } }],
    ['filters.sortBy', { sortBy: 'relevance' }],
    ['sortBy', { sortBy: 'colour' }],
  ] as const) {
    const { status, body } = await ada.send('POST', '/views', { name: 'V', ...wrong });
    expect([wrong, status, body.issues?.[0]?.path]).toEqual([wrong, 400, field]);
  }
  const { id } = (await ada.send('POST', '/views', { name: 'V', filters: { search: 'x' } })).body;
  expect((await ada.send('PUT', `/views/${id}`, { sortBy: 'relevance' })).status).toBe(200);
  expect((await ada.send('PUT', `/views/${id}`, { filters: {} })).status).toBe(400);
  const other = await anotherWorkspace(running);
  await db.updateTable('api_key').set({ person_id: null }).execute();
  const nobody = await call('POST', '/views', { token: other.token, body: { name: 'V' } });
  expect([nobody.status, nobody.body.issues?.[0]?.path]).toEqual([422, 'isShared']);
});
