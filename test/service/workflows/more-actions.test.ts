import { expect, it } from 'vitest';

import { create } from '../tickets/requests.ts';
import { messagesOf, onlyRun, readRun, runs, setUp, states } from './setup.ts';

const BY_HAND = ['By hand', 'ticket.run'] as const;

it('a reply goes once to every child of a ticket that is not archived', async () => {
  const { service, activate, settled, send } = await setUp();
  const workflow = await activate({
    steps: {
      run: BY_HAND,
      tell: ['Tell all', 'message.reply-children', { content: 'The mail server is back.' }],
    },
    leads: [['run', 'tell']],
  });
  const { id: parentId } = await create(service);
  const children = [];
  for (let at = 0; at < 3; at++) children.push((await create(service, { parentId })).id);
  await send('DELETE', `/tickets/${children[2]}`);
  await send('POST', `/workflows/${workflow}/run`, { ticketId: parentId });
  await settled();
  expect((await onlyRun(service)).steps[1]?.outputs).toMatchObject({ count: 2 });
  expect(await Promise.all([parentId, ...children].map((id) => messagesOf(service, id)))).toEqual([
    [],
    ['The mail server is back.'],
    ['The mail server is back.'],
    [],
  ]);
});

it('approvers are added to those that a ticket has, and the run goes on at once', async () => {
  const { service, activate, settled, send } = await setUp();
  const person = async (firstName: string) =>
    (await send('POST', '/users', { firstName, email: `${firstName}@acme.example` })).id;
  const [first, second] = [await person('ada'), await person('mira')];
  await activate({
    steps: {
      opened: ['Opened', 'ticket.created'],
      add: ['Add', 'approval.add-approvers', { approverIds: [second] }],
    },
    leads: [['opened', 'add']],
  });
  const { id } = await create(service, { approverIds: [first] });
  await settled();
  expect((await onlyRun(service)).state).toBe('finished');
  const { approvers } = await send('GET', `/tickets/${id}`);
  expect(approvers.map((each: { id: string }) => each.id).toSorted()).toEqual([first, second].toSorted());
});

it('a workflow runs another one, once and in the same chain, which does not run the first one again', async () => {
  const { service, activate, settled, send } = await setUp();
  const other = await activate({
    steps: { run: BY_HAND, note: ['Note', 'message.note', { content: 'From the other one' }] },
    leads: [['run', 'note']],
  });
  const first = await activate({
    steps: { run: BY_HAND, on: ['Run it', 'workflow.run', { workflowId: other }] },
    leads: [['run', 'on']],
  });
  const { id } = await create(service);
  await send('POST', `/workflows/${first}/run`, { ticketId: id });
  await settled();
  expect((await onlyRun(service, `workflowId=${first}`)).state).toBe('finished');
  expect((await onlyRun(service, `workflowId=${other}`)).state).toBe('finished');
  expect(await messagesOf(service, id)).toEqual(['From the other one']);

  // A third one that leads back: its second step is refused, and the chain ends.
  const back = await activate({
    steps: { run: BY_HAND, on: ['Run itself', 'workflow.run', { workflowId: other }] },
    leads: [['run', 'on']],
  });
  const steps = [
    { id: 'run', title: 'By hand', action: 'ticket.run', inputs: {} },
    { id: 'on', title: 'Back', action: 'workflow.run', inputs: { workflowId: back } },
  ];
  await send('PUT', `/workflows/${other}`, { name: 'Other', state: 'Active', steps, connections: [] });
  await send('POST', `/workflows/${back}/run`, { ticketId: id });
  await settled();
  const [, last] = await runs(service, `workflowId=${other}`);
  const ended = await readRun(service, last?.id ?? '');
  expect(states(ended)).toEqual({ run: 'done', on: 'failed' });
  expect(ended.steps[1]?.error).toBe('This workflow led to this run itself, so it is not run again.');
});

it('a workflow that is not Active, or cannot be run by hand, fails the step that runs it', async () => {
  const { service, activate, settled, send } = await setUp();
  const draft = await send('POST', '/workflows', { name: 'Draft', steps: [], connections: [] });
  const onEvent = await activate({
    steps: {
      changed: ['Changed', 'ticket.updated', { priority: 'URGENT' }],
      note: ['Note', 'message.note', { content: 'x' }],
    },
    leads: [['changed', 'note']],
  });
  const { id } = await create(service);
  for (const [workflowId, says] of [
    [draft.id, /Only an Active workflow runs/],
    [onEvent, /no trigger for runs by hand/],
  ] as const) {
    const first = await activate({
      steps: { run: BY_HAND, on: ['Run it', 'workflow.run', { workflowId }] },
      leads: [['run', 'on']],
    });
    await send('POST', `/workflows/${first}/run`, { ticketId: id });
    await settled();
    expect((await onlyRun(service, `workflowId=${first}`)).steps[1]?.error).toMatch(says);
  }
});
