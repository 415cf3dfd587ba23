import {
  Client,
  type StoredOAuthClientInformation,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';

import { startTap } from '../../harness/tap.ts';
import { allow, newKey } from '../assist/mcp-call.ts';
import { REDIRECT, withOAuth } from './setup.ts';

/** What a program keeps, for the protocol's own client. */
function keeper() {
  let client: StoredOAuthClientInformation | undefined;
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  const kept: { tokens?: StoredOAuthTokens; opened?: URL } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Test client', redirect_uris: [REDIRECT] },
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.opened = url),
    codeVerifier: () => verifier,
    saveCodeVerifier: (text) => void (verifier = text),
    discoveryState: () => discovered,
    saveDiscoveryState: (state) => void (discovered = state),
  };
  return { provider, kept };
}

it('the protocol’s own client registers, is allowed by a person, finds, drafts, sends and closes as them, and renews its tokens', async () => {
  // The client asks the address that the service says it has.
  const tap = await startTap('desk', '', async () => 'go on');
  const running = await withOAuth({ publicUrl: tap.url });
  const { call, decide, person, sentTo } = running;
  tap.target = new URL(running.url).origin;
  await allow(running);
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'The VPN drops' } });
  const bo = await person();
  const { provider, kept } = keeper();
  const newTransport = () =>
    new StreamableHTTPClientTransport(new URL(`${tap.url}/mcp`), { authProvider: provider });
  const newClient = () => new Client({ name: 'test', version: '1.0.0' });

  const first = newTransport();
  await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError);
  // What the person's browser does.
  const asked = kept.opened?.searchParams ?? new URLSearchParams();
  await first.finishAuth(sentTo(await decide(asked, bo)).searchParams);
  const connect = async () => {
    const client = newClient();
    await client.connect(newTransport());
    onTestFinished(() => client.close());
    return client;
  };
  let client = await connect();
  const tool = async (name: string, input: object) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    expect([name, result.isError ?? false, result.content]).toEqual([name, false, result.content]);
    return result.structuredContent as Record<string, unknown>;
  };
  expect(await tool('search_tickets', { query: 'vpn' })).toMatchObject({ tickets: [{ id: ticket.id }] });
  const draft = { ticket: ticket.id, text: 'Restart it.', idempotencyKey: newKey() };
  const { draftId, version } = await tool('draft_reply', draft);
  await tool('send_reply', { draftId, version, idempotencyKey: newKey() });

  // The token is lost or over: the client renews it by itself.
  const { refresh_token: before } = kept.tokens ?? {};
  kept.tokens = { ...kept.tokens, access_token: 'dba_over', token_type: 'Bearer' };
  client = await connect();
  const { choices } = await tool('list_choices', { kind: 'statuses', search: 'Closed' });
  const [closed] = choices as { id: string }[];
  const change = { ticket: ticket.id, statusId: closed?.id, idempotencyKey: newKey() };
  await tool('change_ticket', change);
  expect(kept.tokens.refresh_token).not.toBe(before);

  expect((await call('GET', `/tickets/${ticket.id}`)).body.closedAt).not.toBeNull();
  const { items } = (await call('GET', `/ticket-messages?ticketId=${ticket.id}`)).body;
  expect(items).toMatchObject([{ content: 'Restart it.', authorId: bo.personId }]);
});
