import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { App, HTTPReceiver, type Installation } from '@slack/bolt';
import { expect, onTestFinished, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { authorizeUrl, CLIENT, codeFor, installApp, installerClient, REDIRECT } from './install-app.ts';
import {
  ADA,
  boltApp,
  BOT,
  HELP,
  HeldClock,
  Mailbox,
  openSandbox,
  SEED,
  SILENT,
  webClient,
} from './open-sandbox.ts';

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error as { data?: { error?: string } }).data?.error ?? String(error),
  );

/**
 * The SDK's own installer behind an HTTP server; its stored installations, and the result of each callback.
 */
async function sdkInstaller(sandbox: Sandbox) {
  const stored: Installation[] = [];
  const ends = new Mailbox<string>();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver = new HTTPReceiver({
    signingSecret: SEED.app.signingSecret,
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    stateSecret: 'a secret of the test',
    scopes: ['chat:write', 'channels:read'],
    redirectUri: `${url}/slack/oauth_redirect`,
    logger: SILENT,
    installationStore: {
      storeInstallation: async (installation) => void stored.push(installation),
      fetchInstallation: async (query) => {
        const found = stored.findLast(({ team }) => team?.id === query.teamId);
        if (!found) throw new Error('not installed');
        return found;
      },
    },
    installerOptions: {
      directInstall: true,
      redirectUriPath: '/slack/oauth_redirect',
      authorizationUrl: `${sandbox.url}/oauth/v2/authorize`,
      clientOptions: { slackApiUrl: sandbox.apiUrl },
      callbackOptions: {
        success: (_installation, _options, _request, response) => {
          ends.put('success');
          response.end('installed');
        },
        failure: (error, _options, _request, response) => {
          ends.put(error.code);
          response.end(error.code);
        },
      },
    },
  });
  const app = new App({ receiver, logger: SILENT, clientOptions: { slackApiUrl: sandbox.apiUrl } });
  server.on('request', receiver.requestListener);
  await sandbox.control.app({ redirectUrls: [url] });
  return { app, url, stored, ends };
}

/** The page as a browser without JavaScript sees it: the form's fields, the choices, its target. */
async function openPage(url: string) {
  const answer = await fetch(url);
  const html = await answer.text();
  const attribute = (tag: string, name: string) =>
    unescaped(new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
  const hidden: [string, string][] = (html.match(/<input type="hidden"[^>]*>/g) ?? []).map((tag) => [
    attribute(tag, 'name'),
    attribute(tag, 'value'),
  ]);
  const options = (html.match(/<option [^>]*>/g) ?? []).map((tag) => attribute(tag, 'value'));
  return {
    status: answer.status,
    headers: answer.headers,
    html,
    fields: Object.fromEntries(hidden) as Record<string, string>,
    options,
  };
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
}

function press(sandbox: Sandbox, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(`${sandbox.url}/oauth/v2/authorize`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
}

/** Goes from the app's install link to its callback like a browser, with the decision on the page. */
async function walk(sandbox: Sandbox, appUrl: string, decision: 'allow' | 'cancel', as: string) {
  const begun = await fetch(`${appUrl}/slack/install`, { redirect: 'manual' });
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const page = await openPage(begun.headers.get('location') ?? '');
  expect(page.options).toContain(as);
  const pressed = await press(sandbox, { ...page.fields, as, decision }, { origin: sandbox.url });
  expect(pressed.status).toBe(302);
  const callback = pressed.headers.get('location') ?? '';
  return (await fetch(callback, { headers: { cookie } })).text();
}

test('the SDK’s installer installs the app through the page, in two workspaces, and authorizes each', async () => {
  const sandbox = await openSandbox();
  const orbit = await sandbox.control.addWorkspace({
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'zoe' }],
  });
  const { url, stored } = await sdkInstaller(sandbox);
  expect(await walk(sandbox, url, 'allow', `${orbit.team} ${orbit.people['zoe']}`)).toBe('installed');
  expect(await walk(sandbox, url, 'allow', `${SEED.team.id} ${ADA}`)).toBe('installed');

  const [there, here] = stored;
  expect(there).toMatchObject({
    appId: SEED.app.id,
    team: { id: orbit.team, name: 'Orbit' },
    isEnterpriseInstall: false,
    tokenType: 'bot',
    user: { id: orbit.people['zoe'] },
    bot: { scopes: ['chat:write', 'channels:read'] },
  });
  expect(here).toMatchObject({ team: { id: SEED.team.id }, bot: { userId: BOT }, user: { id: ADA } });
  expect(there?.bot?.token).not.toBe(here?.bot?.token);
  expect(await webClient(sandbox, there?.bot?.token).auth.test()).toMatchObject({
    team_id: orbit.team,
    user_id: there?.bot?.userId,
    bot_id: there?.bot?.id,
  });
});

test('Cancel redirects with access_denied, and nothing is installed', async () => {
  const sandbox = await openSandbox();
  const orbit = await sandbox.control.addWorkspace({
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'zoe' }],
  });
  const { url, stored, ends } = await sdkInstaller(sandbox);
  await walk(sandbox, url, 'cancel', `${orbit.team} ${orbit.people['zoe']}`);
  expect(await ends.first(1)).toEqual(['slack_oauth_installer_authorization_error']);
  expect(stored).toEqual([]);
  expect(sandbox.control.team('orbit').state().apps).toEqual([]);
  const { redirect } = await sandbox.control.team('orbit').allow({
    url: authorizeUrl(sandbox, { state: 's', redirect_uri: `${url}/x` }),
    user: 'zoe',
    cancel: true,
  });
  expect(redirect).toBe(`${url}/x?error=access_denied&state=s`);
});

test('a wrong install link shows a page and redirects nowhere', async () => {
  const sandbox = await openSandbox();
  const refused = async (query: Record<string, string>) => {
    const page = await openPage(authorizeUrl(sandbox, query));
    return [page.status, /<code>(\w+)<\/code>/.exec(page.html)?.[1]];
  };
  expect(await refused({})).toEqual([400, 'bad_redirect_uri']);
  await sandbox.control.app({ redirectUrls: ['https://app.example/slack'] });
  expect(await refused({ client_id: 'nobody' })).toEqual([400, 'invalid_client_id']);
  for (const redirect_uri of [
    'https://evil.example/slack',
    'http://app.example/slack',
    'https://app.example/slackers',
    'https://app.example/slack/../other',
    'not an address',
  ])
    expect([redirect_uri, await refused({ redirect_uri })]).toEqual([
      redirect_uri,
      [400, 'bad_redirect_uri'],
    ]);
  const there = { redirect_uri: 'https://app.example/slack/callback' };
  expect(await refused({ ...there, scope: '' })).toEqual([400, 'invalid_scope']);
  expect((await openPage(authorizeUrl(sandbox, there))).status).toBe(200);
  expect((await openPage(authorizeUrl(sandbox, { redirect_uri: '' }))).status).toBe(200);
});

test('the page shows parameters as text, runs no script, and sends its form only to the sandbox and the app', async () => {
  const sandbox = await openSandbox();
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  await sandbox.control.addWorkspace({ name: '<b>"Orbit"</b>', domain: 'orbit', people: [{ name: 'zoe' }] });
  await sandbox.control.addPerson({ name: 'guest', role: 'guest' });
  const state = `"><script>alert(1)</script>&'`;
  const page = await openPage(authorizeUrl(sandbox, { state }));
  expect(page.html).not.toMatch(/<script|<b>| on\w+=/);
  expect(page.fields['state']).toBe(state);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' http:\/\/127\.0\.0\.1:9$/,
  );
  // Ada, Ben and Zoe: neither bots nor guests install apps.
  expect(page.options).toHaveLength(3);
  const [as = ''] = page.options;
  const fields = { ...page.fields, as, decision: 'allow' };
  const back = new URL((await press(sandbox, fields)).headers.get('location') ?? '');
  expect(back.searchParams.get('state')).toBe(state);
  expect((await press(sandbox, fields, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await press(sandbox, { ...fields, as: `${SEED.team.id} ${BOT}` })).status).toBe(400);
});

test('oauth.v2.access responds as Slack does, with fields and with HTTP Basic authentication', async () => {
  const sandbox = await openSandbox();
  const orbit = await sandbox.control.addWorkspace({
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'zoe' }],
  });
  const code = await codeFor(sandbox, { team: 'orbit', user: 'zoe', scope: 'chat:write,users:read' });
  const basic = Buffer.from(`${CLIENT.client_id}:${CLIENT.client_secret}`).toString('base64');
  const answer = await fetch(`${sandbox.apiUrl}oauth.v2.access`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ code, redirect_uri: REDIRECT })),
  });
  const access = (await answer.json()) as Record<string, string>;
  expect(access).toEqual({
    ok: true,
    access_token: expect.stringMatching(/^xoxb-/) as string,
    token_type: 'bot',
    scope: 'chat:write,users:read',
    bot_user_id: expect.stringMatching(/^U/) as string,
    app_id: SEED.app.id,
    team: { id: orbit.team, name: 'Orbit' },
    enterprise: null,
    is_enterprise_install: false,
    authed_user: { id: orbit.people['zoe'] },
  });
  const log = JSON.stringify([sandbox.control.calls(), sandbox.control.log()]);
  for (const secret of [code, CLIENT.client_secret, access['access_token'] ?? 'none'])
    expect(log).not.toContain(secret);
});

test('oauth.v2.access rejects a call with the name of what is wrong, and a code works once', async () => {
  const sandbox = await openSandbox();
  const client = installerClient(sandbox);
  const code = await codeFor(sandbox, {});
  const call = (args: Record<string, string>) =>
    errorOf(client.oauth.v2.access({ ...CLIENT, code, redirect_uri: REDIRECT, ...args }));
  expect(await call({ client_id: 'nobody' })).toBe('invalid_client_id');
  expect(await call({ client_secret: 'wrong' })).toBe('bad_client_secret');
  expect(await call({ code: 'unknown' })).toBe('invalid_code');
  expect(await call({ redirect_uri: 'http://127.0.0.1:9/other' })).toBe('bad_redirect_uri');
  expect(await call({ redirect_uri: '' })).toBe('bad_redirect_uri');
  expect(await call({ grant_type: 'password' })).toBe('invalid_grant_type');
  expect(await call({})).toBe('none');
  expect(await call({})).toBe('code_already_used');
  const racing = await codeFor(sandbox, {});
  expect((await Promise.all([call({ code: racing }), call({ code: racing })])).sort()).toEqual([
    'code_already_used',
    'none',
  ]);
});

test('a code expires after ten minutes of the sandbox’s clock', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const access = (code: string) =>
    errorOf(installerClient(sandbox).oauth.v2.access({ ...CLIENT, code, redirect_uri: REDIRECT }));
  const [young, old] = [await codeFor(sandbox, {}), await codeFor(sandbox, {})];
  clock.advance(10 * 60_000 - 1);
  expect(await access(young)).toBe('none');
  clock.advance(1);
  expect(await access(old)).toBe('invalid_code');
});

test('installing again keeps the bot user and the token, and scopes add up', async () => {
  const sandbox = await openSandbox({ seed: { ...SEED, app: { ...SEED.app, scopes: ['chat:write'] } } });
  const again = await installApp(sandbox, { scope: 'users:read' });
  expect(again).toMatchObject({
    access_token: SEED.app.botToken,
    bot_user_id: BOT,
    scope: 'chat:write,users:read',
  });
  expect((await webClient(sandbox).users.info({ user: ADA })).ok).toBe(true);
});

test('an uninstalled app gets an event, its token is revoked, and a new installation has the same bot user', async () => {
  const sandbox = await openSandbox();
  const heard = new Mailbox<unknown>();
  await boltApp(sandbox, (app) => {
    app.event('app_uninstalled', async ({ body }) => heard.put(body));
    app.event('tokens_revoked', async ({ body }) => heard.put(body));
  });
  await sandbox.control.uninstall({ team: SEED.team.id });
  expect(await heard.first(2)).toMatchObject([
    { team_id: SEED.team.id, api_app_id: SEED.app.id, event: { type: 'app_uninstalled' } },
    { team_id: SEED.team.id, event: { type: 'tokens_revoked', tokens: { oauth: [], bot: [BOT] } } },
  ]);
  const old = webClient(sandbox);
  expect(await errorOf(old.auth.test())).toBe('account_inactive');
  expect(sandbox.control.state().apps).toEqual([]);
  expect(sandbox.control.state().users.find(({ id }) => id === BOT)).toMatchObject({ deleted: true });
  expect(sandbox.control.state().channels.find(({ id }) => id === HELP)?.members).not.toContain(BOT);
  // From here on the app gets no events.
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'is anybody there?' });
  expect(sandbox.control.state().undelivered).toBe(0);

  const access = await installApp(sandbox);
  expect(access).toMatchObject({ bot_user_id: BOT, scope: 'chat:write' });
  expect(access.access_token).not.toBe(SEED.app.botToken);
  expect(await errorOf(old.auth.test())).toBe('invalid_auth');
  const client = webClient(sandbox, access.access_token);
  expect(await client.auth.test()).toMatchObject({ user_id: BOT, bot_id: SEED.app.botId });
  expect(await errorOf(client.chat.postMessage({ channel: HELP, text: 'back' }))).toBe('not_in_channel');
});

test('apps.uninstall removes the app from the workspace of its token only', async () => {
  const sandbox = await openSandbox();
  await sandbox.control.addWorkspace({ name: 'Orbit', domain: 'orbit', people: [{ name: 'zoe' }] });
  const { access_token = '' } = await installApp(sandbox, { team: 'orbit', user: 'zoe' });
  const there = webClient(sandbox, access_token);
  const uninstall = (args: { client_id: string; client_secret: string }) =>
    errorOf(there.apps.uninstall(args));
  expect(await uninstall({ ...CLIENT, client_id: 'nobody' })).toBe('invalid_client_id');
  expect(await uninstall({ ...CLIENT, client_secret: 'wrong' })).toBe('bad_client_secret');
  expect(await uninstall(CLIENT)).toBe('none');
  expect(await errorOf(there.auth.test())).toBe('account_inactive');
  expect((await webClient(sandbox).auth.test()).ok).toBe(true);
});

test('auth.revoke ends the token and deactivates the bot user, though the app stays; with test it does nothing', async () => {
  const sandbox = await openSandbox();
  const heard = new Mailbox<string>();
  await boltApp(sandbox, (app) => {
    app.event('app_uninstalled', async () => heard.put('app_uninstalled'));
    app.event('tokens_revoked', async () => heard.put('tokens_revoked'));
  });
  const client = webClient(sandbox);
  expect(await client.auth.revoke({ test: true })).toMatchObject({ revoked: false });
  expect(await client.auth.revoke()).toMatchObject({ revoked: true });
  expect(await errorOf(client.auth.test())).toBe('account_inactive');
  expect(await heard.first(1)).toEqual(['tokens_revoked']);
  expect(sandbox.control.state().apps).toHaveLength(1);
  expect(await installApp(sandbox)).toMatchObject({ bot_user_id: BOT });
});

test('with token rotation, tokens expire after twelve hours, and a refresh token works once', async () => {
  const clock = new HeldClock();
  const seed = { ...SEED, app: { ...SEED.app, tokenRotation: true } };
  const sandbox = await openSandbox({ clock, seed });
  const first = await installApp(sandbox);
  expect(first).toMatchObject({
    expires_in: 43_200,
    refresh_token: expect.stringMatching(/^xoxe-1-/) as string,
  });
  expect(first.access_token).toMatch(/^xoxe\.xoxb-1-/);
  const client = installerClient(sandbox);
  const refresh = (refresh_token = '') =>
    client.oauth.v2.access({ ...CLIENT, grant_type: 'refresh_token', refresh_token });

  clock.advance(43_200_000);
  expect(await errorOf(webClient(sandbox, first.access_token).auth.test())).toBe('token_expired');
  const second = await refresh(first.refresh_token);
  expect(second).toMatchObject({ bot_user_id: BOT, team: { id: SEED.team.id } });
  expect((await webClient(sandbox, second.access_token).auth.test()).ok).toBe(true);
  expect(await errorOf(refresh(first.refresh_token))).toBe('invalid_refresh_token');

  const third = await refresh(second.refresh_token);
  expect((await webClient(sandbox, second.access_token).auth.test()).ok).toBe(true);
  const fourth = await refresh(third.refresh_token);
  expect(await errorOf(webClient(sandbox, second.access_token).auth.test())).toBe('invalid_auth');
  for (const { access_token } of [third, fourth])
    expect((await webClient(sandbox, access_token).auth.test()).ok).toBe(true);
});
