import { expect, test } from 'vitest';

import { DEMO } from '../../../src/start/demo.ts';
import { sharedWorld } from '../../harness/world.ts';

const world = sharedWorld();

/** Goes to the sandbox's page as a browser, says who it is there, and comes back. */
async function signInAs(userId: string, decision = 'allow'): Promise<Response> {
  const { root, sandbox } = world.urls;
  const start = await fetch(`${root}/auth/start/sandbox?returnTo=%2F%23tickets`, { redirect: 'manual' });
  const cookie = (start.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const page = new URL(start.headers.get('location') ?? '');
  expect(page.origin).toBe(sandbox);
  expect(await (await fetch(page)).text()).toContain('Sign in to deskbridge with Slack');
  const form = new URLSearchParams([
    ...page.searchParams,
    ['as', `${DEMO.team.id} ${userId}`],
    ['decision', decision],
  ]);
  const pressed = await fetch(new URL('/openid/connect/authorize', page), {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  return fetch(pressed.headers.get('location') ?? '', { headers: { cookie }, redirect: 'manual' });
}

const sessionIn = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => /^deskbridge_session=(dbs_[^;]+)/.exec(line)?.[1])
    .find((token) => token !== undefined);

test('the demo’s people sign in at the sandbox, as if it were Slack', async () => {
  const providers = await fetch(`${world.urls.root}/auth/providers`);
  expect(await providers.json()).toEqual([{ id: 'sandbox', name: 'Slack (sandbox)' }]);
  const back = await signInAs(DEMO.people.mira.id);
  expect(back.headers.get('location')).toBe('/#tickets');
  const token = sessionIn(back) ?? '';
  const asMira = (path: string) =>
    fetch(`${world.urls.api}${path}`, { headers: { 'x-service-api-token': token } });
  // What only admins may.
  expect((await asMira('/api-keys')).status).toBe(200);
  const ada = sessionIn(await signInAs(DEMO.people.ada.id)) ?? '';
  const refused = await fetch(`${world.urls.api}/api-keys`, { headers: { 'x-service-api-token': ada } });
  expect(refused.status).toBe(403);
});

test('whoever declines at the sandbox comes back without a session', async () => {
  const back = await signInAs(DEMO.people.mira.id, 'cancel');
  expect(back.headers.get('location')).toBe('/sign-in?reason=failed');
  expect(sessionIn(back)).toBeUndefined();
});
