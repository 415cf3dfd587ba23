import { describe, expect, it } from 'vitest';

import type { OwnSession, Session, User } from '../../src/contract/index.ts';
import { transaction } from '../../src/platform/database/open.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createSession } from '../../src/service/sessions/create.ts';
import { endSession } from '../../src/service/sessions/end.ts';
import { stoppedClock } from '../harness/clock.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { type Running, startTestService } from './harness.ts';
import { signIn, startSession } from './signed-in.ts';
import { openTables } from './world.ts';

const DAY_MS = 86_400_000;

async function world(settings: Parameters<typeof startTestService>[0] = {}) {
  const running = await startTestService(settings);
  const { db } = openTables(running);
  const { workspaceId, call } = running;
  const queue = async (prefix: string) =>
    (await call('POST', '/queues', { body: { name: prefix, prefix } })).body.id;
  return { ...running, db, workspaceId, queueId: await queue('ONE'), otherQueueId: await queue('TWO') };
}

const as = (token: string) => ({ token });

describe('a session', () => {
  it('says who is signed in; its token is stored as a digest only, and stands in no list', async () => {
    const { call, db, workspaceId, queueId } = await world();
    const agent = await signIn(db, workspaceId, { role: 'agent', queueIds: [queueId] });
    expect(agent.token).toMatch(/^dbs_[0-9a-f]{12}_[\w-]{43}$/);
    const { body } = await call('GET', '/session', as(agent.token));
    expect(body as unknown as OwnSession).toMatchObject({
      id: agent.id,
      userId: agent.personId,
      role: 'agent',
      queueIds: [queueId],
      current: true,
      expiresAt: agent.expiresAt.toISOString(),
      user: { id: agent.personId, role: 'agent', queueIds: [queueId], deactivatedAt: null },
    });
    const rows = await db.selectFrom('session').selectAll().execute();
    expect(rows.map(({ hash }) => hash.length)).toEqual([32]);
    const listed = await call('GET', '/sessions', as(agent.token));
    expect(JSON.stringify([rows, listed.body])).not.toContain(agent.token);
    expect((await call('GET', '/session')).status).toBe(404);
    const inAddress = await call('GET', `/session?apiKey=${agent.token}`, { token: null });
    expect(inAddress.status).toBe(401);
  });

  it('lists and ends only the own ones; an admin lists and ends those of all', async () => {
    const { call, db, workspaceId } = await world();
    const admin = await signIn(db, workspaceId, { role: 'admin' });
    const ada = await signIn(db, workspaceId, { role: 'requester' });
    const ben = await signIn(db, workspaceId, { role: 'agent' });
    const laptop = await startSession(db, workspaceId, ada.personId);
    const listed = async (token: string, query = '') =>
      ((await call('GET', `/sessions${query}`, as(token))).body.items as unknown as Session[]).map(
        ({ id, current }) => [id, current],
      );
    const [phone, other] = [
      [ada.id, true],
      [laptop.id, false],
    ];
    expect(await listed(ada.token)).toEqual([phone, other]);
    expect(await listed(ada.token, `?userId=${ben.personId}`)).toEqual([]);
    expect(await listed(admin.token)).toHaveLength(4);
    expect(await listed(admin.token, `?userId=${ben.personId}`)).toEqual([[ben.id, false]]);
    const ended = async (token: string, id: string) =>
      (await call('DELETE', `/sessions/${id}`, as(token))).status;
    expect([await ended(ada.token, ben.id), await ended(ben.token, ada.id)]).toEqual([404, 404]);
    expect(await ended(ada.token, laptop.id)).toBe(200);
    expect((await call('GET', '/session', as(laptop.token))).status).toBe(401);
    expect(await ended(ada.token, 'current')).toBe(200);
    expect((await call('GET', '/session', as(ada.token))).status).toBe(401);
    expect(await ended(admin.token, ben.id)).toBe(200);
    expect((await call('GET', '/session', as(ben.token))).status).toBe(401);
  });

  it('ends after 14 days without use, and 30 days after it began, however much it is used', async () => {
    const clock = new MovableClock();
    const { call, db, workspaceId } = await world({ clock });
    const unused = await signIn(db, workspaceId, { role: 'requester', now: clock.now() });
    const used = await signIn(db, workspaceId, { role: 'requester', now: clock.now() });
    const status = async (token: string) => (await call('GET', '/queues', as(token))).status;
    clock.pass(14 * DAY_MS - 1);
    expect(await status(used.token)).toBe(200);
    clock.pass(1);
    expect([await status(unused.token), await status(used.token)]).toEqual([401, 200]);
    clock.pass(14 * DAY_MS - 60_000);
    expect(await status(used.token)).toBe(200);
    clock.pass(2 * DAY_MS + 59_999);
    expect(await status(used.token)).toBe(200);
    clock.pass(1);
    expect(await status(used.token)).toBe(401);
  });

  it('notes its use at most once a minute', async () => {
    const clock = new MovableClock();
    const { call, db, workspaceId } = await world({ clock });
    const { token, id } = await signIn(db, workspaceId, { role: 'requester', now: clock.now() });
    const seen = async () => {
      await call('GET', '/queues', as(token));
      const rows = await db.selectFrom('session').select('last_seen_at').where('id', '=', id).execute();
      return rows[0]?.last_seen_at.toISOString();
    };
    clock.pass(59_999);
    expect(await seen()).toBe('2026-11-20T09:30:00.000Z');
    clock.pass(1);
    expect(await seen()).toBe('2026-11-20T09:31:00.000Z');
  });

  it('replaces the one whose token came with the sign-in', async () => {
    const { call, db, workspaceId } = await world();
    const first = await signIn(db, workspaceId, { role: 'requester' });
    const tools = {
      newId: createIds({ now: () => new Date() }),
      randomBytes: (n: number) => Buffer.alloc(n, 7),
    };
    const from = { workspaceId, personId: first.personId, address: null, userAgent: null };
    const second = await transaction(db, (tx) =>
      createSession(tx, tools, new Date(), { ...from, replaces: first.token }),
    );
    await until(
      'the first to end',
      async () => (await call('GET', '/session', as(first.token))).status === 401,
    );
    expect((await call('GET', '/session', as(second.token))).status).toBe(200);
    expect(await transaction(db, (tx) => endSession(tx, { token: second.token }))).toEqual([
      { workspaceId, id: second.id, personId: first.personId },
    ]);
  });
});

describe('a change of access', () => {
  const both = async () => {
    const one = await world();
    const other = await startTestService({ databaseUrl: one.databaseUrl, clock: stoppedClock() });
    return { one, other };
  };
  const statusAt = async ({ call }: Pick<Running, 'call'>, path: string, token: string) =>
    (await call('GET', path, as(token))).status;

  it('of role takes effect at once where it was made, and by its notification in every other process', async () => {
    const { one, other } = await both();
    const person = await signIn(one.db, one.workspaceId, { role: 'agent' });
    for (const service of [one, other]) expect(await statusAt(service, '/views', person.token)).toBe(200);
    await one.call('PUT', `/users/${person.personId}`, { body: { role: 'requester' } });
    expect(await statusAt(one, '/views', person.token)).toBe(403);
    await until('the other to know', async () => (await statusAt(other, '/views', person.token)) === 403);
  });

  it('of queues too', async () => {
    const { one, other } = await both();
    const { queueId, otherQueueId, call } = one;
    const person = await signIn(one.db, one.workspaceId, { role: 'agent', queueIds: [queueId] });
    const { id } = (
      await call('POST', '/tickets', { body: { title: 'x', queueId: otherQueueId, private: true } })
    ).body;
    for (const service of [one, other])
      expect(await statusAt(service, `/tickets/${id}`, person.token)).toBe(404);
    await call('PUT', `/users/${person.personId}`, { body: { queueIds: [queueId, otherQueueId] } });
    expect(await statusAt(one, `/tickets/${id}`, person.token)).toBe(200);
    await until(
      'the other to know',
      async () => (await statusAt(other, `/tickets/${id}`, person.token)) === 200,
    );
  });

  it('by deactivation ends the sessions everywhere; by the end of a session, that one', async () => {
    const { one, other } = await both();
    const person = await signIn(one.db, one.workspaceId, { role: 'agent' });
    const laptop = await startSession(one.db, one.workspaceId, person.personId);
    const works = async (token: string) => [
      await statusAt(one, '/queues', token),
      await statusAt(other, '/queues', token),
    ];
    expect([await works(person.token), await works(laptop.token)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    await one.call('DELETE', `/sessions/${laptop.id}`);
    const ended = (token: string) => async () => (await statusAt(other, '/queues', token)) === 401;
    await until('the laptop to be signed out', ended(laptop.token));
    expect(await works(person.token)).toEqual([200, 200]);
    const { body } = await one.call('PUT', `/users/${person.personId}`, { body: { isDeactivated: true } });
    expect((body as unknown as User).deactivatedAt).not.toBeNull();
    expect(await statusAt(one, '/queues', person.token)).toBe(401);
    await until('the phone to be signed out', ended(person.token));
    expect(await one.db.selectFrom('session').selectAll().execute()).toEqual([]);
    // A session that was being started meanwhile is no use.
    const late = await startSession(one.db, one.workspaceId, person.personId);
    expect(await works(late.token)).toEqual([401, 401]);
    await one.call('PUT', `/users/${person.personId}`, { body: { isDeactivated: false } });
    expect(await statusAt(one, '/queues', late.token)).toBe(200);
  });
});

describe('users', () => {
  it('are changed by admins: names, address, role and queues, and only what is named', async () => {
    const { call, db, workspaceId, queueId } = await world();
    const admin = await signIn(db, workspaceId, { role: 'admin' });
    const { id } = (await call('POST', '/users', { body: { firstName: 'Ada', email: 'ada@acme.example' } }))
      .body;
    const put = async (body: unknown) =>
      (await call('PUT', `/users/${id}`, { ...as(admin.token), body })) as unknown as {
        status: number;
        body: User;
      };
    expect((await put({ role: 'agent', queueIds: [queueId, queueId] })).body).toMatchObject({
      firstName: 'Ada',
      email: 'ada@acme.example',
      role: 'agent',
      queueIds: [queueId],
    });
    expect((await put({ firstName: ' Ada B. ', lastName: 'Reyes', queueIds: null })).body).toMatchObject({
      firstName: 'Ada B.',
      lastName: 'Reyes',
      role: 'agent',
      queueIds: null,
    });
    expect((await put({ queueIds: ['que_none'] })).status).toBe(422);
    await call('POST', '/users', { body: { firstName: 'Ben', email: 'ben@acme.example' } });
    expect((await put({ email: 'BEN@acme.example' })).status).toBe(409);
    expect((await put({ email: null })).body.email).toBeNull();
    const agent = await signIn(db, workspaceId, { role: 'agent' });
    const refused = await call('PUT', `/users/${id}`, { ...as(agent.token), body: { role: 'admin' } });
    expect([refused.status, (refused.body as unknown as { message: string }).message]).toEqual([
      403,
      'You have the role agent; only admins may do this.',
    ]);
  });

  it('the last active admin stays, also of two who demote each other at once', async () => {
    const { call, db, workspaceId } = await world();
    const one = await signIn(db, workspaceId, { role: 'admin' });
    const change = (id: string, body: unknown) => call('PUT', `/users/${id}`, { body });
    for (const body of [{ role: 'agent' }, { isDeactivated: true }])
      expect((await change(one.personId, body)).body).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('Make another person an admin first') as string,
      });
    expect((await change(one.personId, { firstName: 'Boss' })).status).toBe(200);
    const two = await signIn(db, workspaceId, { role: 'admin' });
    const answers = await Promise.all([
      change(one.personId, { role: 'agent' }),
      change(two.personId, { isDeactivated: true }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('keep their identities from agents, who could sign in with them', async () => {
    const { call, db, key, workspaceId } = await world();
    const admin = await signIn(db, workspaceId, { role: 'admin' });
    const email = `${admin.personId}@acme.example`;
    const account = [{ chatUserId: 'U0EVIL', chatTeamId: 'T1' }];
    const agentKey = await key('agent');
    const save = (token: string, body: unknown) => call('POST', '/users', { token, body });
    expect((await save(agentKey, { firstName: 'A', email, chatUsers: account })).status).toBe(403);
    expect((await save(agentKey, { firstName: 'A', email })).status).toBe(200);
    const agent = await signIn(db, workspaceId, { role: 'agent' });
    const found = await save(agent.token, { firstName: 'B', email, chatUsers: account });
    expect([found.status, found.body]).toMatchObject([
      200,
      { id: admin.personId, firstName: 'A', chatUsers: [] },
    ]);
    const ada = (await call('POST', '/users', { body: { firstName: 'Ada', email: 'ada@acme.example' } }))
      .body;
    const same = await save(agent.token, { firstName: 'Eve', email: 'ada@acme.example', chatUsers: account });
    expect(same.body).toMatchObject({ id: ada.id, firstName: 'Ada', chatUsers: [] });
  });
});
