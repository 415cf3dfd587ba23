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
