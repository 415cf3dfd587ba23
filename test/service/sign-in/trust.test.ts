import { describe, expect, test } from 'vitest';

import { until } from '../../harness/until.ts';
import { signIn as signInPerson, startSession } from '../signed-in.ts';
import { refusalOf, signIn, type Browser } from './browser.ts';
import { MIRA, signInWorld } from './world.ts';

const sessionOf = (browser: Browser) => browser.cookie('deskbridge_session')?.value;

/** A service with Slack as a provider, a trusted Slack workspace, and one that is not. */
async function trustWorld() {
  const world = await signInWorld();
  world.idp.requiresPkce = false;
  const { call } = world;
  const team = async (id: string, body: object) => {
    const answer = await call('PUT', '/chat-teams', { body: { id, ...body } });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  await team('T0OURS', { name: 'Ours', isTrusted: true });
  await team('T0EVIL', { name: 'Evil Corp' });
  const account = (chatUserId: string, chatTeamId: string) => ({ chatUserId, chatTeamId });
  const save = (body: object, token?: string) =>
    call('POST', '/users', { body: { firstName: 'X', ...body }, ...(token && { token }) });
  const read = async (id: string) =>
    (await call('GET', `/users/${id}`)).body as unknown as {
      email: string | null;
      role: string;
      isGuestCreated: boolean;
      chatUsers: { chatUserId: string; chatTeamId: string }[];
    };
  const enter = async (chatUserId: string, chatTeamId: string, more: object = {}) => {
    world.idp.claims.set('mira', {
      'https://slack.com/user_id': chatUserId,
      'https://slack.com/team_id': chatTeamId,
      ...more,
    });
    const browser = world.newBrowser();
    const end = await signIn(browser, { provider: 'slack' });
    return refusalOf(end) ?? (await world.personOf(sessionOf(browser)));
  };
  const admin = (await save({ firstName: 'Mira', email: MIRA.email, chatUsers: [account('U1', 'T0OURS')] }))
    .body.id;
  await call('PUT', `/users/${admin}`, { body: { role: 'admin' } });
  return { ...world, team, account, save, read, enter, admin };
}

describe('the people of a Slack workspace that is not trusted', () => {
  test('are guests of their own: never a user with their address, without an address and a role', async () => {
    const { save, read, account, admin, call } = await trustWorld();
    const body = { email: MIRA.email, chatUsers: [account('U0EVE', 'T0EVIL')] };
    const guest = (await save(body)).body.id;
    expect(guest).not.toBe(admin);
    expect(await read(guest)).toMatchObject({ email: null, role: 'requester', isGuestCreated: true });
    expect((await save(body)).body.id).toBe(guest);
    expect((await read(admin)).chatUsers).toHaveLength(1);
    for (const change of [{ role: 'agent' }, { role: 'admin' }, { email: 'new@acme.example' }])
      expect([change, (await call('PUT', `/users/${guest}`, { body: change })).status]).toEqual([
        change,
        422,
      ]);
    expect(
      (await call('PUT', `/users/${guest}`, { body: { lastName: 'Eve', role: 'requester' } })).status,
    ).toBe(200);
    // One account of each: the whole user is not trusted.
    const mixed = await save({
      email: MIRA.email,
      chatUsers: [account('U1', 'T0OURS'), account('U0EVE', 'T0EVIL')],
    });
    expect(mixed.body.id).not.toBe(admin);
  });

  test('sign in as the guest that they are, or not at all', async () => {
    const { save, account, admin, enter, tables } = await trustWorld();
    expect(await enter('U0EVE', 'T0EVIL', MIRA)).toBe('unknown');
    const guest = (await save({ chatUsers: [account('U0EVE', 'T0EVIL')] })).body.id;
    expect(await enter('U0EVE', 'T0EVIL', MIRA)).toBe(guest);
    expect(await enter('U0EVE', 'T0EVIL')).toBe(guest);
    expect(await enter('U1', 'T0EVIL', MIRA)).toBe('unknown');
    // Even an account that an admin has already, and one that was recorded as a way in.
    await tables
      .insertInto('chat_user')
      .values({
        workspace_id: (await tables.selectFrom('workspace').select('id').executeTakeFirstOrThrow()).id,
        id: 'chu_planted',
        person_id: admin,
        chat_user_id: 'U0PLANTED',
        chat_team_id: 'T0EVIL',
        created_at: new Date(),
        updated_at: new Date(),
      })
      .execute();
    expect(await enter('U0PLANTED', 'T0EVIL', MIRA)).toBe('unknown');
    await tables.updateTable('identity').set({ person_id: admin }).execute();
    expect(await enter('U0PLANTED', 'T0EVIL', MIRA)).toBe('unknown');
    expect(await enter('U0EVE', 'T0EVIL', MIRA)).toBe(guest);
    // Nor a Slack workspace that nobody knows.
    expect(await enter('U9', 'T0NOBODY', MIRA)).toBe('unknown');
  });

  test('are trusted by their organisation too', async () => {
    const { team, enter, admin, save, account, call } = await trustWorld();
    await team('T0SISTER', { organisationId: 'E0GROUP' });
    expect(await enter('U7', 'T0SISTER', MIRA)).toBe('unknown');
    await team('E0GROUP', { isTrusted: true });
    expect(await enter('U7', 'T0SISTER', MIRA)).toBe(admin);
    const linked = await save({ email: MIRA.email, chatUsers: [account('U7', 'T0SISTER')] });
    expect(linked.body.id).toBe(admin);
    // A workspace of the organisation that no bridge serves, as Slack names it at the sign-in.
    const other = { ...MIRA, 'https://slack.com/enterprise_id': 'E0GROUP' };
    const ways = async () =>
      (await call('GET', '/identities')).body.items.map((each) => (each as { teamId?: string }).teamId);
    expect(await enter('U8', 'T0COUSIN', other)).toBe(admin);
    expect(await ways()).toEqual(['T0COUSIN']);
    // Trust taken from another one: nothing stored says whose the cousin is, so its people sign in again.
    await team('T0EVIL', { isTrusted: false });
    expect(await ways()).toEqual([]);
    expect(await enter('U8', 'T0COUSIN', other)).toBe(admin);
    await team('E0GROUP', { isTrusted: false });
    expect(await enter('U7', 'T0SISTER', MIRA)).toBe('unknown');
  });

  test('lose what their accounts gave them when the operator trusts them no longer', async () => {
    const { team, enter, admin, save, account, read, ...world } = await trustWorld();
    await team('T0EVIL', { isTrusted: true });
    const body = { email: MIRA.email, chatUsers: [account('U0EVE', 'T0EVIL')] };
    expect((await save(body)).body.id).toBe(admin);
    world.idp.claims.set('mira', {
      'https://slack.com/user_id': 'U0EVE',
      'https://slack.com/team_id': 'T0EVIL',
    });
    const theirs = world.newBrowser();
    await signIn(theirs, { provider: 'slack' });
    expect(await world.personOf(sessionOf(theirs))).toBe(admin);
    // Begun by a link of the operator: no account gave it to them.
    const byLink = await startSession(world.tables, world.workspaceId, admin);
    await team('T0EVIL', { isTrusted: false });
    expect((await read(admin)).chatUsers).toMatchObject([{ chatUserId: 'U1' }]);
    const statusOf = async (token: string) => (await world.call('GET', '/queues', { token })).status;
    await until('the session to end', async () => (await statusOf(sessionOf(theirs) ?? '')) === 401);
    expect(await statusOf(byLink.token)).toBe(200);
    expect(await enter('U0EVE', 'T0EVIL', MIRA)).toBe('unknown');
    expect((await save(body)).body.id).not.toBe(admin);
  });
});

test('the operator keeps the list: no session and no key that a person made changes it', async () => {
  const { call, tables, workspaceId, team } = await trustWorld();
  const session = (await signInPerson(tables, workspaceId, { role: 'admin' })).token;
  const made = (await call('POST', '/api-keys', { token: session, body: { name: 'k', role: 'admin' } })).body;
  const agent = (await call('POST', '/api-keys', { body: { name: 'k', role: 'agent' } })).body;
  const keys = [session, ...[made, agent].map((key) => (key as unknown as { key: string }).key)];
  for (const token of keys) {
    const put = await call('PUT', '/chat-teams', { token, body: { id: 'T0EVIL', isTrusted: true } });
    expect(put.status).toBe(403);
    expect((await call('GET', '/chat-teams', { token })).body.items).toMatchObject([
      { id: 'T0OURS', isTrusted: true },
      { id: 'T0EVIL', isTrusted: false },
    ]);
  }
  expect(await team('T0EVIL', { name: 'Evil' })).toMatchObject({ isTrusted: false });
  expect(await team('T0OURS', { name: 'Ours' })).toMatchObject({ isTrusted: true });
  expect((await call('PUT', '/chat-teams', { body: { id: 'U1' } })).status).toBe(400);
});

test('chat accounts are linked by keys and admins, with an entry, and not by sessions of agents', async () => {
  const { call, tables, workspaceId, save, account, read, admin } = await trustWorld();
  const agent = (await signInPerson(tables, workspaceId, { role: 'agent', queueIds: [] })).token;
  const boss = await signInPerson(tables, workspaceId, { role: 'admin' });
  for (const chatUsers of [
    [account('UANY', 'T0OURS')],
    [account('UANY', 'T0EVIL')],
    [{ chatUserId: 'UANY' }],
  ])
    for (const body of [{ chatUsers }, { chatUsers, email: 'x@acme.example' }])
      expect([body, (await save(body, agent)).status]).toEqual([body, 403]);
  // A user who is known is returned as before.
  const known = await save({ email: MIRA.email, chatUsers: [account('UANY', 'T0OURS')] }, agent);
  expect([known.status, known.body.id]).toEqual([200, admin]);
  expect((await read(admin)).chatUsers).toHaveLength(1);
  expect((await save({ email: 'x@acme.example', chatUsers: [] }, agent)).status).toBe(200);
  const { body } = await call('GET', '/users?chatUserId=UANY');
  expect(body.items).toEqual([]);

  const linking = { email: MIRA.email, chatUsers: [account('UNEW', 'T0OURS')] };
  expect((await save(linking, boss.token)).body.id).toBe(admin);
  expect((await read(admin)).chatUsers).toHaveLength(2);
  const entries = await call('GET', `/audit-entries?action=user.account-linked&subjectId=${admin}`);
  expect(entries.body.items).toMatchObject([{ actorId: boss.personId, detail: { teamId: 'T0OURS' } }]);
  const foreign = await save({ email: MIRA.email, chatUsers: [account('UNEW', 'T0EVIL')] }, boss.token);
  expect([foreign.status, foreign.body.issues?.[0]?.message]).toEqual([
    422,
    expect.stringContaining('deskbridge workspaces trust T0EVIL'),
  ]);
});

describe('the accounts with which people signed in', () => {
  test('are listed to admins, and to each their own; removing one ends its sessions, and is audited', async () => {
    const { call, tables, workspaceId, admin, enter, idp, ...world } = await trustWorld();
    expect(await enter('U1', 'T0OURS')).toBe(admin);
    const known = (await call('GET', '/identities')).body.items;
    expect(known).toMatchObject([{ email: null, teamId: 'T0OURS', teamName: 'Ours' }]);
    for (const [claims, email] of [
      [{ ...MIRA, email_verified: false }, null],
      [MIRA, MIRA.email],
    ] as const) {
      expect(await enter('U1', 'T0OURS', claims)).toBe(admin);
      const { items } = (await call('GET', '/identities?search=mira')).body;
      expect(items).toMatchObject([{ email, teamName: 'Ours' }]);
    }
    const browser = world.newBrowser();
    await signIn(browser, { provider: 'slack' });
    const token = sessionOf(browser) ?? '';
    const requester = await signInPerson(tables, workspaceId, { role: 'requester' });
    const listed = async (path: string, of?: string) =>
      (await call('GET', path, { ...(of && { token: of }) })).body.items as unknown as { id: string }[];
    const [own] = await listed('/identities', token);
    expect(own).toMatchObject({ userId: admin, issuer: idp.issuer, subject: 'mira', workspaceId });
    expect(own).toMatchObject({ email: MIRA.email, teamId: 'T0OURS', teamName: 'Ours' });
    expect(await listed(`/identities?userId=${admin}`)).toEqual([own]);
    expect(await listed('/identities', requester.token)).toEqual([]);
    const path = `/identities/${own?.id}`;
    expect((await call('DELETE', path, { token: requester.token })).status).toBe(404);
    expect(await world.personOf(token)).toBe(admin);
    expect((await call('DELETE', path)).status).toBe(200);
    await until('the session to end', async () => (await call('GET', '/queues', { token })).status === 401);
    expect(await listed('/identities')).toEqual([]);
    const entries = await call('GET', '/audit-entries?action=identity.removed');
    expect(entries.body.items).toMatchObject([{ subjectId: admin, detail: { issuer: idp.issuer } }]);
    // The planted account is gone, and with it the way in.
    await tables.deleteFrom('chat_user').execute();
    expect(await enter('U1', 'T0OURS')).toBe('unknown');
  });

  test('and the sessions of other accounts stay', async () => {
    const { call, tables, workspaceId, admin, idp, ...world } = await trustWorld();
    idp.claims.set('mira', MIRA);
    const [slack, oidc] = [world.newBrowser(), world.newBrowser()];
    await signIn(oidc);
    idp.claims.set('mira', { 'https://slack.com/user_id': 'U1', 'https://slack.com/team_id': 'T0OURS' });
    await signIn(slack, { provider: 'slack' });
    const other = await signInPerson(tables, workspaceId, { role: 'agent' });
    const { items } = (await call('GET', `/identities?userId=${admin}`)).body;
    expect(items).toHaveLength(1);
    await tables
      .updateTable('session')
      .set({ identity_id: 'idn_other' })
      .where('person_id', '=', admin)
      .execute();
    await call('DELETE', `/identities/${items[0]?.id}`);
    expect(await world.personOf(sessionOf(slack))).toBe(admin);
    expect(await world.personOf(other.token)).toBe(other.personId);
  });
});
