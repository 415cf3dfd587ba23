import { expect, it } from 'vitest';

import type { ChatRequest, TicketDetail } from '../../../src/contract/index.ts';
import { contentOf, when } from '../../../src/service/workflow-config/outline.ts';
import { signIn } from '../signed-in.ts';
import { create, put } from '../tickets/requests.ts';
import { messagesOf, onlyRun, readRun, runs, settledIn, setUp, states } from './setup.ts';

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

it('the approvers who have not decided are reminded once, in their inbox and in chat, and the run goes on', async () => {
  const { service, activate, settled, send, tables } = await setUp();
  await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', servesChat: true });
  const [first, second] = [
    await signIn(tables.db, service.workspaceId, { role: 'agent' }),
    await signIn(tables.db, service.workspaceId, { role: 'agent' }),
  ];
  const workflow = await activate({
    steps: { run: BY_HAND, remind: ['Remind', 'approval.remind'] },
    leads: [['run', 'remind']],
  });
  const approverIds = [first.personId, second.personId];
  const { id, code } = await create(service, { approverIds });
  await send('POST', `/workflows/${workflow}/run`, { ticketId: id });
  await settled();
  const run = await onlyRun(service);
  expect([run.state, run.steps[1]?.outputs]).toMatchObject(['finished', { count: 2 }]);
  const requests = (await send('GET', '/chat-requests')).items as unknown as ChatRequest[];
  expect(requests.map(({ kind, userId, content }) => [kind, userId, content]).toSorted()).toEqual(
    approverIds.map((each) => ['direct-message', each, `${code} waits for your approval.`]).toSorted(),
  );
  for (const { token } of [first, second])
    expect((await send('GET', '/notifications', undefined, token)).items).toMatchObject([
      { kind: 'approval', ticketId: id },
    ]);

  // Once it is decided, nobody is reminded.
  await put(service, id, { approvedAt: '2026-11-20T09:30:00Z' }, { approverId: first.personId });
  await send('POST', `/workflows/${workflow}/run`, { ticketId: id });
  await settled();
  expect((await send('GET', '/chat-requests')).items).toHaveLength(2);
});

it('an emoji is asked for on the post of an earlier step', async () => {
  const { service, activate, settled, send } = await setUp();
  await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', servesChat: true });
  const { id: channelId } = await send('PUT', '/chat-channels', { channelId: 'C0OPS', channelName: 'ops' });
  await activate({
    steps: {
      opened: ['Opened', 'ticket.created'],
      post: ['Post', 'chat.post', { channelId, content: '{{ticket.code}}' }],
      react: ['React', 'chat.react', { channelId, messageTs: '{{post.messageTs}}', emoji: ':eyes:' }],
    },
    leads: [
      ['opened', 'post'],
      ['post', 'react'],
    ],
  });
  await create(service);
  await settled();
  const pending = async () =>
    ((await send('GET', '/chat-requests?state=pending')).items as unknown as ChatRequest[])[0];
  const messageTs = '1700000000.000100';
  await send('PUT', `/chat-requests/${(await pending())?.id ?? ''}`, { messageTs });
  await settled();
  const request = await pending();
  expect(request).toMatchObject({
    kind: 'reaction',
    chatChannelId: 'C0OPS',
    reactsTo: messageTs,
    content: 'eyes',
  });
  await send('PUT', `/chat-requests/${request?.id ?? ''}`, { messageTs });
  await settled();
  expect((await onlyRun(service)).state).toBe('finished');
});

it('similar tickets are found among those that the workflow reads, and linked', async () => {
  const { service, activate, settled, send } = await setUp();
  const title = 'The VPN disconnects every ten minutes';
  const { id: same, code } = await create(service, { title });
  await create(service, { title, private: true });
  await create(service, { title: 'A new chair' });
  await settledIn(service, 'search');
  await activate({
    steps: {
      opened: ['Opened', 'ticket.created'],
      find: ['Find', 'ticket.find-duplicates'],
      link: ['Link', 'ticket.link', { otherTicketIds: '{{find.ticketIds}}', kind: 'duplicate' }],
      note: ['Note', 'message.note', { content: 'As in {{find.codes}}' }],
    },
    leads: [
      ['opened', 'find'],
      ['find', 'link', when('find.count', 'equals', '1')],
      ['link', 'note'],
    ],
  });
  const { id } = await create(service, { title });
  await settled();
  expect((await onlyRun(service)).steps[1]?.outputs).toMatchObject({ ticketIds: [same], count: 1 });
  expect(await messagesOf(service, id)).toEqual([`As in ${code}`]);
  const { links } = (await send('GET', `/tickets/${id}`)) as unknown as TicketDetail;
  expect(links).toMatchObject([{ kind: 'duplicate', direction: 'out', ticket: { id: same } }]);
});

it('tickets are counted by a filter of the list, those that the workflow reads', async () => {
  const { service, activate, settled, send } = await setUp();
  await create(service, { priority: 'URGENT' });
  await create(service, { priority: 'URGENT', private: true });
  await create(service, { priority: 'LOW' });
  const steps = {
    run: BY_HAND,
    count: ['Count', 'ticket.count', { filter: { priority: 'URGENT', openFilter: true } }],
  } as const;
  const { id, queueId } = (await create(service, { priority: 'LOW' })) as unknown as TicketDetail;
  const counted = async (queueIds: string[] | null) => {
    const workflow = await activate({ steps, leads: [['run', 'count']] }, { queueIds });
    await send('POST', `/workflows/${workflow}/run`, { ticketId: id });
    await settled();
    return (await onlyRun(service, `workflowId=${workflow}`)).steps[1]?.outputs;
  };
  expect(await counted(null)).toEqual({ count: 1, isCapped: false });
  expect(await counted([queueId ?? ''])).toEqual({ count: 2, isCapped: false });
});

it('a filter that the list does not have is refused when the workflow is activated', async () => {
  const { service, send } = await setUp();
  const { id } = await send('POST', '/workflows', {
    name: 'Flow',
    ...contentOf({
      steps: { run: BY_HAND, count: ['Count', 'ticket.count', { filter: { colour: 'red' } }] },
      leads: [['run', 'count']],
    }),
  });
  const { status, body } = await service.call('PUT', `/workflows/${id}`, {
    body: { name: 'Flow', state: 'Active' },
  });
  expect([status, body.issues]).toEqual([
    422,
    [{ path: 'steps.1.inputs.filter', message: 'The ticket list has no such parameter' }],
  ]);
});
