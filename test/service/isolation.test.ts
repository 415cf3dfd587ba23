import { describe, expect, it } from 'vitest';

import { isList, type Route, routes } from '../../src/contract/index.ts';
import { sharedService, startTestService } from './harness.ts';
import { startReceiver } from './receiver.ts';
import { anotherWorkspace, createWorld, keyOfBoth, openTables } from './world.ts';

const newWorkspace = sharedService();

describe('ids that callers choose', () => {
  it.each([
    ['/agents', { name: 'A', description: 'd' }],
    ['/personalities', { persona: 'calm' }],
    ['/kbs', { name: 'K' }],
    ['/request-types', { name: 'R' }],
  ])('%s rejects an id of another workspace, and changes nothing there', async (path, body) => {
    const running = await newWorkspace();
    const { call } = running;
    const made = await call('POST', path, { body });
    expect(made.status).toBe(200);
    const other = await anotherWorkspace(running);
    const taken = await call('POST', path, { token: other.token, body: { ...body, id: made.body.id } });
    expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
    const { items } = (await call('GET', `${path}?set=${made.body.id}`)).body;
    expect(items.map(({ id }) => id)).toEqual([made.body.id]);
    expect((await call('POST', path, { body: { ...body, id: made.body.id } })).status).toBe(200);
  });
});

describe('a revoked key', () => {
  it('disables its webhooks with the reason, until a valid key enables one', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const receiver = await startReceiver();
    const key = (await call('POST', '/api-keys', { body: { name: 'for a while', role: 'agent' } })).body;
    const made = await call('POST', '/webhooks', { token: key.key, body: { url: receiver.url } });
    expect(made.body).toMatchObject({ createdByKeyId: key.id, deactivatedReason: null });
    await call('DELETE', `/api-keys/${key.id}`);
    await call('POST', '/tickets', { body: { title: 'secret', private: true } });
    expect((await call('GET', `/webhooks/${made.body.id}`)).body).toMatchObject({
      active: false,
      deactivatedReason: 'key-revoked',
    });
    const deliveries = await openTables(running)
      .db.selectFrom('delivery')
      .select('id')
      .where('workspace_id', '=', running.workspaceId)
      .execute();
    expect([deliveries, receiver.calls]).toEqual([[], []]);

    const on = await call('PUT', `/webhooks/${made.body.id}`, { body: { active: true } });
    expect(on.body).toMatchObject({ active: true, deactivatedReason: null });
    expect((on.body as { createdByKeyId?: string }).createdByKeyId).not.toBe(key.id);
    await call('POST', '/tickets', { body: { title: 'another' } });
    await receiver.received(1);
  });
});

describe('a data directory’s own key', () => {
  it('replaces the previous key of that directory, and no other', async () => {
    const { service, call } = await startTestService();
    const install = (token: string, dataDirectory?: string) =>
      service.installKey({ token, name: 'deskbridge', role: 'admin', rateLimit: null, dataDirectory });
    const works = async (token: string) => (await call('GET', '/queues', { token })).status === 200;
    await install('dbk_first_own_key', 'directory-1');
    await install('dbk_another_machine', 'directory-2');
    await install('dbk_given_by_a_setting');
    await install('dbk_first_own_key', 'directory-1');
    expect(await works('dbk_first_own_key')).toBe(true);
    await install('dbk_second_own_key', 'directory-1');
    expect([
      await works('dbk_first_own_key'),
      await works('dbk_second_own_key'),
      await works('dbk_another_machine'),
      await works('dbk_given_by_a_setting'),
    ]).toEqual([false, true, true, true]);
  });

  it('replaces those of every directory where the database has one only, and no given key', async () => {
    const { service, call } = await startTestService();
    const install = (token: string, dataDirectory?: string) =>
      service.installKey({ token, name: 'deskbridge', role: 'admin', dataDirectory, isOnlyDirectory: true });
    const works = async (token: string) => (await call('GET', '/queues', { token })).status === 200;
    await install('dbk_given_by_a_setting');
    await install('dbk_of_removed_files', 'directory-removed');
    await install('dbk_of_new_files', 'directory-new');
    expect([
      await works('dbk_of_removed_files'),
      await works('dbk_of_new_files'),
      await works('dbk_given_by_a_setting'),
    ]).toEqual([false, true, true]);
  });
});

it('a reference that two workspaces have is looked up in the named one, for reads and writes', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const other = await anotherWorkspace(running);
  await openTables(running)
    .db.updateTable('queue_prefix')
    .set({ prefix: 'HELP' })
    .where('prefix', '=', 'OTH')
    .execute();
  const both = await keyOfBoth(running, other.workspaceId);
  const home = (await call('POST', '/tickets', { body: { title: 'home' } })).body;
  const away = (await call('POST', '/tickets', { token: other.token, body: { title: 'away' } })).body;
  const named = `?workspaceId=${other.workspaceId}`;
  const title = async (path: string) => (await call('GET', path, { token: both })).body.title;
  expect([await title('/tickets/HELP-1'), await title(`/tickets/HELP-1${named}`)]).toEqual(['home', 'away']);
  expect((await call('GET', '/tickets/HELP-1?workspaceId=wsp_none', { token: both })).status).toBe(404);

  await call('PUT', `/tickets/HELP-1${named}`, { token: both, body: { data: { priority: 'URGENT' } } });
  const content = { ticketId: 'HELP-1', content: 'for the other', workspaceId: other.workspaceId };
  const message = await call('POST', '/ticket-messages', { token: both, body: content });
  expect([message.status, message.body.ticketId]).toEqual([200, away.id]);
  const listed = await call('GET', `/ticket-messages${named}&ticketId=HELP-1`, { token: both });
  expect(listed.body.items.map(({ id }) => id)).toEqual([message.body.id]);
  const priority = async (id: string) => (await call('GET', `/tickets/${id}`, { token: both })).body;
  expect([await priority(home.id), await priority(away.id)]).toMatchObject([
    { priority: 'MEDIUM' },
    { priority: 'URGENT' },
  ]);
});

it('without a named workspace, a reference is looked up in the home workspace only, and an id in every one', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const other = await anotherWorkspace(running);
  const token = await keyOfBoth(running, other.workspaceId);
  const { id } = (await call('POST', '/tickets', { token: other.token, body: { title: 'away' } })).body;
  const read = async (path: string) => (await call('GET', path, { token })).status;
  expect(await read('/tickets/OTH-1')).toBe(404);
  expect(await read(`/tickets/OTH-1?workspaceId=${other.workspaceId}`)).toBe(200);
  expect(await read(`/tickets/${id}`)).toBe(200);
  const written = await call('POST', '/ticket-messages', {
    token,
    body: { ticketId: 'OTH-1', content: 'x' },
  });
  expect(written.status).toBe(404);
});

it('without a named workspace, lists have the records of the key’s home workspace, but all queues and workspaces', async () => {
  const running = await newWorkspace();
  const other = await anotherWorkspace(running);
  const token = await keyOfBoth(running, other.workspaceId);
  await createWorld(running);
  const { workspace: _, ...world } = await createWorld(running, other.token);
  const lists = (Object.entries(routes) as [string, Route][]).filter(
    ([name, route]) => isList(route.answer) && !route.params && name !== 'listWorkflowApps',
  );
  expect(lists.length).toBeGreaterThan(15);
  const foreign = new RegExp(Object.values(world).join('|'));
  for (const [name, { path }] of lists) {
    const query = name === 'semanticSearch' ? 'query=ticket&' : 'limit=1000&';
    const listed = async (workspaceId: string) => {
      const { status, body } = await running.call('GET', `${path}?${query}workspaceId=${workspaceId}`, {
        token,
      });
      expect([name, status]).toEqual([name, 200]);
      return { shows: foreign.test(JSON.stringify(body)), count: body.totalCount };
    };
    const [all, home, there] = [
      await listed(''),
      await listed(running.workspaceId),
      await listed(other.workspaceId),
    ];
    if (name === 'listQueues' || name === 'listWorkspaces')
      expect([name, all.count]).toEqual([name, home.count + there.count]);
    else expect([name, all]).toEqual([name, home]);
    expect([name, home.shows]).toEqual([name, false]);
    // Applications are imported and audit entries are the service's own: there are none here.
    if (there.count > 0) expect([name, there.shows]).toEqual([name, true]);
  }
});
