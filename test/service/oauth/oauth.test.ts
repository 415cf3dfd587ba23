import { describe, expect, it } from 'vitest';

import { pruneClients } from '../../../src/service/oauth/clients.ts';
import { stoppedClock } from '../../harness/clock.ts';
import { returnPath } from '../../../src/service/sign-in/return-path.ts';
import { allow, callTool, newKey } from '../assist/mcp-call.ts';
import { MovableClock } from '../clock.ts';
import { recordIdentity } from '../world.ts';
import { REDIRECT, withOAuth } from './setup.ts';

const DAY_MS = 86_400_000;
type OAuthWorld = Awaited<ReturnType<typeof withOAuth>>;

describe('a program that a person connects', () => {
  it('acts as that person, with what they allowed, and each call has the person in the audit log', async () => {
    const running = await withOAuth();
    const { call, person, connect } = running;
    await allow(running);
    const bo = await person();
    const { accessToken } = await connect(bo, { scope: 'tickets:write' });
    const ticket = (await call('POST', '/tickets', { body: { title: 'T' } })).body.id;
    const note = { ticket, text: 'Noted', idempotencyKey: newKey() };
    expect((await callTool(running, accessToken, 'add_note', note)).code).toBeUndefined();
    const { items } = (await call('GET', `/ticket-messages?ticketId=${ticket}`)).body;
    expect(items).toMatchObject([{ authorId: bo.personId, private: true }]);
    // Sending was not allowed, though the workspace would let it.
    const reply = { draftId: 'rdf_any', version: 1, idempotencyKey: newKey() };
    expect((await callTool(running, accessToken, 'send_reply', reply)).code).toBe('FORBIDDEN');
    const audit = (await call('GET', `/audit-entries?actorId=${bo.personId}&limit=50`)).body.items;
    expect(audit.map((entry) => (entry as unknown as { action: string }).action).toSorted()).toEqual([
      'connection.started',
      'tool.called',
      'tool.called',
    ]);
  });

  it('may do nothing where a switch is off, and nothing more when the person may no longer', async () => {
    const running = await withOAuth();
    const { call, person, connect } = running;
    const bo = await person('admin');
    const { accessToken } = await connect(bo);
    const read = async () => (await callTool(running, accessToken, 'my_work')).code;
    expect(await read()).toBe('FORBIDDEN');
    await allow(running);
    expect(await read()).toBeUndefined();
    await person('admin');
    await call('PUT', `/users/${bo.personId}`, { body: { isDeactivated: true } });
    expect(await read()).toBe('UNAUTHORIZED');
  });

  it('has a token for the tools alone: the API does not take it', async () => {
    const { call, person, connect } = await withOAuth();
    const { accessToken, refreshToken } = await connect(await person('admin'));
    for (const token of [accessToken, refreshToken])
      expect((await call('GET', '/tickets', { token })).status).toBe(401);
  });

  it.each<[string, (running: OAuthWorld, personId: string) => Promise<unknown>]>([
    [
      'is deactivated, also once they are back',
      async ({ call }, personId) => {
        await call('PUT', `/users/${personId}`, { body: { isDeactivated: true } });
        await call('PUT', `/users/${personId}`, { body: { isDeactivated: false } });
      },
    ],
    [
      'loses an account with which they signed in',
      async (running, personId) => {
        const id = await recordIdentity(running, running.workspaceId, personId);
        expect((await running.call('DELETE', `/identities/${id}`)).status).toBe(200);
      },
    ],
    [
      'signed in from a Slack workspace that is not trusted any more',
      async (running, personId) => {
        const { call, db } = running;
        const team = (isTrusted: boolean) =>
          call('PUT', '/chat-teams', { body: { id: 'T0EVIL', isTrusted } });
        await team(true);
        await recordIdentity(running, running.workspaceId, personId);
        await db.updateTable('identity').set({ team_id: 'T0EVIL' }).execute();
        expect((await team(false)).status).toBe(200);
      },
    ],
  ])('is disconnected when the person %s', async (_how, end) => {
    const running = await withOAuth();
    const { person, connect, refresh } = running;
    await allow(running);
    const [bo, cy] = [await person(), await person()];
    const [ofBo, ofCy] = [await connect(bo), await connect(cy)];
    await end(running, bo.personId);
    const read = async (token: string) => (await callTool(running, token, 'my_work')).code;
    expect([await read(ofBo.accessToken), await read(ofCy.accessToken)]).toEqual(['UNAUTHORIZED', undefined]);
    const renewed = await refresh(ofBo.clientId, ofBo.refreshToken);
    expect([renewed.status, renewed.body['error']]).toEqual([400, 'invalid_grant']);
  });

  it('is listed for the person and for admins, and ends when one of them ends it', async () => {
    const running = await withOAuth();
    const { call, person, connect } = running;
    await allow(running);
    const [bo, cy] = [await person(), await person()];
    const { accessToken } = await connect(bo);
    const list = async (token?: string) =>
      (await call('GET', '/connections', token === undefined ? {} : { token })).body.items;
    expect(await list(bo.token)).toMatchObject([{ name: 'Test <client>', redirectUri: REDIRECT }]);
    expect(await list(cy.token)).toEqual([]);
    const [connection] = await list();
    const path = `/connections/${connection?.id}`;
    expect((await call('DELETE', path, { token: cy.token })).status).toBe(404);
    expect((await call('DELETE', path, { token: bo.token })).status).toBe(200);
    expect((await callTool(running, accessToken, 'my_work')).code).toBe('UNAUTHORIZED');
    const ended = (await call('GET', '/audit-entries?action=connection.ended')).body.items;
    expect(ended).toHaveLength(1);
  });
});

describe('the page', () => {
  it('names the program, where it sends people, as whom it acts and what it may do, and nothing of it is HTML', async () => {
    const { person, ask, open } = await withOAuth();
    const { query } = await ask({ scope: 'tickets:read' });
    const answer = await open(query, await person());
    const html = await answer.text();
    for (const part of ['Test &#60;client&#62;', 'https://client.example', 'Bo', 'Read the tickets'])
      expect(html).toContain(part);
    expect(html).not.toContain('Send drafted replies');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain(`form-action 'self' https://client.example;`);
    expect(policy).toContain(`frame-ancestors 'none'`);
  });

  it('sends who is signed out to sign in, and back', async () => {
    const { ask, open } = await withOAuth();
    const { query } = await ask();
    const answer = await open(query);
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, location.startsWith('/sign-in?returnTo=%2Foauth%2Fauthorize%3F')]).toEqual([
      302,
      true,
    ]);
  });

  it('gives nothing to another site’s form, to who is signed out, and to who says no', async () => {
    const { person, ask, decide, sentTo, db } = await withOAuth();
    const { query } = await ask();
    const bo = await person();
    expect((await decide(query, bo, { site: 'cross-site' })).status).toBe(400);
    expect((await decide(query, undefined)).status).toBe(400);
    const denied = sentTo(await decide(query, bo, { decision: 'deny' }));
    expect([denied.origin, denied.searchParams.get('error'), denied.searchParams.get('state')]).toEqual([
      'https://client.example',
      'access_denied',
      'a state',
    ]);
    expect(await db.selectFrom('oauth_grant').select('id').execute()).toEqual([]);
  });

  it('never redirects to an address that is not exactly one of the program', async () => {
    const { person, ask, open, decide } = await withOAuth();
    const bo = await person();
    for (const wrong of [
      'https://evil.example/back',
      `${REDIRECT}/`,
      `${REDIRECT}?more`,
      'https://client.example.evil.example/back',
      'https://client.example/back/../evil',
    ]) {
      const { query } = await ask({ redirect_uri: wrong });
      for (const answer of [await open(query, bo), await decide(query, bo)])
        expect([wrong, answer.status, answer.headers.get('location')]).toEqual([wrong, 400, null]);
    }
    const { query } = await ask({ client_id: 'ocl_none' });
    expect((await open(query, bo)).status).toBe(400);
  });

  it.each([
    ['http://localhost/back', 'http://localhost:49152/back'],
    ['http://127.0.0.1:3334/back?a=b', 'http://127.0.0.1:49152/back?a=b'],
    ['http://[::1]:3334/back', 'http://[::1]:49152/back'],
    ['http://[::1]:3334/back', 'http://[::1]/back'],
  ])(
    'of a program on this machine that registered %s, may name its port of today: %s',
    async (uri, today) => {
      const { person, ask, register, open, decide, sentTo, exchange } = await withOAuth();
      const bo = await person();
      const { hostname, pathname, search } = new URL(today);
      const { client_id } = (await (await register({ redirect_uris: [uri] })).json()) as {
        client_id: string;
      };
      const asked = await ask({ client_id, redirect_uri: today });
      const policy = (await open(asked.query, bo)).headers.get('content-security-policy');
      // Browsers ignore a source with an IPv6 address, and then follow no redirect there.
      expect(policy).toContain(
        `form-action 'self' ${today.includes('[') ? 'http:' : new URL(today).origin};`,
      );
      const back = sentTo(await decide(asked.query, bo));
      expect(back.href.startsWith(today)).toBe(true);
      const code = back.searchParams.get('code') ?? '';
      expect((await exchange(asked, code, { client_id, redirect_uri: uri })).status).toBe(400);
      expect((await exchange(asked, code, { client_id, redirect_uri: today })).status).toBe(200);
      for (const wrong of [
        `${today}/more`,
        today.replace('http:', 'https:'),
        `http://${hostname}:99999${pathname}${search}`,
        today.replace('/back', '@evil.example/back'),
        'http://127.0.0.2:3334/back',
      ]) {
        const { query } = await ask({ client_id, redirect_uri: wrong });
        expect([wrong, (await decide(query, bo)).status]).toEqual([wrong, 400]);
      }
    },
  );

  it('of a registered https address, must name its port', async () => {
    const { person, ask, decide } = await withOAuth();
    const { query } = await ask({ redirect_uri: REDIRECT.replace('.example/', '.example:8443/') });
    expect((await decide(query, await person())).status).toBe(400);
  });

  it('gives a state back as it was, of up to 2,000 characters; a longer one is refused with what is wrong', async () => {
    const { person, ask, open, decide, sentTo } = await withOAuth();
    const bo = await person();
    const state = '{"é": "+/="} %'.repeat(200).slice(0, 2_000);
    const { query } = await ask({ state });
    const unknown = await open(query);
    const wanted = new URL(unknown.headers.get('location') ?? '', 'http://desk').searchParams.get('returnTo');
    expect(returnPath(wanted, 'http://desk')).toBe(`/oauth/authorize?${query.toString()}`);
    expect((await open(query, bo)).status).toBe(200);
    expect(sentTo(await decide(query, bo)).searchParams.get('state')).toBe(state);
    const { query: longer } = await ask({ state: `${state}x` });
    for (const answer of [await open(longer, bo), await decide(longer, bo)]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(await answer.text()).toContain('2,000 for state');
    }
  });

  it.each([
    ['no proof', { code_challenge: '' }, 'invalid_request'],
    ['a proof in the open', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another answer than a code', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'tickets:delete' }, 'invalid_scope'],
    ['a token for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])(
    'sends nobody to a program that asks with %s, and tells it once a person has answered',
    async (_what, more, code) => {
      const { person, ask, open, decide, sentTo } = await withOAuth();
      const bo = await person();
      const { query } = await ask(more);
      for (const answer of [await open(query), await open(query, bo)])
        expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(sentTo(await decide(query, bo)).searchParams.get('error')).toBe(code);
    },
  );

  it('is limited for an address', async () => {
    const { person, ask, open } = await withOAuth({ clock: new MovableClock() });
    const bo = await person();
    const { query } = await ask();
    const statuses: number[] = [];
    for (let at = 0; at < 61; at += 1) statuses.push((await open(query, bo)).status);
    expect([statuses.at(59), statuses.at(60)]).toEqual([200, 400]);
  });
});

describe('a code', () => {
  it('is exchanged once, by its program, with its proof and its address; a second time ends what it gave', async () => {
    const running = await withOAuth();
    const { person, ask, decide, sentTo, exchange, refresh } = running;
    await allow(running);
    const bo = await person();
    const asked = await ask();
    const code = sentTo(await decide(asked.query, bo)).searchParams.get('code') ?? '';
    for (const wrong of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'https://client.example/other' },
      { client_id: (await ask()).clientId },
    ])
      expect((await exchange(asked, code, wrong)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await exchange(asked, code, { resource: 'https://other.example' })).body).toMatchObject({
      error: 'invalid_target',
    });
    const { body } = await exchange(asked, code);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect((await callTool(running, body['access_token'] ?? '', 'my_work')).code).toBeUndefined();
    expect((await exchange(asked, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await callTool(running, body['access_token'] ?? '', 'my_work')).code).toBe('UNAUTHORIZED');
    expect((await refresh(asked.clientId, body['refresh_token'] ?? '')).status).toBe(400);
  });

  it('ends after a minute', async () => {
    const clock = new MovableClock();
    const { person, ask, decide, sentTo, exchange } = await withOAuth({ clock });
    const asked = await ask();
    const code = sentTo(await decide(asked.query, await person())).searchParams.get('code') ?? '';
    clock.pass(61_000);
    expect((await exchange(asked, code)).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('tokens', () => {
  it('end after an hour, and are renewed by one that works once; a second time ends all of them', async () => {
    const clock = new MovableClock();
    const running = await withOAuth({ clock });
    const { person, connect, refresh } = running;
    await allow(running);
    const first = await connect(await person());
    const works = async (token: string) => (await callTool(running, token, 'my_work')).code === undefined;
    expect(await works(first.accessToken)).toBe(true);
    expect(await works(first.refreshToken)).toBe(false);
    clock.pass(3_601_000);
    expect(await works(first.accessToken)).toBe(false);
    const second = (await refresh(first.clientId, first.refreshToken)).body;
    expect(await works(second['access_token'] ?? '')).toBe(true);
    expect((await refresh(first.clientId, first.refreshToken)).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await works(second['access_token'] ?? '')).toBe(false);
    expect((await refresh(first.clientId, second['refresh_token'] ?? '')).status).toBe(400);
  });

  it('are ended by their program', async () => {
    const running = await withOAuth();
    const { person, connect, root } = running;
    await allow(running);
    const { accessToken, clientId, refreshToken } = await connect(await person());
    const revoke = (client: string) =>
      fetch(`${root}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: refreshToken, client_id: client }),
      });
    expect((await revoke('ocl_other')).status).toBe(200);
    expect((await callTool(running, accessToken, 'my_work')).code).toBeUndefined();
    expect((await revoke(clientId)).status).toBe(200);
    expect((await callTool(running, accessToken, 'my_work')).code).toBe('UNAUTHORIZED');
  });

  it('are stored as digests, and so are codes', async () => {
    const { person, connect, db } = await withOAuth();
    const { accessToken, refreshToken, code } = await connect(await person());
    const rows = JSON.stringify(await db.selectFrom('oauth_grant').selectAll().execute());
    for (const secret of [accessToken, refreshToken, code]) expect(rows).not.toContain(secret);
  });
});

describe('registration', () => {
  it('takes https, this machine and known apps, and nothing that a browser would run', async () => {
    const { register } = await withOAuth();
    const status = async (uri: string) => (await register({ redirect_uris: [uri] })).status;
    for (const uri of [
      'https://a.example/x',
      'http://localhost:3334/x',
      'http://127.0.0.1/x',
      'http://[::1]:3334/x',
      'cursor://x/y',
    ])
      expect([uri, await status(uri)]).toEqual([uri, 201]);
    for (const uri of ['http://a.example/x', 'javascript:alert(1)', 'https://a.example/#x', 'file:///x'])
      expect([uri, await status(uri)]).toEqual([uri, 400]);
  });

  it('is limited for an address, and what nobody uses is forgotten after a day', async () => {
    // The limit grants another one every six seconds.
    const clock = stoppedClock();
    const { register, db, person, connect } = await withOAuth({ clock });
    await connect(await person());
    const statuses: number[] = [];
    for (let at = 0; at < 10; at += 1) statuses.push((await register()).status);
    expect(statuses.at(-1)).toBe(429);
    const count = async () => (await db.selectFrom('oauth_client').select('id').execute()).length;
    expect(await count()).toBe(10);
    await pruneClients(db, new Date(Date.now() + DAY_MS + 60_000));
    expect(await count()).toBe(1);
  });

  it('pushes out the oldest of a thousand programs that nobody uses, and none that somebody does', async () => {
    const { register, db, connect, person } = await withOAuth();
    const { clientId } = await connect(await person());
    const now = new Date();
    await db
      .insertInto('oauth_client')
      .values(
        Array.from({ length: 1_000 }, (_, at) => ({
          id: `ocl_${at}`,
          name: 'x',
          redirect_uris: [REDIRECT],
          created_at: new Date(now.getTime() - 60_000 + at),
        })),
      )
      .execute();
    expect((await register()).status).toBe(201);
    const kept = await db.selectFrom('oauth_client').select('id').execute();
    const ids = new Set(kept.map(({ id }) => id));
    expect([ids.size, ids.has('ocl_0'), ids.has('ocl_1'), ids.has(clientId)]).toEqual([
      1_001,
      false,
      true,
      true,
    ]);
  });
});

it('the metadata names where everything is, and a request without a token is told where it is', async () => {
  const { root, issuer, resource } = await withOAuth();
  const read = async (path: string) =>
    (await (await fetch(`${root}${path}`)).json()) as Record<string, unknown>;
  expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({
    resource,
    authorization_servers: [issuer],
  });
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    code_challenge_methods_supported: ['S256'],
  });
  const answer = await fetch(`${root}/mcp`, { method: 'POST' });
  expect(answer.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`,
  );
});
