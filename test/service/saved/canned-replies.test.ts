import { expect, it } from 'vitest';

import { CANNED_REPLY_VARIABLES } from '../../../src/contract/index.ts';
import { fieldOf, withPeople } from './people.ts';

const VPN = {
  title: 'Reset the VPN',
  shortcut: 'vpn-reset',
  content: 'Hi {{requester.first_name}},\n\nplease restart it. {{ agent.name }}',
};

it('a canned reply is seen and changed like a view, and offered on the tickets of its queues', async () => {
  const { person, call } = await withPeople();
  const [ada, bo] = [await person('agent'), await person('agent')];
  const queue = (await call('POST', '/queues', { body: { name: 'IT', prefix: 'IT' } })).body.id;
  const personal = (await ada.send('POST', '/canned-replies', VPN)).body;
  expect(personal).toMatchObject({ ...VPN, isShared: false, ownerId: ada.personId, queueIds: [] });
  const shared = { title: 'Bye', shortcut: 'bye', content: 'Bye', isShared: true, queueIds: [queue] };
  const { id } = (await bo.send('POST', '/canned-replies', shared)).body;
  const shown = async (someone: typeof ada, query = '') =>
    fieldOf(await someone.send('GET', `/canned-replies${query}`), 'shortcut');
  expect([await shown(ada), await shown(bo)]).toEqual([['bye', 'vpn-reset'], ['bye']]);
  expect(await shown(ada, `?queueId=${queue}`)).toEqual(['bye', 'vpn-reset']);
  expect(await shown(ada, '?queueId=que_other')).toEqual(['vpn-reset']);
  expect(await shown(ada, '?search=RESTART')).toEqual(['vpn-reset']);
  expect((await bo.send('PUT', `/canned-replies/${personal.id}`, { title: 'x' })).status).toBe(404);
  expect((await ada.send('PUT', `/canned-replies/${id}`, { title: 'x' })).status).toBe(403);
  expect(
    (await bo.send('PUT', `/canned-replies/${id}`, { title: 'See you', queueIds: [] })).body,
  ).toMatchObject({ ...shared, title: 'See you', queueIds: [] });
  expect((await bo.send('DELETE', `/canned-replies/${id}`)).body.id).toBe(id);
  expect(await shown(bo)).toEqual([]);
});

it('an unknown variable is refused with the names of the known ones, and so is an unknown queue', async () => {
  const { person } = await withPeople();
  const ada = await person('agent');
  const { id } = (await ada.send('POST', '/canned-replies', VPN)).body;
  for (const [method, path] of [
    ['POST', '/canned-replies'],
    ['PUT', `/canned-replies/${id}`],
  ] as const) {
    const body = { ...VPN, shortcut: 'other', content: 'Hi {{requester.nick}} {{queue.name}}' };
    const refused = await ada.send(method, path, body);
    expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'content']);
    const message = refused.body.issues?.[0]?.message;
    for (const name of ['"requester.nick"', ...CANNED_REPLY_VARIABLES]) expect(message).toContain(name);
    const lost = await ada.send(method, path, { ...body, content: 'Hi', queueIds: ['que_none'] });
    expect([lost.status, lost.body.issues?.[0]?.path]).toEqual([422, 'queueIds']);
  }
  for (const shortcut of ['', 'Vpn', 'a b', '-a', 'a--b', 'ä', 'x'.repeat(51)])
    expect((await ada.send('POST', '/canned-replies', { ...VPN, shortcut })).status).toBe(400);
});

it('a shortcut is unique among the replies that a person sees, even if two are saved at once', async () => {
  const { person } = await withPeople();
  const [ada, bo] = [await person('agent'), await person('agent')];
  const save = (someone: typeof ada, isShared: boolean, shortcut = 'vpn') =>
    someone.send('POST', '/canned-replies', { ...VPN, shortcut, isShared });
  expect((await save(ada, false)).status).toBe(200);
  expect((await save(bo, false)).status).toBe(200);
  const again = await save(ada, false);
  expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
  const both = await Promise.all([save(ada, true, 'hi'), save(bo, true, 'hi')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await save(ada, false, 'hi')).status).toBe(409);
  const { id } = (await save(ada, false, 'mine')).body;
  expect((await ada.send('PUT', `/canned-replies/${id}`, { shortcut: 'hi' })).status).toBe(409);
  expect((await ada.send('PUT', `/canned-replies/${id}`, { shortcut: 'mine', title: 'T' })).status).toBe(200);
});
