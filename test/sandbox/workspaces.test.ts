import { expect, test } from 'vitest';

import { secondWorkspace } from './install-app.ts';
import { ADA, boltApp, BOT, HELP, Mailbox, openSandbox, SEED, webClient } from './open-sandbox.ts';
import { sandboxFile } from './sandbox-file.ts';

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) =>
      (error as { data?: { error?: string } }).data?.error ??
      (error as { code?: string }).code ??
      String(error),
  );

test('a call sees the workspace of its token, and nothing of any other', async () => {
  const sandbox = await openSandbox();
  const orbit = await secondWorkspace(sandbox);
  const [here, there] = [webClient(sandbox), webClient(sandbox, orbit.token)];

  expect(await here.auth.test()).toMatchObject({ team_id: SEED.team.id, team: 'Test', user_id: BOT });
  expect(await there.auth.test()).toMatchObject({ team_id: orbit.team, team: 'Orbit', user_id: orbit.bot });
  expect((await there.team.info()).team).toMatchObject({ id: orbit.team, domain: 'orbit' });

  const channels = (await there.conversations.list()).channels?.map(({ id }) => id);
  expect(channels).toEqual([orbit.channels['it-help'], orbit.channels['orbit-only']]);
  expect((await there.users.list({})).members?.map(({ id }) => id).sort()).toEqual(
    [orbit.people['ada'], orbit.people['zoe'], orbit.bot].sort(),
  );
  expect((await here.users.list({})).members?.map(({ id }) => id)).not.toContain(orbit.people['ada']);

  const theirs = orbit.channels['it-help'] ?? '';
  expect(await errorOf(here.chat.postMessage({ channel: theirs, text: 'x' }))).toBe('channel_not_found');
  expect(await errorOf(there.chat.postMessage({ channel: HELP, text: 'x' }))).toBe('channel_not_found');
  expect(await errorOf(there.conversations.history({ channel: HELP }))).toBe('channel_not_found');
  expect(await errorOf(there.users.info({ user: ADA }))).toBe('user_not_found');
  expect(await errorOf(there.users.lookupByEmail({ email: 'ada@acme.example' }))).toBe('users_not_found');
  expect(await errorOf(there.bots.info({ bot: SEED.app.botId }))).toBe('bot_not_found');
  expect(await errorOf(there.chat.postMessage({ channel: ADA, text: 'x' }))).toBe('channel_not_found');
});

test('files and their bytes belong to one workspace', async () => {
  const sandbox = await openSandbox();
  const orbit = await secondWorkspace(sandbox);
  const { message } = await sandbox.control.upload({
    channel: 'it-help',
    user: 'ada',
    files: [{ name: 'a.txt', content: Buffer.from('hello').toString('base64') }],
  });
  const file = (message.files?.[0] ?? {}) as { id: string; url_private: string };
  const there = webClient(sandbox, orbit.token);
  expect(await errorOf(there.files.info({ file: file.id }))).toBe('file_not_found');
  expect((await there.files.list({})).files).toEqual([]);
  const read = (token: string) =>
    fetch(file.url_private, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
  expect((await read(orbit.token)).status).toBe(404);
  expect(await (await read(SEED.app.botToken)).text()).toBe('hello');
});

test('one connection carries the events of every workspace, each under its team and bot user', async () => {
  const sandbox = await openSandbox();
  const orbit = await secondWorkspace(sandbox);
  const bodies = new Mailbox<unknown>();
  await boltApp(sandbox, (app) => {
    app.message(/^(here|there)$/, async ({ body }) => bodies.put(body));
    app.command('/ticket', async ({ body, ack }) => {
      await ack();
      bodies.put(body);
    });
  });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'here' });
  await orbit.control.message({ channel: 'it-help', user: 'ada', text: 'there' });
  await orbit.control.command({ channel: 'it-help', user: 'zoe', command: '/ticket', text: 'new' });
  const [here, there, command] = await bodies.first(3);
  expect(here).toMatchObject({
    team_id: SEED.team.id,
    api_app_id: SEED.app.id,
    event: { text: 'here', channel: HELP, user: ADA },
    authorizations: [{ team_id: SEED.team.id, user_id: BOT }],
  });
  expect(there).toMatchObject({
    team_id: orbit.team,
    api_app_id: SEED.app.id,
    event: { text: 'there', channel: orbit.channels['it-help'], user: orbit.people['ada'], team: orbit.team },
    authorizations: [{ team_id: orbit.team, user_id: orbit.bot }],
  });
  expect(command).toMatchObject({ team_id: orbit.team, team_domain: 'orbit', command: '/ticket' });
});

test('a response_url responds in its own workspace', async () => {
  const sandbox = await openSandbox();
  const orbit = await secondWorkspace(sandbox);
  await boltApp(sandbox, (app) =>
    app.command('/ticket', async ({ ack, respond }) => {
      await ack();
      await respond({ text: 'done', response_type: 'in_channel' });
    }),
  );
  await orbit.control.command({ channel: 'it-help', user: 'zoe', command: '/ticket', text: '' });
  const answer = await orbit.control.waitForMessage('it-help', ({ text }) => text === 'done');
  expect(answer).toMatchObject({ user: orbit.bot, channel: orbit.channels['it-help'] });
});

test('faults with a team apply to that workspace only, calls and events', async () => {
  const sandbox = await openSandbox();
  const orbit = await secondWorkspace(sandbox);
  const [here, there] = [webClient(sandbox), webClient(sandbox, orbit.token)];
  sandbox.control.faults({
    faults: [
      { method: '*', kind: 'rate_limited', seconds: 30, retryAfter: 7, team: orbit.team },
      { method: 'auth.test', kind: 'refused', times: null, team: orbit.team },
    ],
    events: [{ kind: 'drop', times: null, team: orbit.team }],
  });
  for (let call = 0; call < 3; call += 1)
    expect((await here.chat.postMessage({ channel: HELP, text: 'x' })).ok).toBe(true);
  expect((await here.auth.test()).ok).toBe(true);
  const limited = await fetch(`${sandbox.apiUrl}team.info`, {
    method: 'POST',
    headers: { authorization: `Bearer ${orbit.token}` },
  });
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
  expect(await errorOf(there.auth.test())).toBe('slack_webapi_request_error');

  const texts = new Mailbox<string>();
  await boltApp(sandbox, (app) =>
    app.message(/^(dropped|kept)$/, async ({ message }) => texts.put('text' in message ? message.text : '')),
  );
  await orbit.control.message({ channel: 'it-help', user: 'ada', text: 'dropped' });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'kept' });
  expect(await texts.first(1)).toEqual(['kept']);
  expect(sandbox.control.calls({ method: 'team.info' })).toMatchObject([
    { team: orbit.team, fault: 'rate_limited' },
  ]);
});

test('over HTTP a control operation is for the default workspace, or for the one it names', async () => {
  const sandbox = await openSandbox();
  const send = async (name: string, body: unknown) => {
    const answer = await fetch(`${sandbox.url}/_control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const made = await send('add-workspace', {
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'ada' }],
    channels: [{ name: 'it-help' }],
  });
  expect(made.status).toBe(200);
  const { team } = made.body as { team: string };
  for (const named of ['orbit', 'Orbit', team])
    expect(
      (await send('message', { team: named, channel: 'it-help', user: 'ada', text: named })).status,
    ).toBe(200);
  await send('message', { channel: 'it-help', user: 'ada', text: 'at home' });

  const look = async (query: string) => (await fetch(`${sandbox.url}/_control/${query}`)).json();
  const texts = async (query: string) =>
    ((await look(`messages/it-help${query}`)) as { messages: { text: string }[] }).messages.map(
      ({ text }) => text,
    );
  expect(await texts('?team=orbit')).toEqual(['orbit', 'Orbit', team]);
  expect(await texts('')).toEqual(['at home']);
  expect(await look('state?team=orbit')).toMatchObject({ team: { id: team }, apps: [] });
  expect(await look('state')).toMatchObject({
    team: SEED.team,
    workspaces: [SEED.team, { id: team, name: 'Orbit', domain: 'orbit' }],
  });
  expect(await send('message', { team: 'moon', channel: 'it-help', user: 'ada', text: 'x' })).toEqual({
    status: 400,
    body: { error: 'there is no workspace "moon" here; there are: test, orbit' },
  });
  expect((await send('add-workspace', { name: 'Again', domain: 'orbit' })).status).toBe(400);
  expect((await send('uninstall', { team: 'orbit' })).body).toEqual({
    error: 'no app is installed in this workspace',
  });
});

test('workspaces survive a restart with their tokens, and a reset keeps those of the seed', async () => {
  const file = sandboxFile();
  const seed = {
    ...SEED,
    workspaces: [
      {
        team: { id: 'T0LUNAA', name: 'Luna', domain: 'luna' },
        people: [{ id: 'U0LUNAA', name: 'ada', firstName: 'Ada', lastName: '', timeZone: 'UTC' }],
        channels: [{ id: 'C0LUNAA', name: 'it-help', private: false, members: ['U0LUNAA', 'U0LUNAB'] }],
        installation: { botUserId: 'U0LUNAB', botId: 'B0LUNAA', botToken: 'xoxb-luna' },
      },
    ],
  };
  const first = await openSandbox({ file, seed });
  const orbit = await secondWorkspace(first);
  await first.stop();

  const again = await openSandbox({ file, seed });
  const domains = () => again.control.state().workspaces.map(({ domain }) => domain);
  expect(domains()).toEqual(['test', 'luna', 'orbit']);
  expect(await webClient(again, orbit.token).auth.test()).toMatchObject({ team_id: orbit.team });
  expect(await webClient(again, 'xoxb-luna').auth.test()).toMatchObject({ team_id: 'T0LUNAA' });

  await again.control.reset();
  expect(domains()).toEqual(['test', 'luna']);
  expect(await errorOf(webClient(again, orbit.token).auth.test())).toBe('invalid_auth');
  expect(await webClient(again, 'xoxb-luna').auth.test()).toMatchObject({ user_id: 'U0LUNAB' });
  expect(await webClient(again).auth.test()).toMatchObject({ team_id: SEED.team.id });
});

test('scheduled messages are listed and posted in their own workspace', async () => {
  const sandbox = await openSandbox();
  const orbit = await secondWorkspace(sandbox);
  const there = webClient(sandbox, orbit.token);
  const channel = orbit.channels['it-help'] ?? '';
  const at = Math.floor(Date.now() / 1000) + 600;
  await there.chat.scheduleMessage({ channel, text: 'later', post_at: at });
  expect((await webClient(sandbox).chat.scheduledMessages.list()).scheduled_messages).toEqual([]);
  expect((await there.chat.scheduledMessages.list()).scheduled_messages).toHaveLength(1);
  sandbox.control.clock({ advance: '20m' });
  expect(await orbit.control.waitForMessage('it-help', ({ text }) => text === 'later')).toMatchObject({
    channel,
  });
});
