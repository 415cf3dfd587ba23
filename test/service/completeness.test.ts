import { describe, expect, it } from 'vitest';

import { type Source, webhookEvent } from '../../src/contract/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { type Body, type Running, sharedService, startTestService } from './harness.ts';
import { anotherWorkspace, openTables } from './world.ts';

const newWorkspace = sharedService();

async function make({ call }: Running, path: string, body: object): Promise<Body> {
  const answer = await call('POST', path, { body });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
}

describe('a new ticket of a request type', () => {
  it('gets a title from the template if it has none, with its fields in readable form', async () => {
    const service = await newWorkspace();
    const field = async (label: string, type: string, options?: object[]) =>
      (await make(service, '/custom-fields', { label, type, options })).id;
    const fields = [
      await field('Device', 'SELECT', [{ value: 'Laptop' }, { value: 'Phone' }]),
      await field('Count', 'NUMBER'),
      await field('Tags', 'MULTI_SELECT', [{ value: 'new' }, { value: 'urgent' }]),
      await field('Manager', 'USER_SELECT'),
      await field('Note', 'TEXT'),
    ];
    const ada = (await make(service, '/users', { firstName: 'Ada', lastName: 'Reyes' })).id;
    const type = await make(service, '/request-types', {
      name: 'Hardware',
      titleTemplate:
        '{{requestType}}: {{ count }} × {{device}} ({{tags}}) for {{requester}} {{manager}}{{nothing}}',
      customFields: fields.map((customFieldId, order) => ({ customFieldId, order })),
    });
    const customFields = { device: 'Phone', count: 2, tags: ['new', 'urgent'], manager: ada };
    const open = async (body: object) =>
      (await make(service, '/tickets', { requestTypeId: type.id, requesterId: ada, customFields, ...body }))
        .title;
    expect(await open({ description: 'Please' })).toBe('Hardware: 2 × Phone (new, urgent) for Ada Reyes');
    expect(await open({ title: 'My own words' })).toBe('My own words');
    const change = (titleTemplate: string | null) =>
      service.call('PUT', `/request-types/${type.id}`, { body: { titleTemplate } });
    await change('{{note}}');
    expect(await open({ description: 'What the description says' })).toBe('What the description says');
    // Users' text is text: placeholders in it are not filled in.
    expect(
      await open({
        description: 'x',
        customFields: { ...customFields, note: '{{requester}} $& <!channel>' },
      }),
    ).toBe('{{requester}} $& <!channel>');
    expect(await open({ description: 'x', customFields: { ...customFields, note: '😀'.repeat(400) } })).toBe(
      'x',
    );
    await change('A{{note}}');
    const cut = await open({ description: 'x', customFields: { ...customFields, note: '😀'.repeat(400) } });
    expect([cut.length <= 500, cut.isWellFormed()]).toEqual([true, true]);
    await change(null);
    expect(await open({ description: 'Plain' })).toBe('Plain');
  });

  it('gets the tags of the request type in addition to its own, each once', async () => {
    const service = await newWorkspace();
    const [a, b, c] = [
      await make(service, '/tags', { name: 'a' }),
      await make(service, '/tags', { name: 'b' }),
      await make(service, '/tags', { name: 'c' }),
    ];
    const type = await make(service, '/request-types', { name: 'R', tags: [{ id: a.id }, { id: b.id }] });
    const tagsOf = (ticket: Body) =>
      (ticket as unknown as { tags: { name: string }[] }).tags.map(({ name }) => name);
    const ticket = await make(service, '/tickets', {
      title: 'T',
      requestTypeId: type.id,
      tags: [{ id: c.id }, { id: b.id }],
    });
    expect(tagsOf(ticket)).toEqual(['a', 'b', 'c']);
    expect(tagsOf(await make(service, '/tickets', { title: 'T', requestTypeId: type.id }))).toEqual([
      'a',
      'b',
    ]);
    expect(tagsOf(await make(service, '/tickets', { title: 'T' }))).toEqual([]);
  });
});

it('PUT /statuses links a sub-status to other request types or to none, keeps unchanged links, and rejects system statuses', async () => {
  const service = await newWorkspace();
  const { items } = (await service.call('GET', '/statuses')).body as unknown as {
    items: { id: string; statusGroupId: string; system: boolean }[];
  };
  const [one, two] = [
    await make(service, '/request-types', { name: 'One' }),
    await make(service, '/request-types', { name: 'Two' }),
  ];
  const status = await make(service, '/statuses', {
    label: 'Ordered',
    statusGroupId: items[1]?.statusGroupId,
    requestTypeIds: [one.id],
  });
  type Tied = { id: string; requestTypeId: string }[];
  const put = async (body: object) => {
    const answer = await service.call('PUT', '/statuses', { body: { id: status.id, ...body } });
    return { status: answer.status, ties: (answer.body as unknown as { requestTypes: Tied }).requestTypes };
  };
  const { ties: before } = await put({ label: 'Ordered!' });
  expect(before.map(({ requestTypeId }) => requestTypeId)).toEqual([one.id]);
  const { ties: both } = await put({ requestTypeIds: [two.id, one.id, two.id] });
  expect(new Set(both.map(({ requestTypeId }) => requestTypeId))).toEqual(new Set([one.id, two.id]));
  expect(both).toContainEqual(before[0]);
  const open = (requestTypeId: string | null) =>
    service.call('POST', '/tickets', { body: { title: 'T', statusId: status.id, requestTypeId } });
  const ticket = await open(one.id);
  expect([ticket.status, (await open(null)).status]).toEqual([200, 422]);
  expect((await put({ requestTypeIds: [two.id] })).ties).toHaveLength(1);
  expect((await open(one.id)).status).toBe(422);
  // A ticket with that status keeps it.
  const kept = await service.call('PUT', `/tickets/${ticket.body.id}`, { body: { data: { title: 'Kept' } } });
  expect([kept.status, kept.body.statusId]).toEqual([200, status.id]);
  expect((await put({ requestTypeIds: [] })).ties).toEqual([]);
  expect((await open(null)).status).toBe(200);
  expect((await put({ requestTypeIds: ['rqt_none'] })).status).toBe(422);
  const system = { id: items[0]?.id, requestTypeIds: [one.id] };
  expect((await service.call('PUT', '/statuses', { body: system })).status).toBe(422);
});

it('documents of a knowledge base are listed, read and removed; with the base they disappear, and it is removed from agents and queues', async () => {
  const service = await newWorkspace();
  const { call } = service;
  const other = await anotherWorkspace(service);
  const kb = await make(service, '/kbs', { name: 'IT', queueIds: [] });
  const agent = await make(service, '/agents', { name: 'A', kbIds: [kb.id] });
  const add = (title: string) =>
    make(service, `/kbs/${kb.id}/documents`, { title, content: `About ${title}` });
  const [vpn, mail] = [await add('VPN'), await add('Mail')];
  const list = async (query = '') => (await call('GET', `/kbs/${kb.id}/documents${query}`)).body;
  expect((await list()).items).toEqual([vpn, mail]);
  expect((await list('?search=mai')).items).toEqual([mail]);
  expect((await list('?sortBy=title&limit=1')).items).toEqual([mail]);
  expect((await call('GET', `/kbs/${kb.id}/documents/${vpn.id}`)).body).toEqual(vpn);
  // Neither another workspace nor another knowledge base can read it.
  const second = await make(service, '/kbs', { name: 'HR' });
  expect((await call('GET', `/kbs/${second.id}/documents/${vpn.id}`)).status).toBe(404);
  expect((await call('DELETE', `/kbs/${kb.id}/documents/${vpn.id}`, { token: other.token })).status).toBe(
    404,
  );
  expect((await call('DELETE', `/kbs/${kb.id}/documents/${vpn.id}`)).body).toEqual(vpn);
  expect((await call('GET', `/kbs/${kb.id}/documents/${vpn.id}`)).status).toBe(404);
  expect((await list()).totalCount).toBe(1);
  expect((await call('DELETE', `/kbs/${kb.id}`, { token: other.token })).status).toBe(404);
  expect((await call('DELETE', `/kbs/${kb.id}`)).body).toMatchObject({
    id: kb.id,
    _count: { kBDocuments: 1 },
  });
  expect((await call('GET', `/kbs/${kb.id}/documents`)).status).toBe(404);
  expect((await call('GET', `/agents/${agent.id}`)).body).toMatchObject({ kBs: [] });
});

it('a personality in use by an agent or the workspace cannot be removed (409); any other can', async () => {
  const service = await newWorkspace();
  const { call, workspaceId } = service;
  const { id } = await make(service, '/personalities', { persona: 'Warm' });
  const agent = await make(service, '/agents', { name: 'A', personalityId: id });
  const remove = () => call('DELETE', `/personalities/${id}`);
  expect((await remove()).status).toBe(409);
  await call('DELETE', `/agents/${agent.id}`);
  await call('PUT', `/workspaces/${workspaceId}`, { body: { activePersonalityId: id } });
  expect((await remove()).status).toBe(409);
  await call('PUT', `/workspaces/${workspaceId}`, { body: { activePersonalityId: null } });
  expect(await remove()).toMatchObject({ status: 200, body: { id, persona: 'Warm' } });
  expect((await remove()).status).toBe(404);
  // An agent that is restored has none.
  expect((await call('POST', '/agents', { body: { id: agent.id } })).body).toMatchObject({
    personalityId: null,
  });
});

describe('the app of a chat channel', () => {
  interface Linked {
    id: string;
    appId: string | null;
    app: Record<string, unknown> | null;
  }
  const link = async ({ call }: Running, body: object) =>
    (await call('PUT', '/chat-channels', { body })).body as unknown as Linked;

  it('is the one of the link, stays when relinked, and serves the other channels of its Slack workspace', async () => {
    const service = await newWorkspace();
    const app = { appId: 'A1', teamName: 'Acme', botUserId: 'UBOT' };
    const first = await link(service, { channelId: 'C1', teamId: 'T1', app });
    expect(first.app).toMatchObject({ ...app, teamId: 'T1', isEnterpriseInstall: false });
    expect(first.appId).toBe(first.app?.['id']);
    expect((await link(service, { channelId: 'C1', channelName: 'renamed' })).app).toEqual(first.app);
    expect((await link(service, { channelId: 'C2', teamId: 'T1' })).app).toEqual(first.app);
    expect((await link(service, { channelId: 'C3', teamId: 'T2' })).app).toBeNull();
    expect((await link(service, { channelId: 'C4' })).app).toBeNull();
    const renamed = await link(service, {
      channelId: 'C2',
      teamId: 'T1',
      app: { appId: 'A1', teamName: 'Acme Inc' },
    });
    expect(renamed.app).toMatchObject({ id: first.appId, teamName: 'Acme Inc', botUserId: 'UBOT' });
  });

  it('never has a credential, not even one in a request', async () => {
    const service = await startTestService({ prepare: (running) => running.seedDemo(DEMO) });
    const app = { appId: 'A1', accessToken: 'xoxb-secret', refreshToken: 'xoxe-secret' };
    const linked = await link(service, { channelId: 'C1', teamId: 'T1', app });
    const { items } = (await service.call('GET', '/workspaces')).body as unknown as {
      items: { chatTriageChannels: Linked[] }[];
    };
    const channels = items[0]?.chatTriageChannels ?? [];
    expect(channels.filter(({ app: shown }) => shown?.['teamName'] === DEMO.team.name)).toHaveLength(3);
    for (const { app: shown } of [linked, ...channels])
      expect(shown).toMatchObject({ accessToken: '', refreshToken: '', workflowsAppSigningSecret: '' });
    expect(JSON.stringify(items)).not.toMatch(/xox|secret-not/);
  });
});

it('an event’s actor has the source of the key that made the change; a created record has its own source', async () => {
  const service = await startTestService();
  const { call } = service;
  await call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
  const made = await call('POST', '/api-keys', { body: { name: 'Desk', role: 'agent', source: 'WEB' } });
  expect(made.body).toMatchObject({ source: 'WEB' });
  expect((await call('POST', '/api-keys', { body: { name: 'Plain', role: 'agent' } })).body).toMatchObject({
    source: 'API',
  });
  expect(
    (await call('POST', '/api-keys', { body: { name: 'X', role: 'agent', source: 'NOBODY' } })).status,
  ).toBe(400);
  const { token } = await service.service.installKey({ name: 'bridge', role: 'admin', source: 'CHAT' });
  const ticket = await make(service, '/tickets', { title: 'T', source: 'EMAIL' });
  const message = await make(service, '/ticket-messages', {
    ticketId: ticket.id,
    content: 'x',
    source: 'CHAT',
  });
  const rename = (title: string, by: string) =>
    call('PUT', `/tickets/${ticket.id}`, { token: by, body: { data: { title } } });
  await rename('by the desk', made.body.key);
  await rename('by the bridge', token);
  await rename('by a program', service.token);
  await call('PUT', `/ticket-messages/${message.id}`, { token, body: { content: 'edited in chat' } });
  await call('DELETE', `/ticket-messages/${message.id}`, { token: made.body.key });
  const rows = await openTables(service).db.selectFrom('event').select('body').orderBy('id').execute();
  const told = rows.map(({ body }) => webhookEvent.parse(JSON.parse(body)));
  const sources = told.map(({ type, action, actor }): [string, string | null] => [
    `${type} ${action}`,
    actor.source,
  ]);
  const expected: [string, Source][] = [
    ['Ticket created', 'EMAIL'],
    ['Message created', 'CHAT'],
    ['Ticket updated', 'WEB'],
    ['Ticket updated', 'CHAT'],
    ['Ticket updated', 'API'],
    ['Message updated', 'CHAT'],
    ['Message deleted', 'WEB'],
  ];
  expect(sources).toEqual(expected);
});

it('installing a key again updates its source and keeps everything else', async () => {
  const service = await startTestService();
  const token = 'a-token-that-was-given-long-ago';
  await service.service.installKey({ token, name: 'given', role: 'agent' });
  await service.service.installKey({ token, name: 'renamed', role: 'admin', source: 'CHAT' });
  await service.service.installKey({ token, name: 'given', role: 'agent' });
  const { items } = (await service.call('GET', '/api-keys?search=given')).body;
  expect(items).toMatchObject([{ name: 'given', role: 'agent', source: 'CHAT' }]);
});

it('a ticket’s reference works like its id: in paths, for a new message, and in the list of its messages', async () => {
  const service = await newWorkspace();
  const { call } = service;
  const [ticket, other] = [
    await make(service, '/tickets', { title: 'T' }),
    await make(service, '/tickets', { title: 'Other' }),
  ];
  const message = await make(service, '/ticket-messages', { ticketId: ticket.code, content: 'x' });
  await make(service, '/ticket-messages', { ticketId: other.id, content: 'y' });
  const listed = async (ticketId: string) =>
    (await call('GET', `/ticket-messages?ticketId=${ticketId}`)).body.items.map(({ id }) => id);
  expect(await listed(ticket.code)).toEqual([message.id]);
  expect(await listed(ticket.code.toLowerCase())).toEqual([message.id]);
  expect(await listed(ticket.id)).toEqual([message.id]);
  expect(await listed('HELP-99')).toEqual([]);
  const elsewhere = await anotherWorkspace(service);
  const foreign = await call('GET', `/ticket-messages?ticketId=${ticket.code}`, { token: elsewhere.token });
  expect(foreign.body.items).toEqual([]);
});

it('a workspace has an author: the user of the key', async () => {
  const service = await newWorkspace();
  const { items } = (await service.call('GET', '/api-keys')).body as unknown as {
    items: { userId: string }[];
  };
  expect(await make(service, '/workspaces', { name: 'Second', slug: 'second' })).toMatchObject({
    creatorId: items[0]?.userId,
  });
});
