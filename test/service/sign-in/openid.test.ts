import { describe, expect, test } from 'vitest';

import { type Browser, refusalOf, signIn, untilCallback } from './browser.ts';
import { newKey } from './identity-provider.ts';
import { MIRA, signInWorld, type SignInWorld } from './world.ts';

const TEN_MINUTES = 10 * 60_000;
const sessionOf = (browser: Browser) => browser.cookie('deskbridge_session')?.value;

/** A world with one user, who has an account at the provider. */
async function withMira(): Promise<SignInWorld & { mira: string }> {
  const world = await signInWorld();
  world.idp.claims.set('mira', MIRA);
  return { ...world, mira: await world.user(MIRA.email) };
}

test('a person signs in at a provider and comes back to where they were, with a session of their own', async () => {
  const world = await withMira();
  const browser = world.newBrowser();
  const providers = await browser.visit('/auth/providers');
  expect(JSON.parse(providers.text)).toEqual([
    { id: 'oidc', name: 'the test' },
    { id: 'slack', name: 'Slack' },
  ]);
  const start = await browser.visit('/auth/start/oidc');
  const asked = new URL(start.location ?? '');
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid email profile',
    redirect_uri: 'http://127.0.0.1/auth/callback/oidc',
  });
  const flowCookie = start.headers.getSetCookie()[0];
  expect(flowCookie).toMatch(/^deskbridge_sign_in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  expect(asked.href).not.toContain(browser.cookie('deskbridge_sign_in')?.value);

  const end = await signIn(browser, { returnTo: '/#tickets/IT-5' });
  expect(end.location).toBe('http://127.0.0.1/#tickets/IT-5');
  expect(end.headers.getSetCookie()).toEqual([
    'deskbridge_sign_in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    expect.stringMatching(
      /^deskbridge_session=dbs_[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    ),
  ]);
  expect(await world.personOf(sessionOf(browser))).toBe(world.mira);
  expect(await world.tables.selectFrom('sign_in_flow').select('hash').execute()).toHaveLength(1);
  const entries = await world.call('GET', '/audit-entries?action=session.started');
  expect(entries.body.items).toMatchObject([{ actorId: world.mira, reason: 'Signed in with the test.' }]);
});

test('over https the cookies are for https and this host only', async () => {
  const { createCookies } = await import('../../../src/service/sign-in/cookies.ts');
  const set: string[] = [];
  const reply = { header: (_name: string, value: string) => set.push(value) };
  const cookies = createCookies(true);
  cookies.setSession(reply as never, 'dbs_1');
  cookies.setFlow(reply as never, 'x', 600);
  for (const line of set) expect(line).toMatch(/^__Host-deskbridge_\w+=\w+; Path=\/; .*; Secure$/);
  const sent = (cookie: string) => ({ headers: { cookie } }) as never;
  // As another subdomain plants them.
  expect(cookies.session(sent('deskbridge_session=dbs_2'))).toBeUndefined();
  expect(cookies.flow(sent('deskbridge_sign_in=y'))).toBeUndefined();
  expect(cookies.session(sent('deskbridge_session=dbs_2; __Host-deskbridge_session=dbs_1'))).toBe('dbs_1');
  expect(cookies.flow(sent('__Host-deskbridge_sign_in=x; deskbridge_sign_in=y'))).toBe('x');
});

test('claims that only the userinfo endpoint has count too', async () => {
  const world = await withMira();
  world.idp.claimsInIdToken = false;
  world.idp.restart();
  const browser = world.newBrowser();
  expect(refusalOf(await signIn(browser))).toBeUndefined();
  expect(await world.personOf(sessionOf(browser))).toBe(world.mira);
});

test.for([
  ['lacks the address', { email: undefined, email_verified: undefined }],
  ['has null for the address', { email: null }],
  ['has an empty address', { email: '' }],
  ['does not state that the address is verified', { email_verified: undefined }],
  ['states that the address is not verified', { email_verified: false }],
])('the userinfo endpoint counts where the ID token %s', async ([, changed]) => {
  const world = await withMira();
  world.idp.forge = (claims) => ({ ...claims, ...(changed as object) });
  const browser = world.newBrowser();
  expect(refusalOf(await signIn(browser))).toBeUndefined();
  expect(await world.personOf(sessionOf(browser))).toBe(world.mira);
});

test('a missing address is named to the person and in the log, with the claims that came', async () => {
  const world = await withMira();
  world.idp.claims.set('mira', { name: 'Mira' });
  expect(refusalOf(await signIn(world.newBrowser()))).toBe('no-email');
  const line = world.lines.find(({ code }) => code === 'no-email');
  expect(line?.msg).toBe('a sign-in was refused: the provider sends no e-mail address (claim "email")');
  expect(line?.['claims']).toEqual(expect.arrayContaining(['iss', 'name', 'sub']));
});

test('an ID token from the future is refused', async () => {
  const world = await withMira();
  world.idp.forge = (claims) => ({
    ...claims,
    iat: Number(claims['iat']) + 3_600,
    exp: Number(claims['exp']) + 7_200,
  });
  expect(refusalOf(await signIn(world.newBrowser()))).toBe('failed');
});

describe('who signs in', () => {
  test('is known by the account after the first time, whatever its address is then', async () => {
    const world = await withMira();
    await signIn(world.newBrowser());
    world.idp.claims.set('mira', { email: 'new@acme.example', email_verified: false });
    const browser = world.newBrowser();
    expect(refusalOf(await signIn(browser))).toBeUndefined();
    expect(await world.personOf(sessionOf(browser))).toBe(world.mira);
    expect(await world.tables.selectFrom('identity').select(['subject', 'person_id']).execute()).toEqual([
      { subject: 'mira', person_id: world.mira },
    ]);
  });

  test.for([
    ['whose address the provider has not verified', { ...MIRA, email_verified: false }, 'unverified'],
    ['whose address it calls verified by a text', { ...MIRA, email_verified: 'true' }, 'unverified'],
    ['who has no address', {}, 'no-email'],
    ['whose address is null', { email: null, email_verified: true }, 'no-email'],
    ['whose address is empty', { email: '', email_verified: true }, 'no-email'],
    ['whom no user is', { email: 'nobody@acme.example', email_verified: true }, 'unknown'],
    [
      'whose address only looks the same',
      { email: 'mira@acme.examp\u2113e', email_verified: true },
      'unknown',
    ],
    [
      'whose address has the Kelvin sign',
      { email: 'mi\u212Aa@acme.example', email_verified: true },
      'unknown',
    ],
  ] as const)('is not one %s', async ([, claims, code]) => {
    const world = await withMira();
    await world.user('mika@acme.example');
    world.idp.claims.set('mira', claims);
    const browser = world.newBrowser();
    expect(refusalOf(await signIn(browser))).toBe(code);
    expect(sessionOf(browser)).toBeUndefined();
    const { body } = await world.call('GET', '/audit-entries?action=sign-in.refused');
    expect(body.items).toHaveLength(1);
    expect(JSON.stringify([body, world.lines])).not.toContain('acme.examp');
  });

  test('is the user of the address in any case', async () => {
    const world = await withMira();
    world.idp.claims.set('mira', { email: 'Mira@ACME.example', email_verified: true });
    const browser = world.newBrowser();
    await signIn(browser);
    expect(await world.personOf(sessionOf(browser))).toBe(world.mira);
  });

  test('is neither deactivated, erased nor a bot, not even one who signed in before', async () => {
    const world = await withMira();
    await signIn(world.newBrowser());
    const refused = async (columns: object) => {
      await world.tables.updateTable('person').set(columns).where('id', '=', world.mira).execute();
      return refusalOf(await signIn(world.newBrowser()));
    };
    expect(await refused({ deactivated_at: new Date() })).toBe('deactivated');
    const { body } = await world.call('GET', '/audit-entries?action=sign-in.refused');
    expect(body.items).toMatchObject([{ subjectId: world.mira }]);
    expect(await refused({ deactivated_at: null, is_bot: true })).toBe('unknown');
    expect(await refused({ is_bot: false, erased_at: new Date() })).toBe('unknown');
    expect(await refused({ erased_at: null })).toBeUndefined();
  });
});

describe('an account in Slack', () => {
  const SLACK = { 'https://slack.com/user_id': 'U1', 'https://slack.com/team_id': 'T1' };
  const slackWorld = async () => {
    const world = await signInWorld();
    world.idp.requiresPkce = false;
    return world;
  };

  test('is the user with that account, without an address', async () => {
    const world = await slackWorld();
    const ben = await world.user(null, { chatUserId: 'U1', chatTeamId: 'T1' });
    world.idp.claims.set('mira', SLACK);
    const browser = world.newBrowser();
    const start = await browser.visit('/auth/start/slack');
    expect(start.location).not.toContain('code_challenge');
    await signIn(browser, { provider: 'slack' });
    expect(await world.personOf(sessionOf(browser))).toBe(ben);
  });

  test('of another Slack workspace is nobody, even with the address of a user', async () => {
    const world = await slackWorld();
    const mira = await world.user(MIRA.email, { chatUserId: 'U2', chatTeamId: 'T1' });
    const refused = async (claims: object) => {
      world.idp.claims.set('mira', { ...claims });
      const browser = world.newBrowser();
      return [refusalOf(await signIn(browser, { provider: 'slack' })), sessionOf(browser)];
    };
    expect(await refused({ 'https://slack.com/user_id': 'U2', 'https://slack.com/team_id': 'T2' })).toEqual([
      'unknown',
      undefined,
    ]);
    expect(await refused({ ...SLACK, ...MIRA, 'https://slack.com/team_id': 'T2' })).toEqual([
      'unknown',
      undefined,
    ]);
    expect(await refused(MIRA)).toEqual(['failed', undefined]);
    world.idp.claims.set('mira', { ...SLACK, ...MIRA });
    const browser = world.newBrowser();
    await signIn(browser, { provider: 'slack' });
    expect(await world.personOf(sessionOf(browser))).toBe(mira);
  });

  test('counts only if Slack names it', async () => {
    const world = await signInWorld();
    await world.user(null, { chatUserId: 'U1', chatTeamId: 'T1' });
    world.idp.claims.set('mira', SLACK);
    expect(refusalOf(await signIn(world.newBrowser()))).toBe('no-email');
  });
});

describe('an ID token', () => {
  test('is taken with a key that has just replaced the old one, which counts no more', async () => {
    const world = await withMira();
    await signIn(world.newBrowser());
    const old = world.idp.rotateKeys();
    expect(refusalOf(await signIn(world.newBrowser()))).toBeUndefined();
    world.idp.forgedKey = old;
    expect(refusalOf(await signIn(world.newBrowser()))).toBe('failed');
    world.idp.forgedKey = { ...newKey(), kid: old.kid };
    expect(refusalOf(await signIn(world.newBrowser()))).toBe('failed');
  });

  test.for([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another-app' }],
    ['several audiences and another party', { aud: ['deskbridge', 'another-app'], azp: 'another-app' }],
    ['another nonce', { nonce: 'of another sign-in' }],
    ['no nonce', { nonce: undefined }],
    ['an expiry that is over', { exp: 1 }],
  ] as const)('of %s is refused', async ([, changed]) => {
    const world = await withMira();
    world.idp.forge = (claims) => ({ ...claims, ...changed });
    const browser = world.newBrowser();
    expect(refusalOf(await signIn(browser))).toBe('failed');
    expect(sessionOf(browser)).toBeUndefined();
    expect(JSON.stringify(world.lines)).not.toContain(MIRA.email);
  });

  test('may be of a clock that differs by a minute', async () => {
    const world = await withMira();
    world.clock.pass(300_000 + 50_000);
    expect(refusalOf(await signIn(world.newBrowser()))).toBeUndefined();
    world.clock.pass(20_000);
    expect(refusalOf(await signIn(world.newBrowser()))).toBe('failed');
    world.clock.pass(-370_000 - 50_000);
    expect(refusalOf(await signIn(world.newBrowser()))).toBeUndefined();
  });
});

describe('the way back', () => {
  test('is gone once: neither the browser nor the provider takes it again', async () => {
    const world = await withMira();
    const [browser, other] = [world.newBrowser(), world.newBrowser()];
    const callback = await untilCallback(browser);
    const cookie = browser.cookie('deskbridge_sign_in')?.value ?? '';
    expect(refusalOf(await browser.visit(callback.href))).toBeUndefined();
    expect(refusalOf(await browser.visit(callback.href))).toBe('expired');
    const headers = { cookie: `deskbridge_sign_in=${cookie}` };
    expect(refusalOf(await other.visit(callback.href, { headers }))).toBe('expired');
    // The code with the state of another sign-in.
    const fresh = await untilCallback(other);
    fresh.searchParams.set('code', callback.searchParams.get('code') ?? '');
    expect(refusalOf(await other.visit(fresh.href))).toBe('failed');
  });

  test('is refused with another state, and the sign-in of this browser goes on', async () => {
    const world = await withMira();
    const browser = world.newBrowser();
    const callback = await untilCallback(browser);
    for (const state of ['', 'of somebody else']) {
      const wrong = new URL(callback);
      wrong.searchParams.set('state', state);
      expect(refusalOf(await browser.visit(wrong.href))).toBe('failed');
    }
    expect(refusalOf(await browser.visit(callback.href))).toBeUndefined();
  });

  test('is refused in another browser, to which somebody sent it (login CSRF)', async () => {
    const world = await withMira();
    const [attacker, victim] = [world.newBrowser(), world.newBrowser()];
    const callback = await untilCallback(attacker);
    expect(refusalOf(await victim.visit(callback.href))).toBe('expired');
    await untilCallback(victim);
    expect(refusalOf(await victim.visit(callback.href))).toBe('failed');
    expect(sessionOf(victim)).toBeUndefined();
  });

  test('is refused for another provider, with an expired code, and when the person declined', async () => {
    const world = await withMira();
    const browser = world.newBrowser();
    const elsewhere = await untilCallback(browser);
    expect(refusalOf(await browser.visit(elsewhere.href.replace('/oidc', '/slack')))).toBe('expired');
    const late = await untilCallback(browser);
    await world.idp.expireCode(late.searchParams.get('code') ?? '');
    expect(refusalOf(await browser.visit(late.href))).toBe('failed');
    const declined = await untilCallback(browser);
    declined.searchParams.delete('code');
    declined.searchParams.set('error', 'access_denied');
    expect(refusalOf(await browser.visit(declined.href))).toBe('failed');
    expect(refusalOf(await browser.visit('/auth/start/nobody'))).toBe('failed');
  });

  test('takes ten minutes at most', async () => {
    const world = await withMira();
    const browser = world.newBrowser();
    const callback = await untilCallback(browser);
    world.clock.pass(TEN_MINUTES);
    expect(refusalOf(await browser.visit(callback.href))).toBe('expired');
  });

  test('makes a new session and ends the one that came with it (fixation)', async () => {
    const world = await withMira();
    const [first, second] = [world.newBrowser(), world.newBrowser()];
    await signIn(first);
    const planted = sessionOf(first) ?? '';
    const callback = await untilCallback(second);
    const headers = {
      cookie: `deskbridge_session=${planted}; deskbridge_sign_in=${second.cookie('deskbridge_sign_in')?.value ?? ''}`,
    };
    expect(refusalOf(await second.visit(callback.href, { headers }))).toBeUndefined();
    expect(sessionOf(second)).not.toBe(planted);
    expect(await world.personOf(planted)).toBeUndefined();
    expect(await world.personOf(sessionOf(second))).toBe(world.mira);
  });

  test('leaves a session that works alone when it fails', async () => {
    const world = await withMira();
    const browser = world.newBrowser();
    await signIn(browser);
    const session = sessionOf(browser);
    const headers = { cookie: `deskbridge_session=${session ?? ''}` };
    await browser.visit('/auth/callback/oidc?code=x&state=y', { headers });
    await world.tables.deleteFrom('identity').execute();
    world.idp.claims.set('mira', {});
    expect(refusalOf(await signIn(browser))).toBe('no-email');
    world.idp.forge = () => ({});
    expect(refusalOf(await signIn(browser))).toBe('failed');
    expect(sessionOf(browser)).toBe(session);
    expect(await world.personOf(session)).toBe(world.mira);
  });
});

test('a provider that is down or is another one than configured refuses, and the log says why', async () => {
  const world = await signInWorld({
    signIn: [
      {
        id: 'oidc',
        name: 'away',
        isSlack: false,
        issuer: 'http://127.0.0.1:1',
        clientId: 'a',
        clientSecret: 'b',
      },
    ],
  });
  expect(refusalOf(await world.newBrowser().visit('/auth/start/oidc'))).toBe('failed');
  const line = world.lines.find(({ msg }) => msg === 'a sign-in was refused');
  expect(line).toMatchObject({
    code: 'failed',
    address: '127.0.0.1',
    err: { message: expect.anything() as string },
  });
});
