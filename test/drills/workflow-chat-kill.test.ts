import { expect, test } from 'vitest';

import { contentOf } from '../../src/service/workflow-config/outline.ts';
import type { TapPoint } from '../harness/tap.ts';
import { until } from '../harness/until.ts';
import { startTappedBridge } from './harness/tapped-bridge.ts';

const CHANNEL = 'it-triage';

/** Where the bridge is killed in a chat request, from its reading to the service's answer about its end. */
const POINTS: readonly [string, (point: TapPoint) => boolean][] = [
  ['while it reads it', ({ when, request }) => when === 'answered' && request === 'GET /api/chat-requests'],
  ['before the post', ({ when, request }) => when === 'arrived' && request === 'POST /api/chat.postMessage'],
  [
    'after the post, before its answer',
    ({ when, request }) => when === 'answered' && request === 'POST /api/chat.postMessage',
  ],
  [
    'after the answer to the post',
    ({ when, request }) => when === 'passed' && request === 'POST /api/chat.postMessage',
  ],
  [
    'before the service hears of it',
    ({ when, request }) => when === 'arrived' && request.startsWith('PUT /api/chat-requests/'),
  ],
  [
    'after the service has heard of it',
    ({ when, request }) => when === 'answered' && request.startsWith('PUT /api/chat-requests/'),
  ],
];

test('F1 the bridge is killed at each step of a chat request: it is posted once, answered once, and the run goes on once', async () => {
  const world = await startTappedBridge();
  const { service, chat, bridge } = world;
  const { items: workspaces } = await service.listWorkspaces({});
  const channel = workspaces
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .find(({ channelName }) => channelName === CHANNEL);
  const { id } = await service.createWorkflow({
    body: {
      name: 'Tell the team',
      ...contentOf({
        steps: {
          run: ['Run by hand', 'ticket.run'],
          post: ['Post', 'chat.post', { channelId: channel?.id ?? '', content: 'Look at {{ticket.code}}' }],
          note: ['Note', 'message.note', { content: 'Posted at {{post.messageTs}}' }],
        },
        leads: [
          ['run', 'post'],
          ['post', 'note'],
        ],
      }),
    },
  });
  await service.updateWorkflow({ params: { id }, body: { name: 'Tell the team', state: 'Active' } });

  for (const [where, isMeant] of POINTS) {
    const ticket = await service.createTicket({ body: { title: `Killed ${where}` } });
    // Its card is posted before.
    await world.untilBridgeIdle();
    const killed = world.killWhere(isMeant);
    const run = await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
    await killed;
    await bridge.restart();
    await until(`the end of the run that was killed ${where}`, async () => {
      const { state } = await service.readWorkflowRun({ params: { id: run.id } });
      return state === 'finished';
    });
    await world.untilBridgeIdle();
    const posts = (await chat.messages(CHANNEL)).filter(({ text }) =>
      text.includes(`Look at ${ticket.code}`),
    );
    const { items: requests } = await service.listChatRequests({ query: { limit: 200 } });
    const { items: messages } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
    expect([
      where,
      requests
        .filter(({ ticketId }) => ticketId === ticket.id)
        .map(({ state, messageTs }) => [state, messageTs]),
      messages.map(({ content }) => content),
    ]).toEqual([where, posts.map(({ ts }) => ['done', ts]), posts.map(({ ts }) => `Posted at ${ts}`)]);
    expect([where, posts.length]).toEqual([where, 1]);
  }
  await world.end();
});

/** Where the bridge is killed in the request that runs a workflow, and whether the person is told for certain. */
const RUN_POINTS = [
  ['arrived', true],
  ['answered', true],
  // The command may be done: then its answer is lost, like all that only one person sees (B0a).
  ['passed', false],
] as const;

test('F1 the bridge is killed while it runs a workflow for a command: it is run once, and the person is told unless the command was done', async () => {
  const world = await startTappedBridge({ tapsChat: false });
  const { service, chat, bridge } = world;
  const { id } = await service.createWorkflow({
    body: {
      name: 'Order a laptop',
      ...contentOf({
        steps: {
          run: ['Run by hand', 'ticket.run'],
          note: ['Note', 'message.note', { content: 'Ordered' }],
        },
        leads: [['run', 'note']],
      }),
    },
  });
  await service.updateWorkflow({ params: { id }, body: { name: 'Order a laptop', state: 'Active' } });
  for (const [when, isTold] of RUN_POINTS) {
    const ticket = await service.createTicket({ body: { title: `Killed when the request has ${when}` } });
    await world.untilBridgeIdle();
    const killed = world.killWhere(
      (point) => point.when === when && point.request === `POST /api/workflows/${id}/run`,
    );
    await chat.command(CHANNEL, 'mira', `run ${ticket.code} order`);
    await killed;
    await bridge.restart();
    await world.untilBridgeIdle();
    const answer = async () =>
      (await chat.messages(CHANNEL, 'mira')).find(
        ({ ephemeralFor, text }) => ephemeralFor !== undefined && text.includes(ticket.code),
      )?.text;
    // It is sent once the command is recorded as done.
    if (isTold)
      expect(await until(`the answer to the command that was killed when it had ${when}`, answer)).toContain(
        'runs on',
      );
    const { items } = await service.listWorkflowRuns({ query: { ticketId: ticket.id } });
    expect([when, items.length]).toEqual([when, 1]);
  }
  await world.end();
});
