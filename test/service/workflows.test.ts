import { describe, expect, it } from 'vitest';

import type { Workflow } from '../../src/contract/index.ts';
import { workflowApps } from '../../src/contract/workflow-config.ts';
import { ACTIONS } from '../../src/service/workflows/actions/index.ts';
import { suggestionsFor } from '../../src/service/workflow-config/suggestions.ts';
import { type Running, sharedService } from './harness.ts';
import { anotherWorkspace } from './world.ts';

const newWorkspace = sharedService();

type Started = Running;

const STEPS = [
  { id: 'start', title: 'Opened', action: 'ticket.created' },
  { id: 'ask', title: 'Ask', action: 'approval.request', inputs: { ticketId: '{{start.ticketId}}' } },
  {
    id: 'check',
    title: 'Approved?',
    action: 'condition.if',
    inputs: { value: '{{ask.decision}}', steps: ['ask', 'other'] },
    metadata: { groupId: 'ask', isHidden: true },
  },
];
/** A workflow that can be activated. */
const RUNNABLE = [
  { id: 'start', title: 'Opened', action: 'ticket.created' },
  { id: 'note', title: 'Note', action: 'message.note', inputs: { content: 'x' } },
];
const CONNECTIONS = [
  { sourceId: 'start', targetId: 'ask' },
  { sourceId: 'ask', targetId: 'check', label: 'decided', criteria: { equals: '{{ask.decision}}' } },
];

async function create({ call }: Started, body: object = {}): Promise<Workflow> {
  const answer = await call('POST', '/workflows', { body: { name: 'Approve', ...body } });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body as unknown as Workflow;
}

describe('workflows', () => {
  it('start as drafts, by the key’s user', async () => {
    const service = await newWorkspace();
    const made = await create(service, { steps: STEPS, connections: CONNECTIONS });
    expect(made).toMatchObject({
      state: 'Draft',
      isTemplate: false,
      description: null,
      collectionId: null,
      reference: null,
      steps: [{ id: 'start', inputs: {}, metadata: null }, {}, { metadata: { isNotDeletable: false } }],
      connections: [{ label: null, criteria: null }, { label: 'decided' }],
    });
    expect(made.author).toMatchObject({ firstName: 'test' });
  });

  it('reject invalid steps: unknown actions, a repeated id, a connection to nowhere', async () => {
    const { call } = await newWorkspace();
    const wrong: [object, string][] = [
      [{ steps: [{ title: 'x', action: 'rocket.launch' }] }, 'steps.0.action'],
      [{ steps: [STEPS[0], STEPS[0]] }, 'steps'],
      [{ steps: STEPS, connections: [{ sourceId: 'start', targetId: 'moon' }] }, 'connections.0'],
      [{ steps: STEPS, connections: [{ sourceId: 'ask', targetId: 'ask' }] }, 'connections.0'],
    ];
    for (const [body, path] of wrong) {
      const answer = await call('POST', '/workflows', { body: { name: 'x', ...body } });
      expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([422, path]);
    }
    expect((await call('POST', '/workflows', { body: { name: '' } })).status).toBe(400);
  });

  it('go from any state to any other, except out of Deleted', async () => {
    const service = await newWorkspace();
    const { id } = await create(service, { steps: RUNNABLE });
    const put = async (state: string) =>
      (await service.call('PUT', `/workflows/${id}`, { body: { name: 'Approve', state } })).status;
    for (const state of ['Active', 'Draft', 'Deprovisioning', 'Active', 'Deleted', 'Deleted'])
      expect([state, await put(state)]).toEqual([state, 200]);
    for (const state of ['Active', 'Draft', 'Deprovisioning']) expect(await put(state)).toBe(409);
    expect(await put('Paused')).toBe(400);
    const nameless = await service.call('PUT', `/workflows/${id}`, { body: { description: 'x' } });
    expect([nameless.status, nameless.body.issues?.[0]?.path]).toEqual([400, 'name']);
    expect((await service.call('GET', '/workflows?state=Deleted')).body.totalCount).toBe(1);
  });

  it('keep fields that a change does not name', async () => {
    const service = await newWorkspace();
    const made = await create(service, { steps: STEPS, connections: CONNECTIONS, description: 'Why' });
    const put = (body: object) =>
      service.call('PUT', `/workflows/${made.id}`, { body: { name: 'New', ...body } });
    const { updatedAt: _updatedAt, ...kept } = made;
    expect((await put({})).body).toMatchObject({ ...kept, name: 'New' });
    expect((await put({ description: null, collectionId: 'any' })).body).toMatchObject({
      description: null,
      collectionId: 'any',
    });
    expect((await put({ steps: STEPS.slice(0, 2) })).status).toBe(422);
  });

  it('are copied with new ids, also where one step names another', async () => {
    const service = await newWorkspace();
    const made = await create(service, { steps: STEPS, connections: CONNECTIONS, isTemplate: true });
    const { status, body } = await service.call('POST', '/workflows/duplicate', {
      body: { id: made.id, name: 'Copy', collectionId: null },
    });
    const copy = body as unknown as Workflow;
    expect([status, copy.state, copy.name, copy.isTemplate]).toEqual([200, 'Draft', 'Copy', false]);
    const [start = '', ask = '', check = ''] = copy.steps.map(({ id }) => id);
    expect(new Set([made.id, copy.id, start, ask, check, ...STEPS.map(({ id }) => id)]).size).toBe(8);
    expect(copy.steps[1]?.inputs).toEqual({ ticketId: `{{${start}.ticketId}}` });
    expect(copy.steps[2]?.inputs).toEqual({ value: `{{${ask}.decision}}`, steps: [ask, 'other'] });
    expect(copy.steps[2]?.metadata?.groupId).toBe(ask);
    expect(copy.connections.map(({ sourceId, targetId }) => [sourceId, targetId])).toEqual([
      [start, ask],
      [ask, check],
    ]);
    expect(copy.connections[1]?.criteria).toEqual({ equals: `{{${ask}.decision}}` });
    const ids = new Set([...copy.connections, ...made.connections].map(({ id }) => id));
    expect(ids.size).toBe(4);
    const other = await anotherWorkspace(service);
    const foreign = await service.call('POST', '/workflows/duplicate', {
      body: { id: made.id, name: 'Copy', collectionId: null },
      token: other.token,
    });
    expect(foreign.status).toBe(404);
  });
});

describe('the workflow configuration', () => {
  it('is a bare array of apps with real inputs and outputs, the same for every key', async () => {
    const { call, key } = await newWorkspace();
    const { body } = await call('GET', '/workflow-config/apps', { token: await key('read') });
    const apps = workflowApps.parse(body);
    expect(apps.map(({ id }) => id)).toEqual([
      'ticket',
      'message',
      'approval',
      'chat',
      'schedule',
      'wait',
      'condition',
      'workflow',
    ]);
    const actions = apps.flatMap((app) => app.actions.map((action) => ({ ...action, owner: app })));
    for (const { name, type } of actions)
      expect([name, type === 'Trigger' || name in ACTIONS]).toEqual([name, true]);
    expect(actions.length).toBeGreaterThanOrEqual(12);
    expect(new Set(actions.map(({ name }) => name)).size).toBe(actions.length);
    for (const { name, app, group, owner, inputs, outputs } of actions) {
      expect([name, app, group]).toEqual([name, owner.id, owner.group]);
      expect([name, inputs.length > 0, outputs.length > 0]).toEqual([name, true, true]);
      for (const fields of [inputs, outputs])
        expect(new Set(fields.map((field) => field.key)).size).toBe(fields.length);
    }
  });

  it('shows one step, with matching outputs of earlier ones on request', async () => {
    const service = await newWorkspace();
    const made = await create(service, { steps: STEPS, connections: CONNECTIONS });
    const read = (step: string, query = '') =>
      service.call('GET', `/workflow-config/${made.id}/steps/${step}${query}`);
    expect((await read('ask')).body).toMatchObject({ id: 'ask', title: 'Ask', suggestions: [] });
    expect((await read('ask', '?suggestions=true')).body).toMatchObject({
      suggestions: [
        { field: 'ticketId', stepId: 'start' },
        { field: 'approverIds', stepId: 'start' },
      ],
    });
    expect((await read('start', '?suggestions=true')).body).toMatchObject({ suggestions: [] });
    expect([(await read('none')).status, (await read('ask', '?suggestions=perhaps')).status]).toEqual([
      404, 400,
    ]);
  });

  it('suggests the steps that lead to a step, by connections or, without any, by position', () => {
    const steps = STEPS.map((step) => ({
      description: null,
      inputs: {},
      metadata: null,
      ...step,
    })) as Workflow['steps'];
    const last = { ...(steps[0] as Workflow['steps'][number]), id: 'note', action: 'message.note' };
    const to = (sourceId: string, targetId: string) => ({
      id: `${sourceId}-${targetId}`,
      label: null,
      criteria: null,
      sourceId,
      targetId,
    });
    const all = [...steps, last];
    const fields = (connections: Workflow['connections']) =>
      suggestionsFor({ steps: all, connections }, 'note').map(({ field, stepId }) => `${field} ${stepId}`);
    expect(fields([])).toEqual(['ticketId ask', 'ticketId start']);
    expect(fields([to('start', 'note')])).toEqual(['ticketId start']);
    // A cycle ends.
    expect(fields([to('ask', 'note'), to('note', 'ask'), to('ask', 'start'), to('start', 'ask')])).toEqual([
      'ticketId ask',
      'ticketId start',
    ]);
    expect(suggestionsFor({ steps: all, connections: [] }, 'nothing')).toEqual([]);
  });
});
