import { expect, it } from 'vitest';

import type { ChatRequest } from '../../../src/contract/index.ts';
import { create } from '../tickets/requests.ts';
import { onlyRun, setUp, states } from './setup.ts';

const OUTLINE = (channelId: string) =>
  ({
    steps: {
      opened: ['Opened', 'ticket.created'],
      post: ['Post', 'chat.post', { channelId, content: '**{{ticket.code}}** is new' }],
      note: ['Note', 'message.note', { content: 'Posted as {{post.messageTs}}' }],
    },
    leads: [
      ['opened', 'post'],
      ['post', 'note'],
    ],
  }) as const;

/** A service with a linked channel, and a bridge that serves chat. */
async function withChat() {
  const world = await setUp();
  const { send } = world;
  const channel = await send('PUT', '/chat-channels', { channelId: 'C0OPS', channelName: 'ops' });
  const serveChat = () => send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', servesChat: true });
  const requests = async () =>
    (await send('GET', '/chat-requests?state=pending')).items as unknown as ChatRequest[];
  return { ...world, channel: channel.id, serveChat, requests };
}

it('a post in chat is asked for once, and its step is done once chat has written it', async () => {
  const { service, send, activate, settled, channel, serveChat, requests } = await withChat();
  await serveChat();
  await activate(OUTLINE(channel));
  const { id: ticketId } = await create(service);
  await settled();
  const [request, ...others] = await requests();
  expect([request, others]).toMatchObject([
    { kind: 'post', ticketId, chatChannelId: 'C0OPS', userId: null, content: '**HELP-1** is new' },
    [],
  ]);
  expect((await onlyRun(service)).state).toBe('waiting');
  const answer = { messageTs: '1700000000.000100' };
  for (let again = 0; again < 2; again++) await send('PUT', `/chat-requests/${request?.id ?? ''}`, answer);
  await settled();
  const run = await onlyRun(service);
  expect([run.state, run.steps[1]?.outputs, run.steps[2]?.inputs]).toEqual([
    'finished',
    { channelId: channel, ...answer },
    { content: String.raw`Posted as 1700000000.000100` },
  ]);
  expect(await requests()).toEqual([]);
});

it('what chat cannot write fails the step with its reason, and can be tried again', async () => {
  const { service, send, activate, settled, channel, serveChat, requests } = await withChat();
  await serveChat();
  await activate(OUTLINE(channel));
  await create(service);
  await settled();
  const [request] = await requests();
  await send('PUT', `/chat-requests/${request?.id ?? ''}`, { error: 'The channel is archived.' });
  await settled();
  const run = await onlyRun(service);
  expect([run.state, run.steps[1]?.error]).toEqual(['failed', 'The channel is archived.']);
  await send('POST', `/workflow-runs/${run.id}/retry`, { stepId: 'post' });
  await settled();
  const [second] = await requests();
  expect(second?.id).not.toBe(request?.id);
  // Another chat has written it meanwhile.
  await send('PUT', `/chat-requests/${second?.id ?? ''}`, { error: 'There is no such channel.' });
  await settled();
  await send('PUT', `/chat-requests/${second?.id ?? ''}`, { messageTs: '1700000000.000100' });
  await send('POST', `/workflow-runs/${run.id}/retry`, { stepId: 'post' });
  await settled();
  expect([(await onlyRun(service)).state, await requests()]).toEqual(['finished', []]);
});

it('a step that failed after chat had written it is done when it is tried again, and asks for nothing twice', async () => {
  const { service, send, activate, settled, channel, serveChat, requests } = await withChat();
  await serveChat();
  await activate(OUTLINE(channel));
  const { id: ticketId } = await create(service);
  await settled();
  const [request] = await requests();
  await send('PUT', `/tickets/${ticketId}`, { data: { private: true } });
  const answer = { messageTs: '1700000000.000100' };
  await send('PUT', `/chat-requests/${request?.id ?? ''}`, answer);
  await settled();
  const run = await onlyRun(service);
  const error = 'This workflow may not read the ticket any more.';
  expect([run.state, run.steps[1]?.error]).toEqual(['failed', error]);
  await send('PUT', `/tickets/${ticketId}`, { data: { private: false } });
  await send('POST', `/workflow-runs/${run.id}/retry`, { stepId: 'post' });
  await settled();
  expect(await requests()).toEqual([]);
  const { state, steps } = await onlyRun(service);
  expect([state, steps[1]?.outputs]).toEqual(['finished', { channelId: channel, ...answer }]);
});

it('without a chat, or without an answer for a day, the step fails and says so', async () => {
  const { service, activate, settled, channel, serveChat, pass, send, requests } = await withChat();
  await activate(OUTLINE(channel));
  await create(service);
  await settled();
  const run = await onlyRun(service);
  expect([states(run)['post'], run.steps[1]?.error]).toEqual([
    'failed',
    'No chat serves this workspace. Connect one, then retry.',
  ]);
  await serveChat();
  await send('POST', `/workflow-runs/${run.id}/retry`, { stepId: 'post' });
  await settled();
  expect((await onlyRun(service)).state).toBe('waiting');
  const [request] = await requests();
  await pass(24 * 60 * 60_000);
  expect((await onlyRun(service)).steps[1]?.error).toMatch(/within a day/);
  // Chat may still have it: another request would be written as well.
  await send('POST', `/workflow-runs/${run.id}/retry`, { stepId: 'post' });
  await settled();
  expect(await requests()).toMatchObject([{ id: request?.id }]);
  await send('PUT', `/chat-requests/${request?.id ?? ''}`, { messageTs: '1700000000.000100' });
  await settled();
  expect((await onlyRun(service)).state).toBe('finished');
});
