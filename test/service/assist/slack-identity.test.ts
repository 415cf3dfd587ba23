import { expect, it } from 'vitest';

import { signSlack } from '../../../src/platform/signatures.ts';
import { startTestService } from '../harness.ts';
import { allow, mcpUrl } from './mcp-call.ts';

const SECRET = 'a-signing-secret-of-the-tests';

/** A service that Slack may ask, and Slack. */
async function withSlack() {
  const running = await startTestService({ slackSigningSecret: SECRET });
  await allow(running);
  const { call, url } = running;
  const { body: ada } = await call('POST', '/users', {
    body: { firstName: 'Ada', chatUsers: [{ chatUserId: 'U1', chatTeamId: 'T1' }] },
  });
  const trust = (isTrusted: boolean) =>
    call('PUT', '/chat-teams', { body: { id: 'T1', name: 'Acme', isTrusted } });
  const ask = async (
    slack: object | undefined,
    {
      secret = SECRET,
      age = 0,
      method = 'tools/call',
    }: { secret?: string; age?: number; method?: string } = {},
  ) => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...(method === 'tools/call'
          ? { name: 'my_work', arguments: {} }
          : {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: 'Slackbot', version: '1' },
            }),
        ...(slack && { _meta: { slack } }),
      },
    });
    const timestamp = String(Math.floor(Date.now() / 1_000) - age);
    const answer = await fetch(mcpUrl(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signSlack(timestamp, Buffer.from(body), secret),
      },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...running, ada, trust, ask };
}

const ADA = { user_id: 'U1', team_id: 'T1' };

it('Slack asks for a person of a trusted Slack workspace, and the tools act as that person', async () => {
  const { call, ada, trust, ask } = await withSlack();
  await trust(true);
  const ticket = (await call('POST', '/tickets', { body: { title: 'Hers', requesterId: ada.id } })).body.id;
  await call('POST', '/tickets', { body: { title: 'Another' } });
  const { status, text } = await ask(ADA);
  expect([status, text.includes(ticket), text.includes('Another')]).toEqual([200, true, false]);
  const { items } = (await call('GET', '/audit-entries?action=tool.called')).body;
  expect(items).toMatchObject([{ actorId: ada.id }]);
});

it('nobody is believed without a signature, a workspace, trust in it, and an account that is known', async () => {
  const { call, ada, trust, ask } = await withSlack();
  const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
  // No Slack workspace is named as trusted yet.
  expect(await status(ADA)).toBe(403);
  await trust(true);
  expect(await status(ADA)).toBe(200);
  expect(await status(ADA, { secret: 'another-secret-of-the-tests' })).toBe(401);
  expect(await status(ADA, { age: 301 })).toBe(401);
  for (const wrong of [
    undefined,
    { user_id: 'U1' },
    { user_id: 'U1', team_id: null },
    { user_id: 'U1', team_id: 'T2' },
    { user_id: 'U2', team_id: 'T1' },
  ])
    expect([wrong, await status(wrong)]).toEqual([wrong, 403]);
  // The beginning asks for nobody's tickets.
  expect(await status(undefined, { method: 'initialize' })).toBe(200);
  await call('PUT', `/users/${ada.id}`, { body: { isDeactivated: true } });
  expect(await status(ADA)).toBe(403);
  await call('PUT', `/users/${ada.id}`, { body: { isDeactivated: false } });
  expect(await status(ADA)).toBe(200);
  await trust(false);
  expect(await status(ADA)).toBe(403);
});

it('without a signing secret, a signature is worth nothing', async () => {
  const { url } = await startTestService();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const answer = await fetch(mcpUrl(url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signSlack(timestamp, Buffer.from('{}'), ''),
    },
    body: '{}',
  });
  expect(answer.status).toBe(401);
});
