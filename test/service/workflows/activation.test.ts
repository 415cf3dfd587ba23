import { expect, it } from 'vitest';

import { migrate } from '../../../src/platform/database/migrate.ts';
import { transaction } from '../../../src/platform/database/open.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createIds } from '../../../src/platform/ids.ts';
import type { WorkflowTryOut } from '../../../src/contract/index.ts';
import { migrations, SCHEMA } from '../../../src/service/schema/migrations.ts';
import { createWorkspace } from '../../../src/service/schema/workspace.ts';
import { contentOf, otherwise, when } from '../../../src/service/workflow-config/outline.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { openSchema } from '../../harness/schema.ts';
import { sharedService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { create } from '../tickets/requests.ts';
import { openTables } from '../world.ts';
import { activate, messagesOf, onlyRun, readWorkflow, runs, sender, settledIn } from './setup.ts';

const newWorkspace = sharedService();

const OPENED = ['Opened', 'ticket.created'] as const;
const NOTE = ['Note', 'message.note', { content: 'x' }] as const;
const WHOLE = { steps: { opened: OPENED, note: NOTE }, leads: [['opened', 'note']] } as const;

it('a workflow that cannot run is not activated, and the answer names every step', async () => {
  const service = await newWorkspace();
  const send = sender(service);
  const { id } = await send('POST', '/workflows', {
    name: 'Flow',
    ...contentOf({ ...WHOLE, steps: { opened: OPENED, note: ['Note', 'message.note'] } }),
  });
  const { status, body } = await service.call('PUT', `/workflows/${id}`, {
    body: { name: 'Flow', state: 'Active' },
  });
  expect([status, body.issues]).toEqual([
    422,
    [{ path: 'steps.1.inputs.content', message: 'This step needs a value here' }],
  ]);
  expect((await readWorkflow(service, id)).state).toBe('Draft');
});

it('a workflow that names a record that is not there is not activated', async () => {
  const service = await newWorkspace();
  const { id } = await sender(service)('POST', '/workflows', {
    name: 'Flow',
    ...contentOf({
      ...WHOLE,
      steps: { opened: ['Opened', 'ticket.created', { queueId: 'que_none' }], note: NOTE },
    }),
  });
  const { status, body } = await service.call('PUT', `/workflows/${id}`, {
    body: { name: 'Flow', state: 'Active' },
  });
  expect([status, body.issues?.[0]?.path]).toEqual([422, 'steps.0.inputs.queueId']);
});

it('a template is not activated, and a copy of it is none', async () => {
  const service = await newWorkspace();
  const send = sender(service);
  const { id } = await send('POST', '/workflows', { name: 'Flow', isTemplate: true, ...contentOf(WHOLE) });
  const { status } = await service.call('PUT', `/workflows/${id}`, {
    body: { name: 'Flow', state: 'Active' },
  });
  expect(status).toBe(422);
  const copy = await send('POST', '/workflows/duplicate', { id, name: 'Copy', collectionId: null });
  expect(await readWorkflow(service, copy.id)).toMatchObject({
    isTemplate: false,
    state: 'Draft',
    version: 0,
  });
  await send('PUT', `/workflows/${copy.id}`, { name: 'Copy', state: 'Active' });
});

it('a request that makes a template of what it activates is told which of the two is wrong', async () => {
  const service = await newWorkspace();
  const { id } = await sender(service)('POST', '/workflows', { name: 'Flow', ...contentOf(WHOLE) });
  const put = async (body: object) =>
    (await service.call('PUT', `/workflows/${id}`, { body: { name: 'Flow', ...body } })).body.issues?.[0]
      ?.path;
  expect(await put({ isTemplate: true, state: 'Active' })).toBe('isTemplate');
  await sender(service)('PUT', `/workflows/${id}`, { name: 'Flow', isTemplate: true });
  expect(await put({ state: 'Active' })).toBe('state');
  await sender(service)('PUT', `/workflows/${id}`, { name: 'Flow', isTemplate: false, state: 'Active' });
  expect(await put({ isTemplate: true })).toBe('isTemplate');
});

it('an edit of an Active workflow is kept apart until it is published', async () => {
  const service = await newWorkspace();
  const send = sender(service);
  const id = await activate(service, WHOLE);
  const before = await readWorkflow(service, id);
  const steps = before.steps.map((step) =>
    step.id === 'note' ? { ...step, inputs: { content: 'y' } } : step,
  );
  await send('PUT', `/workflows/${id}`, { name: 'Flow', steps });
  expect(await readWorkflow(service, id)).toMatchObject({
    steps: before.steps,
    version: 1,
    draft: { steps, connections: before.connections },
  });
  const { id: first } = await create(service);
  await settledIn(service);
  expect(await messagesOf(service, first)).toEqual(['x']);
  await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Active' });
  expect(await readWorkflow(service, id)).toMatchObject({ steps, version: 2, draft: null });
  // Nothing has changed since: it is no new version.
  await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Active' });
  expect((await readWorkflow(service, id)).version).toBe(2);
});

it('a try-out shows what each step would do, and does nothing', async () => {
  const service = await newWorkspace();
  const send = sender(service);
  const { id } = await send('POST', '/workflows', {
    name: 'Flow',
    ...contentOf({
      steps: {
        opened: OPENED,
        reply: ['Reply', 'message.reply', { content: 'About {{ticket.code}}' }],
        child: ['Open', 'ticket.create', { title: 'A child', parentId: '{{opened.ticketId}}' }],
        wrong: ['Move', 'ticket.move', { queueId: 'que_none' }],
        wait: ['Wait', 'wait.for', { minutes: 60 }],
        never: NOTE,
      },
      leads: [
        ['opened', 'reply', when('priority', 'equals', 'MEDIUM')],
        ['opened', 'child'],
        ['opened', 'never', otherwise],
        ['reply', 'wrong'],
        ['child', 'wait'],
        ['wait', 'never'],
      ],
    }),
  });
  const { id: ticketId, updatedAt } = await create(service);
  const tried = (await send('POST', `/workflows/${id}/try`, { ticketId })) as unknown as WorkflowTryOut;
  expect(tried.problems).toEqual([]);
  expect(tried.steps).toMatchObject([
    { stepId: 'opened', state: 'done' },
    { stepId: 'reply', state: 'done', inputs: { content: 'About HELP-1' } },
    { stepId: 'child', state: 'done', outputs: { priority: 'MEDIUM' } },
    { stepId: 'wrong', state: 'failed', error: expect.stringContaining('que_none') as string },
    { stepId: 'wait', state: 'waiting' },
  ]);
  expect(await messagesOf(service, ticketId)).toEqual([]);
  const ticket = await send('GET', `/tickets/${ticketId}`);
  expect([ticket.updatedAt, ticket.children]).toEqual([updatedAt, []]);
  expect((await create(service)).number).toBe(2);
  expect(await runs(service)).toEqual([]);
});

it('a workflow is run by hand only by its trigger for that, on a ticket that it may read, by the ticket’s team', async () => {
  const service = await newWorkspace();
  const { db } = openTables(service);
  const { call } = service;
  const plain = await activate(service, WHOLE);
  const byHand = await activate(service, {
    ...WHOLE,
    steps: { opened: ['By hand', 'ticket.run'], note: NOTE },
  });
  const { id: ticketId } = await create(service, {
    queueId: (await call('GET', '/queues')).body.items[0]?.id,
  });
  const { id: hidden } = await create(service, { private: true });
  const run = async (id: string, on: string, token = service.token) =>
    (await call('POST', `/workflows/${id}/run`, { body: { ticketId: on }, token })).status;
  expect(await run(plain, ticketId)).toBe(409);
  expect(await run(byHand, hidden)).toBe(422);
  expect(await run(byHand, 'tkt_none')).toBe(422);
  const agent = await signIn(db, service.workspaceId, { role: 'agent', queueIds: [] });
  expect(await run(byHand, ticketId, agent.token)).toBe(403);
  const colleague = await signIn(db, service.workspaceId, { role: 'agent' });
  expect(await run(byHand, ticketId, colleague.token)).toBe(200);
  await settledIn(service);
  const started = await onlyRun(service, `workflowId=${byHand}`);
  expect([started.state, started.startedById]).toEqual(['finished', colleague.personId]);
  expect((await call('GET', '/workflow-runs', { token: agent.token })).body.items).toEqual([]);
  expect((await call('GET', `/workflow-runs/${started.id}`, { token: agent.token })).status).toBe(404);
  expect((await call('GET', `/workflow-runs/${started.id}`, { token: colleague.token })).status).toBe(200);
});

it('an upgrade makes Active workflows drafts and says why', async () => {
  const { url } = await createTestDatabase('workflows');
  const at = migrations.findIndex(({ name }) => name.startsWith('0008'));
  await migrate(openSchema(url, SCHEMA), migrations.slice(0, at));
  const database = openSchema(url, SCHEMA) as unknown as ReturnType<typeof openTables>;
  const newId = createIds(systemClock);
  const now = systemClock.now();
  const workspaceId = await transaction(database.db, (tx) =>
    createWorkspace(tx, { newId }, now, { name: 'Old', slug: 'old' }),
  );
  for (const state of ['Active', 'Draft', 'Deprovisioning', 'Deleted'] as const)
    await database.db
      .insertInto('workflow')
      .values({ workspace_id: workspaceId, id: state, name: state, state, created_at: now, updated_at: now })
      .execute();
  await migrate(openSchema(url, SCHEMA), migrations);
  const rows = await database.db
    .selectFrom('workflow')
    .select(['id', 'state', 'state_reason'])
    .orderBy('id')
    .execute();
  expect(rows).toEqual([
    {
      id: 'Active',
      state: 'Draft',
      state_reason: expect.stringContaining('Check what this one does') as string,
    },
    { id: 'Deleted', state: 'Deleted', state_reason: null },
    { id: 'Deprovisioning', state: 'Draft', state_reason: expect.stringContaining('Check') as string },
    { id: 'Draft', state: 'Draft', state_reason: null },
  ]);
});

it('an erasure covers what steps were given and what came of them', async () => {
  const service = await newWorkspace();
  const send = sender(service);
  await activate(service, {
    ...WHOLE,
    steps: { opened: OPENED, note: ['Note', 'message.note', { content: 'Asked: {{ticket.title}}' }] },
  });
  const { id } = await send('POST', '/users', {
    firstName: 'Ottoline',
    lastName: 'Quack',
    email: 'oq@acme.example',
  });
  await create(service, { title: 'For Ottoline Quack', requesterId: id });
  await settledIn(service);
  expect(JSON.stringify(await onlyRun(service))).toContain('Ottoline Quack');
  await send('DELETE', `/users/${id}`);
  await settledIn(service, 'erasure');
  expect(JSON.stringify(await onlyRun(service))).not.toMatch(/Ottoline|Quack/);
});
