import { beforeAll, describe, expect, it } from 'vitest';

import { type AuditEntry, type Route, type RouteName, routes } from '../../src/contract/index.ts';
import { transaction } from '../../src/platform/database/open.ts';
import { actorOf, writeAudit } from '../../src/service/audit/write.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { type Running, sharedService, startTestService } from './harness.ts';
import {
  createWorld,
  keyOfBoth,
  anotherWorkspace,
  openTables,
  pathOf,
  SAMPLES,
  type World,
} from './world.ts';

const newWorkspace = sharedService();

const DAY_MS = 86_400_000;

async function entries({ call }: Pick<Running, 'call'>, query = '', token?: string): Promise<AuditEntry[]> {
  const { status, body } = await call('GET', `/audit-entries?limit=1000&${query}`, token ? { token } : {});
  expect(status).toBe(200);
  return body.items as unknown as AuditEntry[];
}

/** What agents save for themselves, drafts of the team, and reactions: their deletion is not recorded. */
const THEIR_OWN = /\/reactions$|\/draft$|^\/reply-drafts|^\/views|^\/canned-replies|\/links\//;
/** They take others of the world with them, so these go first. */
const WITH_OTHERS: readonly RouteName[] = ['archiveTicket', 'deleteKnowledgeBase'];
const rank = (name: RouteName) => (routes[name].method !== 'DELETE' ? 0 : WITH_OTHERS.includes(name) ? 2 : 1);
/**
 * The operations that the audit log records: writes of admins, of webhooks, and deletions, which come last, since all use
 * the same world.
 */
const RECORDED = (Object.entries(routes) as [RouteName, Route][])
  .filter(
    ([name, { method, role, path }]) =>
      method !== 'GET' &&
      // It writes nothing.
      name !== 'tryWorkflow' &&
      (role === 'admin' ||
        ['createWebhook', 'updateWebhook', 'deleteWebhook'].includes(name) ||
        (method === 'DELETE' && !THEIR_OWN.test(path))),
  )
  .sort(([one], [other]) => rank(one) - rank(other));

describe('an operation that is recorded', () => {
  let running: Running;
  let world: World;
  let keyId: string;
  beforeAll(async () => {
    running = await newWorkspace();
    world = await createWorld(running);
    keyId = await ownKey(running);
  });

  it.for(RECORDED)('%s leaves one entry that names the key and the record', async ([name, route]) => {
    const before = await entries(running);
    const sample = SAMPLES[name](world);
    const { status, body } = await running.call(route.method, pathOf(route.path, sample), {
      body: sample.body,
    });
    expect([name, status]).toEqual([name, 200]);
    // A new workspace has a log of its own.
    const there = name === 'createWorkspace' ? `workspaceId=${body.id}` : '';
    const after = await entries(running, there);
    const added = after.filter(({ id }) => !before.some((entry) => entry.id === id));
    // An export is of the workspace, and an identity a person's.
    const subjects: Partial<Record<RouteName, unknown>> = {
      createAuditEntry: running.workspaceId,
      removeIdentity: (body as { userId?: string }).userId,
    };
    expect(added).toMatchObject([{ actorKeyId: keyId, actorId: null, subjectId: subjects[name] ?? body.id }]);
    expect(added[0]?.reason).toMatch(/^[A-Z].*\.$/);
    if (route.audit !== 'own') expect(added[0]?.detail).toMatchObject({ operation: name });
  });
});

async function ownKey(running: Running): Promise<string> {
  const { id } = await openTables(running)
    .db.selectFrom('api_key')
    .select('id')
    .where('name', '=', 'test')
    .where('workspace_id', '=', running.workspaceId)
    .executeTakeFirstOrThrow();
  return id;
}

it('a change of settings is recorded with before and after, and a repetition that changes nothing is not', async () => {
  const running = await newWorkspace();
  const { id } = (await running.call('POST', '/queues', { body: { name: 'Facilities', prefix: 'FAC' } }))
    .body;
  const change = { name: 'Buildings', settings: { silentMode: true } };
  for (let count = 0; count < 2; count++) await running.call('PUT', `/queues/${id}`, { body: change });
  const [changed, created] = await entries(running, `subjectId=${id}`);
  expect(changed).toMatchObject({
    action: 'settings.changed',
    reason: 'Change a queue: name, settings.silentMode.',
    detail: {
      operation: 'updateQueue',
      changes: {
        name: { before: 'Facilities', after: 'Buildings' },
        'settings.silentMode': { before: false, after: true },
      },
    },
  });
  expect(created?.detail).toMatchObject({ changes: { prefix: { after: 'FAC' } } });
  expect(await entries(running, `subjectId=${id}`)).toHaveLength(2);
});

it('neither secrets nor texts nor names of people are in the audit log', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const post = async (path: string, body: object) => (await call('POST', path, { body })).body;
  const user = await post('/users', { firstName: 'Ottoline', email: 'ottoline@acme.example' });
  const ticket = await post('/tickets', { title: 'planted title', requesterId: user.id });
  const message = await post('/ticket-messages', { ticketId: ticket.id, content: 'planted words' });
  await call('DELETE', `/ticket-messages/${message.id}`);
  await call('DELETE', `/tickets/${ticket.id}`);
  const { key } = await post('/api-keys', { name: 'made', role: 'read' });
  const secret = 'planted-webhook-secret';
  const url = 'https://receiver.example/hook?token=planted-token';
  const webhook = await post('/webhooks', { url, secret });
  await call('PUT', `/webhooks/${webhook.id}`, { body: { secret: 'another-planted-secret', name: 'Hook' } });
  const workflow = await post('/workflows', { name: 'Greet', authorId: user.id });
  await call('PUT', `/workflows/${workflow.id}`, { body: { state: 'Active' } });
  const text = JSON.stringify(await entries(running));
  for (const planted of [key, 'planted', 'Ottoline', 'ottoline']) expect(text).not.toContain(planted);
  const [changed] = await entries(running, `subjectId=${webhook.id}`);
  expect(changed?.detail).toEqual({
    operation: 'updateWebhook',
    changes: { secret: {}, name: { before: null, after: 'Hook' } },
  });
});

it('a write that is refused leaves no entry, and an entry whose write fails is not kept', async () => {
  const running = await newWorkspace();
  const before = await entries(running);
  const refused = [
    await running.call('PUT', '/queues/que_none', { body: { name: 'x' } }),
    await running.call('POST', '/queues', { body: { name: 'Again', prefix: 'HELP' } }),
    await running.call('POST', '/tags', { body: { name: 'x' }, token: await running.key('read') }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([404, 409, 403]);
  expect(await entries(running, 'action=settings.changed')).toEqual(
    before.filter(({ action }) => action === 'settings.changed'),
  );
});

it('admins read the audit log, by action, actor, subject and time, of their own workspace', async () => {
  const clock = new MovableClock();
  const running = await startTestService({ clock });
  const { call, workspaceId } = running;
  const { db } = openTables(running);
  const write = (personId: string, action: AuditEntry['action']) =>
    transaction(db, (tx) =>
      writeAudit(
        tx,
        { newId: (prefix) => `${prefix}_${personId}_${action}`, now: clock.now() },
        { workspaceId, action, actor: { personId }, subjectId: null, reason: 'A test wrote this.' },
      ),
    );
  const started = clock.now();
  await write('usr_ada', 'session.started');
  clock.pass(DAY_MS);
  await write('usr_ada', 'session.ended');
  await write('usr_bo', 'session.started');
  const ids = async (query: string) => (await entries(running, query)).map(({ id }) => id).sort();
  const [ada, adaEnd, bo] = ['ada_session.started', 'ada_session.ended', 'bo_session.started'].map(
    (rest) => `aud_usr_${rest}`,
  );
  expect(await ids('actorId=usr_ada')).toEqual([adaEnd, ada].sort());
  expect(await ids('action=session.started')).toEqual([ada, bo]);
  expect(await ids(`action=session.started&createdTo=${started.toISOString()}`)).toEqual([ada]);
  expect(await ids(`actorId=usr_ada&createdFrom=${clock.now().toISOString()}`)).toEqual([adaEnd]);
  const keyId = await ownKey(running);
  await call('POST', '/tags', { body: { name: 'new' } });
  expect(await entries(running, `actorId=${keyId}`)).toMatchObject([{ actorKeyId: keyId }]);
  for (const role of ['read', 'agent'] as const)
    expect((await call('GET', '/audit-entries', { token: await running.key(role) })).status).toBe(403);
  const other = await anotherWorkspace(running);
  expect(await entries(running, 'action=session.started', other.token)).toEqual([]);
});

it('a key of two workspaces is recorded in the one that it changed', async () => {
  const running = await newWorkspace();
  const other = await anotherWorkspace(running);
  const token = await keyOfBoth(running, other.workspaceId);
  const { document, kb, message, ownStatus, workflow, tag } = await createWorld(running, other.token);
  const calls = [
    ['DELETE', `/kbs/${kb}/documents/${document}`],
    ['DELETE', `/ticket-messages/${message}`],
    ['DELETE', `/statuses/${ownStatus}`],
    ['DELETE', `/tags/${tag}`],
    ['PUT', `/workflows/${workflow}`, { name: 'Renamed' }],
    ['PUT', `/workspaces/${other.workspaceId}`, { name: 'Renamed' }],
  ] as const;
  for (const [method, path, body] of calls)
    expect([path, (await running.call(method, path, { token, body })).status]).toEqual([path, 200]);
  const both = openTables(running).db.selectFrom('api_key').select('id').where('name', '=', 'both');
  const { id } = await both.where('workspace_id', '=', running.workspaceId).executeTakeFirstOrThrow();
  expect(await entries(running, `actorId=${id}`)).toEqual([]);
  const there = await entries(running, `actorId=${id}`, other.token);
  expect(there).toHaveLength(calls.length);
  expect(there.find(({ subjectId }) => subjectId === workflow)?.detail).toMatchObject({
    changes: { name: { before: 'World', after: 'Renamed' } },
  });
});

it('a change of a person is recorded by what it changes: role, activity, other fields without their values', async () => {
  const running = await newWorkspace();
  const { id } = (
    await running.call('POST', '/users', { body: { firstName: 'Ada', email: 'ada@acme.example' } })
  ).body;
  const put = async (body: object) => {
    const { status } = await running.call('PUT', `/users/${id}`, { body });
    expect(status).toBe(200);
    const [newest] = await entries(running, `subjectId=${id}`);
    return { action: newest?.action, changes: newest?.detail?.['changes'] };
  };
  expect(await put({ role: 'agent' })).toEqual({
    action: 'user.role-changed',
    changes: { role: { before: 'requester', after: 'agent' } },
  });
  expect((await put({ isDeactivated: true })).action).toBe('user.deactivated');
  expect((await put({ isDeactivated: false })).action).toBe('user.reactivated');
  expect(await put({ email: 'lovelace@acme.example' })).toEqual({
    action: 'user.changed',
    changes: { email: {} },
  });
  const both = { role: 'requester', firstName: 'Augusta' };
  for (let count = 0; count < 2; count++) await running.call('PUT', `/users/${id}`, { body: both });
  expect(await entries(running, `subjectId=${id}`)).toHaveLength(6);
});

it('entries are kept for their own number of days, whatever happens to events', async () => {
  const clock = new MovableClock();
  const running = await startTestService({ clock, retention: { days: 1, auditDays: 30, everyMs: 50 } });
  const { id } = (await running.call('POST', '/tags', { body: { name: 'old' } })).body;
  clock.pass(29 * DAY_MS);
  const young = (await running.call('POST', '/tags', { body: { name: 'young' } })).body.id;
  expect(await entries(running, `subjectId=${id}`)).toHaveLength(1);
  clock.pass(2 * DAY_MS);
  await until('the old entry to be deleted', async () => {
    return (await entries(running, `subjectId=${id}`)).length === 0 || undefined;
  });
  expect(await entries(running, `subjectId=${young}`)).toHaveLength(1);
});

it('the actor of a session is its person, of a key the key, of the service nobody', () => {
  const session = { id: 'ses_1', role: 'admin' as const, queueIds: null };
  expect(actorOf({ keyId: null, personId: 'usr_ada', session })).toEqual({ personId: 'usr_ada' });
  expect(actorOf({ keyId: 'key_1', personId: 'usr_of_key' })).toEqual({ keyId: 'key_1' });
  expect(actorOf({ keyId: null, personId: null })).toBeUndefined();
});
