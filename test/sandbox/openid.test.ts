import * as client from 'openid-client';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { CLIENT, codeFor, installerClient, REDIRECT } from './install-app.ts';
import { ADA, BOT, HeldClock, openSandbox, SEED, webClient } from './open-sandbox.ts';

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error as { data?: { error?: string } }).data?.error ?? String(error),
  );

function signInUrl(sandbox: Sandbox, query: Record<string, string> = {}): string {
  const asked = {
    response_type: 'code',
    client_id: CLIENT.client_id,
    scope: 'openid email profile',
    redirect_uri: REDIRECT,
    ...query,
  };
  return `${sandbox.url}/openid/connect/authorize?${new URLSearchParams(asked).toString()}`;
}

/** Presses Allow, or Cancel, on the page of a link; returns the response. */
async function decide(
  sandbox: Sandbox,
  link: string,
  { as = `${SEED.team.id} ${ADA}`, decision = 'allow', headers = {} } = {},
): Promise<Response> {
  const fields = new URL(link).searchParams;
  fields.set('as', as);
  fields.set('decision', decision);
  return fetch(`${sandbox.url}/openid/connect/authorize`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: fields,
    redirect: 'manual',
  });
}

const locationOf = (answer: Response) => new URL(answer.headers.get('location') ?? '');

async function signInCode(
  sandbox: Sandbox,
  query: Record<string, string> = {},
  as?: string,
): Promise<string> {
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  const answer = await decide(sandbox, signInUrl(sandbox, query), as === undefined ? {} : { as });
  return locationOf(answer).searchParams.get('code') ?? '';
}

/** openid-client, as it finds the sandbox by discovery; signatures are checked. */
async function relyingParty(sandbox: Sandbox): Promise<client.Configuration> {
  const config = await client.discovery(
    new URL(sandbox.url),
    CLIENT.client_id,
    undefined,
    client.ClientSecretPost(CLIENT.client_secret),
    { execute: [client.allowInsecureRequests] },
  );
  client.enableNonRepudiationChecks(config);
  return config;
}

test('openid-client signs a person in and reads their claims', async () => {
  const sandbox = await openSandbox();
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  const config = await relyingParty(sandbox);
  const link = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: 'openid email profile',
    state: 'a state',
    nonce: 'a nonce',
  });
  const page = await (await fetch(link)).text();
  expect(page).toContain(`<option value="${SEED.team.id} ${ADA}">`);
  expect(page).not.toContain(BOT);
  const back = locationOf(await decide(sandbox, link.href));
  const tokens = await client.authorizationCodeGrant(config, back, {
    expectedState: 'a state',
    expectedNonce: 'a nonce',
  });
  const claims = {
    sub: ADA,
    'https://slack.com/user_id': ADA,
    'https://slack.com/team_id': SEED.team.id,
    email: 'ada@acme.example',
    email_verified: true,
    name: 'Ada Reyes',
    given_name: 'Ada',
    family_name: 'Reyes',
    picture: expect.stringMatching(new RegExp(`^${sandbox.url}/avatar/${ADA}\\.svg`)) as string,
    locale: 'en-US',
  };
  const seen = tokens.claims();
  expect(seen).toMatchObject({ iss: sandbox.url, aud: CLIENT.client_id, nonce: 'a nonce', ...claims });
  expect((seen?.exp ?? 0) - (seen?.iat ?? 0)).toBe(300);
  expect(await client.fetchUserInfo(config, tokens.access_token, ADA)).toMatchObject({ ok: true, ...claims });
  const log = JSON.stringify([sandbox.control.calls(), sandbox.control.log()]);
  for (const secret of [tokens.access_token, tokens.id_token ?? 'none', CLIENT.client_secret])
    expect(log).not.toContain(secret);
});

test('the page says what the app will see, and offers the person first whom the app hints at', async () => {
  const sandbox = await openSandbox();
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  const [, other] = SEED.people;
  const page = await (await fetch(signInUrl(sandbox, { login_hint: other?.email ?? '' }))).text();
  expect(page).toContain('will see your name and e-mail,');
  expect(page).toContain(`<option value="${SEED.team.id} ${other?.id ?? ''}" selected>`);
  expect(page.match(/ selected/g)).toHaveLength(1);
});

test('scopes decide what an app learns, and userInfo wants a user token', async () => {
  const sandbox = await openSandbox();
  const code = await signInCode(sandbox, { scope: 'openid' });
  const answer = await installerClient(sandbox).openid.connect.token({
    ...CLIENT,
    code,
    redirect_uri: REDIRECT,
  });
  expect(Object.keys(answer).sort()).toEqual(
    ['access_token', 'id_token', 'ok', 'response_metadata', 'token_type'].filter((name) => name in answer),
  );
  const payload = JSON.parse(
    Buffer.from(answer.id_token?.split('.')[1] ?? '', 'base64url').toString(),
  ) as object;
  expect(Object.keys(payload)).toEqual([
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'at_hash',
    'https://slack.com/user_id',
    'https://slack.com/team_id',
  ]);
  const { connect } = webClient(sandbox, answer.access_token).openid;
  expect(await connect.userInfo()).toMatchObject({ ok: true, sub: ADA });
  expect(await errorOf(webClient(sandbox).openid.connect.userInfo())).toBe('not_allowed_token_type');
  expect(await errorOf(webClient(sandbox, 'xoxp-unknown').openid.connect.userInfo())).toBe('invalid_auth');
  expect(await errorOf(installerClient(sandbox).openid.connect.userInfo())).toBe('not_authed');
  await sandbox.control.changePerson({ user: 'ada', deleted: true });
  expect(await errorOf(connect.userInfo())).toBe('token_revoked');
});

test('openid.connect.token refuses with the name of what is wrong, and a code is good once, for ten minutes', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const code = await signInCode(sandbox);
  const { openid, oauth } = installerClient(sandbox);
  const call = (args: Record<string, string>) =>
    errorOf(openid.connect.token({ ...CLIENT, code, redirect_uri: REDIRECT, ...args }));
  expect(await call({ client_id: 'nobody' })).toBe('invalid_client_id');
  expect(await call({ client_secret: 'wrong' })).toBe('bad_client_secret');
  expect(await call({ code: 'unknown' })).toBe('invalid_code');
  expect(await call({ redirect_uri: 'http://127.0.0.1:9/other' })).toBe('bad_redirect_uri');
  expect(await call({ grant_type: 'password' })).toBe('invalid_grant_type');
  expect(await call({ grant_type: 'refresh_token', refresh_token: 'x' })).toBe('invalid_refresh_token');
  expect(await errorOf(oauth.v2.access({ ...CLIENT, code, redirect_uri: REDIRECT }))).toBe(
    'oauth_authorization_url_mismatch',
  );
  expect(await call({})).toBe('none');
  expect(await call({})).toBe('code_already_used');
  expect(await call({ code: await codeFor(sandbox, {}) })).toBe('oauth_authorization_url_mismatch');
  const old = await signInCode(sandbox);
  clock.advance(10 * 60_000);
  expect(await call({ code: old })).toBe('invalid_code');
});

test('a wrong sign-in link is answered with a page, Cancel with access_denied, another page with 403', async () => {
  const sandbox = await openSandbox();
  const refused = async (query: Record<string, string>) => {
    const answer = await fetch(signInUrl(sandbox, query));
    return [answer.status, /<code>(\w+)<\/code>/.exec(await answer.text())?.[1]];
  };
  expect(await refused({})).toEqual([400, 'bad_redirect_uri']);
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  expect(await refused({ client_id: 'nobody' })).toEqual([400, 'invalid_client_id']);
  expect(await refused({ response_type: 'token' })).toEqual([400, 'unsupported_response_type']);
  for (const scope of ['email', 'openid chat:write', ''])
    expect([scope, await refused({ scope })]).toEqual([scope, [400, 'invalid_scope']]);
  const link = signInUrl(sandbox, { state: `"><script>'` });
  expect(await (await fetch(link)).text()).not.toMatch(/<script/);
  const cancelled = locationOf(await decide(sandbox, link, { decision: 'cancel' }));
  expect(Object.fromEntries(cancelled.searchParams)).toEqual({
    error: 'access_denied',
    state: `"><script>'`,
  });
  expect((await decide(sandbox, link, { as: `${SEED.team.id} ${BOT}` })).status).toBe(400);
  const foreign = await decide(sandbox, link, { headers: { origin: 'https://evil.example' } });
  expect(foreign.status).toBe(403);
});

test('the discovery document says of its provider what Slack’s does, at its own address', async () => {
  const sandbox = await openSandbox();
  const answer = await fetch(`${sandbox.url}/.well-known/openid-configuration`);
  const { url } = sandbox;
  expect(await answer.json()).toEqual({
    issuer: url,
    authorization_endpoint: `${url}/openid/connect/authorize`,
    token_endpoint: `${url}/api/openid.connect.token`,
    userinfo_endpoint: `${url}/api/openid.connect.userInfo`,
    jwks_uri: `${url}/openid/connect/keys`,
    scopes_supported: ['openid', 'profile', 'email'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['sub', 'auth_time', 'iss'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  });
});
