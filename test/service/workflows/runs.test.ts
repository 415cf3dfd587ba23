import { describe, expect, it } from 'vitest';

import type { Notification, TicketMessage } from '../../../src/contract/index.ts';
import { mentionedIn } from '../../../src/platform/text/mentions.ts';
import { otherwise, when } from '../../../src/service/workflow-config/outline.ts';
import { LONGEST_CHAIN, stepWork, TIMER } from '../../../src/service/workflow-config/kinds.ts';
import { RUNS_PER_MINUTE } from '../../../src/service/workflows/start.ts';
import { signIn } from '../signed-in.ts';
import { create, person, put, statuses } from '../tickets/requests.ts';
import { planningEngine, workNow } from '../work.ts';
import { messagesOf, onlyRun, readRun, readWorkflow, setUp, states } from './setup.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const OPENED = ['Opened', 'ticket.created'] as const;
const note = (content: string) => ['Note', 'message.note', { content }] as const;

describe('a change', () => {
  it('starts a run that does each step once, in the name of the workflow', async () => {
    const { service, settled, activate, send } = await setUp();
    await activate(
      {
        steps: {
          opened: OPENED,
          thank: ['Thank', 'message.reply', { content: 'Thank you for {{ticket.code}}.' }],
          raise: ['Raise', 'ticket.set-priority', { priority: 'HIGH' }],
        },
        leads: [
          ['opened', 'thank'],
          ['thank', 'raise'],
        ],
      },
      { name: 'Greeter' },
    );
    const ada = await person(service, 'Ada');
    const { id } = await create(service, { requesterId: ada });
    await settled();

    const run = await onlyRun(service);
    expect([run.state, run.ticketId, states(run)]).toEqual([
      'finished',
      id,
      { opened: 'done', thank: 'done', raise: 'done' },
    ]);
    expect(run.steps[1]?.inputs).toEqual({ content: 'Thank you for HELP-1.' });
    const ticket = await send('GET', `/tickets/${id}`);
    expect(ticket).toMatchObject({
      priority: 'HIGH',
      respondedAt: null,
      lastReply: { authorId: null, workflow: { name: 'Flow' }, agent: null, source: 'WORKFLOW' },
    });
    const { items } = await send('GET', `/ticket-messages?ticketId=${id}`);
    expect(items as unknown as TicketMessage[]).toMatchObject([
      { content: 'Thank you for HELP-1.', authorId: null, source: 'WORKFLOW', workflow: { name: 'Flow' } },
    ]);
    const { items: activity } = await send('GET', `/tickets/${id}/activity`);
    expect(activity.at(-1)).toMatchObject({
      field: 'priority',
      actor: { kind: 'workflow', name: 'Workflow: Flow' },
    });
  });

  it('starts what was activated before it, and nothing that is activated later, whatever the clock says', async () => {
    const working = Promise.withResolvers<undefined>();
    const { service, clock, settled, activate, runs } = await setUp({ begins: working.promise });
    const outline = { steps: { opened: OPENED, note: note('x') }, leads: [['opened', 'note']] } as const;
    const before = await activate(outline);
    clock.pass(-MINUTE_MS);
    await create(service);
    await activate(outline);
    working.resolve(undefined);
    await settled();
    expect((await runs()).map(({ workflowId }) => workflowId)).toEqual([before]);
  });

  it('starts no run of a draft, nor of a workflow for another queue or kind', async () => {
    const { service, settled, activate, runs, send } = await setUp();
    const other = await send('POST', '/queues', { name: 'Other', prefix: 'OTH' });
    const steps = (inputs: object) => ({
      opened: ['Opened', 'ticket.created', { ...inputs }] as const,
      note: note('x'),
    });
    const leads = [['opened', 'note']] as const;
    await activate({ steps: steps({ queueId: other.id }), leads });
    await activate({ steps: steps({ priority: 'URGENT' }), leads });
    const draft = await activate({ steps: steps({}), leads });
    await send('PUT', `/workflows/${draft}`, { name: 'Flow', state: 'Draft' });
    await create(service);
    await settled();
    expect(await runs()).toEqual([]);
    await create(service, { queueId: other.id, priority: 'URGENT' });
    await settled();
    expect(await runs()).toHaveLength(2);
  });

  it('of a field starts a run where it gets the wanted value', async () => {
    const { service, settled, activate, runs } = await setUp();
    await activate({
      steps: { changed: ['Waits', 'ticket.updated', { statusGroup: 'PENDING' }], note: note('x') },
      leads: [['changed', 'note']],
    });
    const byLabel = await statuses(service);
    const { id } = await create(service);
    await put(service, id, { title: 'Another title' });
    await put(service, id, { statusId: byLabel['Waiting'] });
    await put(service, id, { title: 'A third title' });
    await settled();
    expect(await runs()).toHaveLength(1);
  });

  it('of a private ticket, or in a queue that only its team reads, starts only a workflow with that queue', async () => {
    const { service, settled, activate, runs, send, tables } = await setUp();
    const team = await send('POST', '/queues', { name: 'Team', prefix: 'TEA' });
    await signIn(tables.db, service.workspaceId, { role: 'agent', queueIds: [team.id] });
    await send('PUT', `/queues/${team.id}`, { visibility: 'team' });
    const outline = { steps: { opened: OPENED, note: note('x') }, leads: [['opened', 'note']] } as const;
    await activate(outline);
    const ofTeam = await activate(outline, { queueIds: [team.id] });
    await create(service, { private: true });
    await create(service, { queueId: team.id });
    await settled();
    expect((await runs()).map(({ workflowId }) => workflowId)).toEqual([ofTeam]);
  });
});

describe('an approval', () => {
  it.each(['approved', 'declined'])('that is %s leads on as it was decided', async (decision) => {
    const { service, settled, activate } = await setUp();
    const boss = await person(service, 'Boss');
    await activate({
      steps: {
        opened: OPENED,
        ask: ['Ask', 'approval.request', { approverIds: [boss] }],
        yes: ['Yes', 'message.reply', { content: 'It was approved.' }],
        no: ['No', 'message.reply', { content: 'It was declined.' }],
      },
      leads: [
        ['opened', 'ask'],
        ['ask', 'yes', when('ask.decision', 'equals', 'approved')],
        ['ask', 'no', otherwise],
      ],
    });
    const { id } = await create(service);
    await settled();
    expect((await service.call('GET', `/tickets/${id}`)).body.approvers).toEqual([{ id: boss }]);
    expect((await onlyRun(service)).state).toBe('waiting');
    const field = decision === 'approved' ? 'approvedAt' : 'declinedAt';
    await put(service, id, { [field]: '2026-11-20T10:00:00Z' }, { approverId: boss, reason: 'So be it' });
    await settled();
    const run = await onlyRun(service);
    expect(run.state).toBe('finished');
    expect(run.steps.find(({ stepId }) => stepId === 'ask')?.outputs).toEqual({
      ticketId: id,
      decision,
      userId: boss,
      reason: 'So be it',
    });
    expect(await messagesOf(service, id)).toEqual([`It was ${decision}.`]);
  });
});

it('the reason of an approval mentions nobody whom a ticket’s words name', async () => {
  const { service, settled, activate } = await setUp();
  const boss = await person(service, 'Boss');
  const ask = [
    'Ask',
    'approval.request',
    { approverIds: [boss], reason: '**New**: {{ticket.title}}' },
  ] as const;
  await activate({ steps: { opened: OPENED, ask }, leads: [['opened', 'ask']] });
  const { id } = await create(service, { title: `[@Boss](user:${boss})` });
  await settled();
  const [reason = ''] = await messagesOf(service, id);
  expect([reason.startsWith('**New**: '), mentionedIn(reason)]).toEqual([true, []]);
});

describe('a wait', () => {
  const WAITING = {
    steps: {
      opened: OPENED,
      wait: ['Wait', 'wait.for-reply', { minutes: 60 }],
      answered: note('It was answered.'),
      silent: note('There was no answer.'),
    },
    leads: [
      ['opened', 'wait'],
      ['wait', 'answered', when('wait.answered', 'equals', 'true')],
      ['wait', 'silent', otherwise],
    ],
  } as const;

  it('for a reply ends with one of the requester, not with others', async () => {
    const { service, settled, activate, send, pass, clock } = await setUp();
    await activate(WAITING);
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const { id: ticketId } = await create(service, { requesterId: ada });
    await pass(MINUTE_MS);
    await send('POST', '/ticket-messages', { ticketId, content: 'Look here', authorId: ben });
    await send('POST', '/ticket-messages', { ticketId, content: 'Hm', authorId: ada, private: true });
    await settled();
    expect((await onlyRun(service)).state).toBe('waiting');
    clock.pass(MINUTE_MS);
    await send('POST', '/ticket-messages', { ticketId, content: 'It works', authorId: ada });
    await settled();
    expect((await onlyRun(service)).state).toBe('finished');
    expect(await messagesOf(service, ticketId)).toContain('It was answered.');
    await pass(2 * 60 * MINUTE_MS);
    expect(await messagesOf(service, ticketId)).not.toContain('There was no answer.');
  });

  it('ends after its time, once', async () => {
    const { service, activate, pass, settled } = await setUp();
    await activate(WAITING);
    const { id } = await create(service);
    await settled();
    expect((await onlyRun(service)).steps.at(-1)).toMatchObject({
      state: 'waiting',
      waitsUntil: '2026-11-20T10:30:00.000Z',
    });
    await pass(59 * MINUTE_MS);
    expect((await onlyRun(service)).state).toBe('waiting');
    await pass(MINUTE_MS);
    await pass(MINUTE_MS);
    expect((await onlyRun(service)).state).toBe('finished');
    expect(await messagesOf(service, id)).toEqual(['There was no answer.']);
  });

  it('ends after its time where a process with a slower clock had worked the step at its timer’s end', async () => {
    const { service, tables, activate, pass, settled } = await setUp();
    await activate(WAITING);
    const { id: ticketId } = await create(service);
    await settled();
    const { workspaceId } = service;
    const { id: runId } = await onlyRun(service);
    // The timer is over, and by this process's clock its time has not come.
    await tables.db.deleteFrom('work').where('kind', '=', TIMER.name).execute();
    await planningEngine(tables).transaction(async (tx) =>
      tx.plan.add(stepWork({ workspaceId, runId, stepId: 'wait' })),
    );
    await workNow(tables, 'workflow-step');
    await settled();
    expect((await onlyRun(service)).state).toBe('waiting');
    await pass(60 * MINUTE_MS);
    expect(await messagesOf(service, ticketId)).toEqual(['There was no answer.']);
  });

  it('for a reply goes on where the ticket was merged, and back where the merge is undone', async () => {
    const { service, activate, send, settled, runs } = await setUp();
    const ada = await person(service, 'Ada');
    // Nothing waits on the ticket into which the others are merged.
    const { id: into } = await create(service, { requesterId: ada });
    await activate({
      ...WAITING,
      steps: { ...WAITING.steps, wait: ['Wait', 'wait.for-reply', {}] },
    });
    const { id: first } = await create(service, { requesterId: ada });
    const { id: second } = await create(service, { requesterId: ada });
    await settled();
    for (const id of [first, second]) await send('POST', `/tickets/${id}/merge`, { intoId: into });
    const { Open: statusId } = await statuses(service);
    await send('PUT', `/tickets/${second}`, { data: { statusId } });
    await settled();
    const waiting = async () => (await runs('state=waiting')).map(({ ticketId }) => ticketId).toSorted();
    expect(await waiting()).toEqual([first, second].toSorted());
    await send('POST', '/ticket-messages', { ticketId: first, content: 'It works', authorId: ada });
    await settled();
    expect(await waiting()).toEqual([second]);
    await send('POST', '/ticket-messages', { ticketId: second, content: 'This, too', authorId: ada });
    await settled();
    expect(await waiting()).toEqual([]);
  });

  it('is followed by nothing in a ticket that its own was merged into, where its workflow may not read that', async () => {
    const { service, activate, send, settled, pass } = await setUp();
    const { id: into } = await create(service);
    await settled();
    await activate({
      steps: { opened: OPENED, wait: ['Wait', 'wait.for', { minutes: 60 }], note: note('Ping') },
      leads: [
        ['opened', 'wait'],
        ['wait', 'note'],
      ],
    });
    const { id: ticketId } = await create(service);
    await settled();
    await send('POST', `/tickets/${ticketId}/merge`, { intoId: into });
    await send('PUT', `/tickets/${into}`, { data: { private: true } });
    await pass(60 * MINUTE_MS);
    expect(states(await onlyRun(service))['note']).toBe('failed');
    expect(await messagesOf(service, into)).not.toContain('Ping');
  });

  it('goes on with the version that it began with', async () => {
    const { service, activate, pass, send, settled } = await setUp();
    const week = ['Wait', 'wait.for', { minutes: 7 * 24 * 60 }] as const;
    const leads = [
      ['opened', 'wait'],
      ['wait', 'note'],
    ] as const;
    const id = await activate({ steps: { opened: OPENED, wait: week, note: note('Of version 1') }, leads });
    const { id: ticketId } = await create(service);
    await settled();
    const [step] = (await readWorkflow(service, id)).steps;
    const edited = [
      step,
      { ...step, id: 'note', action: 'message.note', inputs: { content: 'Of version 2' } },
    ];
    await send('PUT', `/workflows/${id}`, {
      name: 'Flow',
      steps: edited,
      connections: [{ sourceId: 'opened', targetId: 'note' }],
      state: 'Active',
    });
    expect(await readWorkflow(service, id)).toMatchObject({ version: 2, draft: null });
    await pass(7 * DAY_MS);
    expect(await messagesOf(service, ticketId)).toEqual(['Of version 1']);
    const { id: second } = await create(service);
    await settled();
    expect(await messagesOf(service, second)).toEqual(['Of version 2']);
    const { items } = await send('GET', `/workflows/${id}/versions`);
    expect(items).toMatchObject([{ version: 2 }, { version: 1 }]);
  });

  it('for children ends when the last one is done', async () => {
    const { service, activate, settled } = await setUp();
    const child = (title: string) =>
      ['Open', 'ticket.create', { title, parentId: '{{run.ticketId}}', priority: 'LOW' }] as const;
    const workflow = await activate({
      steps: {
        run: ['By hand', 'ticket.run'],
        one: child('Device'),
        two: child('Badge'),
        wait: ['Wait', 'wait.for-children'],
        tell: ['Tell', 'message.reply', { content: 'All is ready.' }],
      },
      leads: [
        ['run', 'one'],
        ['run', 'two'],
        ['one', 'wait'],
        ['two', 'wait'],
        ['wait', 'tell'],
      ],
    });
    const { id } = await create(service);
    const started = await service.call('POST', `/workflows/${workflow}/run`, {
      body: { ticketId: 'HELP-1' },
    });
    expect([started.status, started.body]).toEqual([200, started.body]);
    await settled();
    const { children } = (await service.call('GET', `/tickets/${id}`)).body;
    const ids = (children as { id: string }[]).map((each) => each.id);
    expect(ids).toHaveLength(2);
    const byLabel = await statuses(service);
    for (const [at, childId] of ids.entries()) {
      expect((await onlyRun(service)).state).toBe('waiting');
      await put(service, childId, { statusId: byLabel[at === 0 ? 'Done' : 'Closed'] });
      await settled();
    }
    expect((await onlyRun(service)).state).toBe('finished');
    expect(await messagesOf(service, id)).toEqual(['All is ready.']);
  });
});

describe('a step that fails', () => {
  async function failing() {
    const world = await setUp();
    const { service, activate, settled, send, tables } = world;
    const admin = await signIn(tables.db, service.workspaceId, { role: 'admin' });
    const other = await send('POST', '/tags', { name: 'vpn' });
    await activate({
      steps: {
        opened: OPENED,
        tag: ['Tag', 'ticket.add-tags', { tagIds: [other.id] }],
        note: note('After it'),
      },
      leads: [
        ['opened', 'tag'],
        ['tag', 'note'],
      ],
    });
    await send('DELETE', `/tags/${other.id}`);
    const { id: ticketId } = await create(service);
    await settled();
    return { ...world, admin, ticketId };
  }

  it('says why, and tells the admins', async () => {
    const { service, admin, send } = await failing();
    const run = await onlyRun(service);
    expect([run.state, states(run)]).toEqual(['failed', { opened: 'done', tag: 'failed' }]);
    expect(run.steps[1]?.error).toMatch(/tag/);
    const { items } = await send('GET', '/notifications', undefined, admin.token);
    expect(items).toMatchObject([{ kind: 'workflow-failed' }]);
  });

  it('can be skipped, and the run goes on', async () => {
    const { service, settled, send, ticketId } = await failing();
    const { id } = await onlyRun(service);
    await send('POST', `/workflow-runs/${id}/skip`, { stepId: 'tag' });
    await settled();
    expect(states(await readRun(service, id))).toEqual({ opened: 'done', tag: 'skipped', note: 'done' });
    expect(await messagesOf(service, ticketId)).toEqual(['After it']);
    expect(
      (await service.call('POST', `/workflow-runs/${id}/retry`, { body: { stepId: 'tag' } })).status,
    ).toBe(409);
  });

  it('can be tried again', async () => {
    const { service, settled, send } = await failing();
    const { id } = await onlyRun(service);
    await send('POST', `/workflow-runs/${id}/retry`, { stepId: 'tag' });
    await settled();
    expect((await readRun(service, id)).state).toBe('failed');
  });

  it('can be the end of its run', async () => {
    const { service, settled, send, ticketId } = await failing();
    const { id } = await onlyRun(service);
    await send('POST', `/workflow-runs/${id}/stop`);
    await settled();
    expect((await readRun(service, id)).state).toBe('stopped');
    expect(
      (await service.call('POST', `/workflow-runs/${id}/skip`, { body: { stepId: 'tag' } })).status,
    ).toBe(409);
    expect(await messagesOf(service, ticketId)).toEqual([]);
  });

  it('leads on where a connection says so', async () => {
    const { service, activate, settled, send } = await setUp();
    const tag = await send('POST', '/tags', { name: 'vpn' });
    await activate({
      steps: {
        opened: OPENED,
        tag: ['Tag', 'ticket.add-tags', { tagIds: [tag.id] }],
        note: note('It failed'),
      },
      leads: [
        ['opened', 'tag'],
        ['tag', 'note', { failed: true }],
      ],
    });
    await send('DELETE', `/tags/${tag.id}`);
    const { id } = await create(service);
    await settled();
    expect((await onlyRun(service)).state).toBe('finished');
    expect(await messagesOf(service, id)).toEqual(['It failed']);
  });
});

describe('a chain of runs', () => {
  it('does not start the same workflow again, directly or through another one', async () => {
    const { service, activate, settled, runs } = await setUp();
    const first = await activate({
      steps: {
        changed: ['Title', 'ticket.updated', { fields: ['title'] }],
        high: ['High', 'ticket.set-priority', { priority: 'HIGH' }],
      },
      leads: [['changed', 'high']],
    });
    const second = await activate({
      steps: {
        changed: ['Priority', 'ticket.updated', { fields: 'priority' }],
        title: ['Title', 'ticket.update', { data: { title: 'Urgent: {{ticket.code}}' } }],
      },
      leads: [['changed', 'title']],
    });
    const { id } = await create(service);
    await put(service, id, { title: 'Another' });
    await settled();
    expect((await runs()).map(({ workflowId }) => workflowId)).toEqual([first, second]);
  });

  it('ends after ten, also where a workflow starts itself, and says so once', async () => {
    const { service, activate, settled, runs, tables, send } = await setUp();
    const admin = await signIn(tables.db, service.workspaceId, { role: 'admin' });
    await activate({
      steps: {
        changed: ['Changed', 'ticket.updated', { ownChanges: true }],
        even: [
          'Is it low?',
          'condition.if',
          { value: '{{ticket.priority}}', condition: 'equals', expected: 'LOW' },
        ],
        high: ['High', 'ticket.set-priority', { priority: 'HIGH' }],
        low: ['Low', 'ticket.set-priority', { priority: 'LOW' }],
      },
      leads: [
        ['changed', 'even'],
        ['even', 'high'],
        ['even', 'low', otherwise],
      ],
    });
    const { id } = await create(service);
    await put(service, id, { title: 'C' });
    await settled();
    const all = await runs();
    expect(all.map(({ state }) => state)).toEqual([
      ...Array.from({ length: LONGEST_CHAIN }, () => 'finished'),
      'stopped',
    ]);
    const refused = await readRun(service, all.at(-1)?.id ?? '');
    expect(refused.steps).toMatchObject([
      { stepId: 'changed', state: 'failed', error: expect.stringContaining('chain ends here') as string },
    ]);
    const told = async () => {
      const { items } = await send('GET', '/notifications', undefined, admin.token);
      return items as unknown as Notification[];
    };
    expect(await told()).toMatchObject([{ kind: 'workflow-chain-ended', ticketId: id }]);

    // Another chain of the same version ends , which they know already.
    await put(service, id, { title: 'D' });
    await settled();
    expect((await runs()).filter(({ state }) => state === 'stopped')).toHaveLength(2);
    expect(await told()).toMatchObject([{ kind: 'workflow-chain-ended', ticketId: id }]);
  });

  it('that starts too many runs pauses the workflow, and tells the admins', async () => {
    const { service, activate, settled, runs, tables, clock, send } = await setUp();
    const admin = await signIn(tables.db, service.workspaceId, { role: 'admin' });
    const id = await activate({ steps: { opened: OPENED, note: note('x') }, leads: [['opened', 'note']] });
    const { id: ticketId } = await create(service);
    await settled();
    const [run] = await tables.db.selectFrom('workflow_run').selectAll().execute();
    if (!run) throw new Error('no run');
    const more = Array.from({ length: RUNS_PER_MINUTE - 1 }, (_, at) => ({
      ...run,
      id: `wfr_${at}`,
      event_id: `evt_${at}`,
      created_at: clock.now(),
    }));
    await tables.db.insertInto('workflow_run').values(more).execute();
    await create(service);
    await settled();
    expect((await runs('limit=1000')).length).toBe(RUNS_PER_MINUTE);
    expect(await readWorkflow(service, id)).toMatchObject({
      state: 'Draft',
      stateReason: expect.stringContaining('paused') as string,
    });
    const { items } = await send('GET', '/notifications', undefined, admin.token);
    expect(items).toMatchObject([{ kind: 'workflow-paused' }]);
    expect(items[0]?.ticketId).not.toBe(ticketId);
    expect((await send('GET', '/audit-entries?action=workflow.paused')).totalCount).toBe(1);
  });
});

it('counts no runs of a minute to come towards too many, where the clock was put right', async () => {
  const { service, activate, settled, tables, clock } = await setUp();
  const id = await activate({ steps: { opened: OPENED, note: note('x') }, leads: [['opened', 'note']] });
  await create(service);
  await settled();
  const run = await tables.db.selectFrom('workflow_run').selectAll().executeTakeFirstOrThrow();
  const more = Array.from({ length: RUNS_PER_MINUTE }, (_, at) => ({
    ...run,
    id: `wfr_${at}`,
    event_id: `evt_${at}`,
    created_at: new Date(clock.now().getTime() + 90_000),
  }));
  await tables.db.insertInto('workflow_run').values(more).execute();
  await create(service);
  await settled();
  expect(await readWorkflow(service, id)).toMatchObject({ state: 'Active' });
});

describe('a workflow that is about to end', () => {
  const WAITING = {
    steps: { opened: OPENED, wait: ['Wait', 'wait.for', { minutes: 60 }], note: note('After it') },
    leads: [
      ['opened', 'wait'],
      ['wait', 'note'],
    ],
  } as const;

  it('finishes its runs, starts none, and is a draft after the last one', async () => {
    const { service, activate, settled, pass, send, runs } = await setUp();
    const id = await activate(WAITING);
    const { id: ticketId } = await create(service);
    await settled();
    await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Deprovisioning' });
    await create(service);
    await settled();
    expect([(await readWorkflow(service, id)).state, (await runs()).length]).toEqual(['Deprovisioning', 1]);
    await pass(60 * MINUTE_MS);
    expect((await readWorkflow(service, id)).state).toBe('Draft');
    expect(await messagesOf(service, ticketId)).toEqual(['After it']);
  });

  it('is a draft at once without runs', async () => {
    const { service, activate, settled, send } = await setUp();
    const id = await activate(WAITING);
    await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Deprovisioning' });
    await settled();
    expect((await readWorkflow(service, id)).state).toBe('Draft');
  });

  it('stops its runs when it is deleted', async () => {
    const { service, activate, settled, pass, send } = await setUp();
    const id = await activate(WAITING);
    const { id: ticketId } = await create(service);
    await settled();
    await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Deleted' });
    await settled();
    expect((await onlyRun(service)).state).toBe('stopped');
    await pass(60 * MINUTE_MS);
    expect(await messagesOf(service, ticketId)).toEqual([]);
  });
});

describe('a run by hand', () => {
  const BY_HAND = {
    steps: { run: ['By hand', 'ticket.run'], note: ['Note', 'message.note', { content: 'Ran' }] },
    leads: [['run', 'note']],
  } as const;

  it('starts once for a key, also if the workflow is switched off before it is asked for again', async () => {
    const { service, send, activate, settled, runs } = await setUp();
    const workflow = await activate(BY_HAND);
    const { id: ticketId } = await create(service);
    const body = { ticketId, key: 'command 1' };
    const first = await send('POST', `/workflows/${workflow}/run`, body);
    await settled();
    await send('PUT', `/workflows/${workflow}`, { name: 'Flow', state: 'Draft' });
    const second = await send('POST', `/workflows/${workflow}/run`, body);
    expect(second.id).toBe(first.id);
    await settled();
    expect(await runs()).toHaveLength(1);
    expect(await messagesOf(service, ticketId)).toEqual(['Ran']);
  });

  it('starts once for a key that is sent several times at once, and again for another key', async () => {
    const { service, send, activate, settled, runs } = await setUp();
    const workflow = await activate(BY_HAND);
    const { id: ticketId } = await create(service);
    const start = (key: string) => send('POST', `/workflows/${workflow}/run`, { ticketId, key });
    const all = await Promise.all(['one', 'one', 'one', 'two'].map(start));
    expect(new Set(all.map(({ id }) => id)).size).toBe(2);
    await settled();
    expect(await runs()).toHaveLength(2);
  });

  it('refuses a key of another ticket, and a person who does not exist', async () => {
    const { service, send, activate } = await setUp();
    const workflow = await activate(BY_HAND);
    const [one, other] = [await create(service), await create(service)];
    await send('POST', `/workflows/${workflow}/run`, { ticketId: one.id, key: 'same' });
    for (const [body, status] of [
      [{ ticketId: other.id, key: 'same' }, 409],
      [{ ticketId: other.id, userId: 'usr_none' }, 422],
    ] as const)
      expect((await service.call('POST', `/workflows/${workflow}/run`, { body })).status).toBe(status);
  });

  it('names the person for whom a program ran it', async () => {
    const { service, send, activate } = await setUp();
    const workflow = await activate(BY_HAND);
    const { id: ticketId } = await create(service);
    const { id: userId } = await send('POST', '/users', { firstName: 'Ada', email: 'ada@acme.example' });
    await send('POST', `/workflows/${workflow}/run`, { ticketId, userId });
    expect((await onlyRun(service)).startedById).toBe(userId);
  });
});
