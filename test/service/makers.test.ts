import { describe, expect, it } from 'vitest';

import type { Role } from '../../src/contract/index.ts';
import { sharedService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

type Record = { id: string; [field: string]: unknown };

describe('the webhook of a bridge', () => {
  const PATH = 'unguessable-path';
  const BODY = {
    url: `http://203.0.113.7/webhooks/service/${PATH}`,
    secret: 'a-long-signing-secret-of-the-bridge',
  };
  const HIDDEN = 'http://203.0.113.7/webhooks/service/…';

  /** A bridge with its webhook, and others who may see all webhooks. */
  async function bridgeWorld() {
    const running = await newWorkspace();
    const { service, call, workspaceId, token: admin } = running;
    const { db } = openTables(running);
    const newKey = async (name: string, source?: 'CHAT') => {
      const made = (await call('POST', '/api-keys', { body: { name, role: 'admin', source } })).body;
      return { id: made.id, token: (made as unknown as { key: string }).key };
    };
    const bridge = `dbk_key_of_the_bridge_${workspaceId}`;
    await service.installKey({
      token: bridge,
      name: 'bridge',
      role: 'admin',
      source: 'CHAT',
      rateLimit: null,
      workspaceId,
    });
    const registered = await call('POST', '/webhooks', {
      token: bridge,
      body: { ...BODY, servesChat: true },
    });
    const webhook = registered.body as unknown as Record;
    const others = {
      'the operator’s key': admin,
      'another admin’s key': (await newKey('other')).token,
      'another bridge’s key': (await newKey('second bridge', 'CHAT')).token,
      'an admin’s session': (await signIn(db, workspaceId, { role: 'admin' })).token,
    };
    return { ...running, db, newKey, bridge, webhook, others };
  }

  it('shows its secret and the end of its URL to the key of the bridge alone, by every route and verb', async () => {
    const { call, bridge, webhook, others } = await bridgeWorld();
    const path = `/webhooks/${webhook.id}`;
    const routes: [method: string, path: string, body?: object][] = [
      ['GET', path],
      ['GET', '/webhooks'],
      ['GET', `/webhooks?set=${webhook.id}&sortBy=name`],
      ['PUT', path, {}],
      ['PUT', path, { active: true }],
      ['PUT', path, { active: false }],
      ['PUT', path, { active: true }],
      ['PUT', path, { name: 'bridge' }],
      ['PUT', path, { name: null, active: true }],
      ['POST', `${path}/ping`],
      ['GET', `${path}/deliveries`],
      ['GET', '/audit-entries'],
    ];
    for (const [who, token] of Object.entries(others)) {
      for (const [method, at, body] of routes) {
        const answer = await call(method, at, { token, ...(body && { body }) });
        const text = JSON.stringify(answer.body);
        expect([who, method, at, body, answer.status]).toEqual([who, method, at, body, 200]);
        expect([text.includes(PATH), text.includes(BODY.secret)]).toEqual([false, false]);
        if (method === 'PUT')
          expect(answer.body).toMatchObject({ url: HIDDEN, secret: null, servesChat: true });
      }
      for (const search of [PATH, 'unguess', 'service/u', `/${PATH.slice(0, 1)}`]) {
        const found = await call('GET', `/webhooks?search=${encodeURIComponent(search)}`, { token });
        expect([who, search, found.body.items]).toEqual([who, search, []]);
      }
      const byHost = await call('GET', '/webhooks?search=203.0.113.7', { token });
      expect(byHost.body.items).toMatchObject([{ url: HIDDEN, secret: null }]);
    }
    const own = await call('GET', path, { token: bridge });
    expect(own.body).toMatchObject({ ...BODY, active: true, createdByKeyId: webhook['createdByKeyId'] });
    const found = await call('GET', `/webhooks?search=${PATH}`, { token: bridge });
    expect(found.body.items).toMatchObject([{ url: BODY.url }]);
    for (const token of Object.values(others).slice(0, 1)) {
      const removed = await call('DELETE', path, { token });
      expect(removed.body).toMatchObject({ url: HIDDEN, secret: null });
    }
  });

  it.each([
    [{ active: true }, 200],
    [{ active: false }, 200],
    [{ name: 'mine' }, 200],
    [{ url: 'http://203.0.113.9/mine' }, 403],
    [{ url: BODY.url }, 403],
    [{ url: BODY.url, secret: 'a-guessed-secret-of-the-bridge' }, 403],
    [{ url: 'http://203.0.113.9/mine', secret: BODY.secret }, 403],
    [{ secret: 'a-secret-of-another-program' }, 403],
    [{ secret: '' }, 403],
    [{ secret: null, active: true }, 403],
    [{ eventTypes: ['Message'] }, 403],
    [{ servesChat: false }, 403],
    [{ servesChat: false, active: true }, 403],
  ])('is not taken over by another’s PUT of %j', async (body, status) => {
    const { call, db, bridge, webhook, others } = await bridgeWorld();
    const path = `/webhooks/${webhook.id}`;
    for (const [who, token] of Object.entries(others)) {
      const answer = await call('PUT', path, { token, body });
      expect([who, answer.status]).toEqual([who, status]);
      await call('PUT', path, { token, body: { active: true } });
    }
    const { createdByKeyId, eventTypes } = webhook;
    expect((await call('GET', path, { token: bridge })).body).toMatchObject({
      ...BODY,
      createdByKeyId,
      eventTypes,
      servesChat: true,
      active: true,
    });
    // The keys of the others go: the bridge still hears of everything.
    await db.updateTable('api_key').set({ revoked_at: new Date() }).where('name', '=', 'other').execute();
    expect((await call('GET', path, { token: bridge })).body).toMatchObject({ active: true });
  });

  it('follows its bridge to a new key: one that knows URL and secret, or one that comes after a revoked key', async () => {
    const { call, newKey, webhook, token: admin } = await bridgeWorld();
    const path = `/webhooks/${webhook.id}`;
    const second = await newKey('the bridge’s new key');
    const put = (token: string, body: object) => call('PUT', path, { token, body });
    const moved = await put(second.token, { ...BODY, active: true, servesChat: true });
    expect(moved.body).toMatchObject({ ...BODY, createdByKeyId: second.id, servesChat: true });
    await call('DELETE', `/api-keys/${second.id}`);
    expect((await put(admin, { active: true })).status).toBe(409);
    const [plain, third] = [await newKey('plain'), await newKey('the bridge again', 'CHAT')];
    const renewed = {
      url: 'http://203.0.113.7/webhooks/service/next',
      secret: 'the-next-secret-of-the-bridge',
    };
    expect((await put(plain.token, { ...renewed, active: true })).status).toBe(403);
    expect((await put(third.token, { active: true })).status).toBe(409);
    const again = await put(third.token, { ...renewed, active: true });
    expect(again.body).toMatchObject({ ...renewed, active: true, createdByKeyId: third.id });
  });

  it('is the one that it registers as such, whichever key makes webhooks', async () => {
    const { call, newKey, bridge } = await bridgeWorld();
    const keys = { bridge, chat: (await newKey('chat', 'CHAT')).token, other: (await newKey('plain')).token };
    for (const [who, token] of Object.entries(keys))
      for (const servesChat of [undefined, null, false, true]) {
        const { body } = await call('POST', '/webhooks', { token, body: { ...BODY, servesChat } });
        expect([who, servesChat, body]).toMatchObject([who, servesChat, { servesChat: servesChat === true }]);
      }
  });

  it('is marked by keys only', async () => {
    const { call, others, newKey, token: admin } = await bridgeWorld();
    const session = others['an admin’s session'];
    const body = { ...BODY, servesChat: true };
    expect((await call('POST', '/webhooks', { token: session, body })).status).toBe(403);
    const made = (await call('POST', '/webhooks', { token: session, body: BODY })).body;
    expect(made).toMatchObject({ servesChat: false, ...BODY });
    const mark = { servesChat: true };
    expect((await call('PUT', `/webhooks/${made.id}`, { token: session, body: mark })).status).toBe(403);
    expect((await call('PUT', `/webhooks/${made.id}`, { token: admin, body: mark })).status).toBe(403);
    const key = await newKey('a bridge elsewhere');
    const marked = await call('POST', '/webhooks', { token: key.token, body });
    expect(marked.body).toMatchObject(body);
    expect((await call('GET', `/webhooks/${marked.body.id}`)).body).toMatchObject({
      url: HIDDEN,
      secret: null,
    });
  });
});

describe('what a person made', () => {
  async function madeWorld() {
    const running = await newWorkspace();
    const { call, workspaceId } = running;
    const { db } = openTables(running);
    const [ada, ben] = [
      await signIn(db, workspaceId, { role: 'admin', name: 'Ada' }),
      await signIn(db, workspaceId, { role: 'admin', name: 'Ben' }),
    ];
    const newKey = async (token: string, role: Role = 'admin') => {
      const { id, key } = (await call('POST', '/api-keys', { token, body: { name: 'k', role } }))
        .body as unknown as { id: string; key: string };
      return { id, token: key };
    };
    const newWebhook = async (token: string) =>
      (await call('POST', '/webhooks', { token, body: { url: 'http://203.0.113.7/hook' } })).body.id;
    const key = await newKey(ada.token);
    const made = {
      ada,
      ben,
      key,
      keyOfKey: await newKey(key.token, 'agent'),
      webhook: await newWebhook(ada.token),
      webhookOfKey: await newWebhook(key.token),
      bensKey: await newKey(ben.token),
      bensWebhook: await newWebhook(ben.token),
    };
    const works = async ({ token }: { token: string }) =>
      (await call('GET', '/queues', { token })).status === 200;
    const isOn = async (id: string) =>
      (await call('GET', `/webhooks/${id}`)).body as unknown as {
        active: boolean;
        deactivatedReason: string;
      };
    const state = async () => ({
      keys: [await works(key), await works(made.keyOfKey)],
      webhooks: [(await isOn(made.webhook)).active, (await isOn(made.webhookOfKey)).active],
      bens: [await works(made.bensKey), (await isOn(made.bensWebhook)).active],
    });
    return { ...running, ...made, db, works, isOn, state };
  }
  const ALL = { keys: [true, true], webhooks: [true, true], bens: [true, true] };
  const NONE = { keys: [false, false], webhooks: [false, false], bens: [true, true] };

  it('is shown with its maker, also what their keys made', async () => {
    const { call, ada, key, keyOfKey, webhook, webhookOfKey } = await madeWorld();
    const ids = async (path: string) =>
      (await call('GET', `${path}?madeById=${ada.personId}`)).body.items.map(({ id }) => id).sort();
    expect(await ids('/api-keys')).toEqual([key.id, keyOfKey.id].sort());
    expect(await ids('/webhooks')).toEqual([webhook, webhookOfKey].sort());
    expect((await call('GET', `/webhooks/${webhook}`)).body).toMatchObject({ madeById: ada.personId });
  });

  it.each([
    ['deactivated', 'PUT', { isDeactivated: true }],
    ['made an agent', 'PUT', { role: 'agent' }],
    ['made a requester', 'PUT', { role: 'requester' }],
    ['erased', 'DELETE', undefined],
  ])('stops when the person is %s, is audited, and does not come back with them', async (_, method, body) => {
    const { call, state, ada, key, webhook, isOn } = await madeWorld();
    expect(await state()).toEqual(ALL);
    const path = `/users/${ada.personId}`;
    expect((await call(method, path, { ...(body && { body }) })).status).toBe(200);
    expect(await state()).toEqual(NONE);
    expect(await isOn(webhook)).toMatchObject({ deactivatedReason: 'person-left' });
    for (const [action, id] of [
      ['api-key.revoked', key.id],
      ['webhook.deactivated', webhook],
    ])
      expect((await call('GET', `/audit-entries?action=${action}&subjectId=${id}`)).body.items).toHaveLength(
        1,
      );
    await call('PUT', path, { body: { isDeactivated: false, role: 'admin' } });
    expect(await state()).toEqual(NONE);
  });

  it('goes on when it is handed over to another active admin, and stops with that one', async () => {
    const { call, state, ada, ben, ...running } = await madeWorld();
    const agent = await signIn(running.db, running.workspaceId, { role: 'agent' });
    const put = (id: string, body: object) => call('PUT', `/users/${id}`, { body });
    for (const handOverTo of [agent.personId, ada.personId, 'usr_nobody'])
      expect((await put(ada.personId, { isDeactivated: true, handOverTo })).status).toBe(422);
    expect(await state()).toEqual(ALL);
    const left = await put(ada.personId, { isDeactivated: true, handOverTo: ben.personId });
    expect(left.status).toBe(200);
    expect(await state()).toEqual(ALL);
    const { items } = (await call('GET', `/api-keys?madeById=${ben.personId}`)).body;
    expect(items).toHaveLength(3);
    await put(agent.personId, { role: 'admin' });
    await put(ben.personId, { role: 'agent' });
    expect(await state()).toEqual({ keys: [false, false], webhooks: [false, false], bens: [false, false] });
  });

  it('says what stopped with its maker, also what their keys made, and is taken over by an admin, with an entry each', async () => {
    const { call, db, works, isOn, ada, ben, key, keyOfKey, webhook, webhookOfKey, workspaceId } =
      await madeWorld();
    const listed = async (query: string) =>
      (await call('GET', `/api-keys?${query}`)).body.items as unknown as {
        id: string;
        madeById: string | null;
        stoppedAt: string | null;
      }[];
    const takeOver = (id: string, token = ben.token) => call('POST', `/api-keys/${id}/take-over`, { token });
    const ofAda = `madeById=${ada.personId}`;
    expect((await listed(`${ofAda}&includeStopped=true`)).map(({ stoppedAt }) => stoppedAt)).toEqual([
      null,
      null,
    ]);
    expect((await takeOver(key.id)).status).toBe(404);
    await call('PUT', `/users/${ada.personId}`, { body: { isDeactivated: true } });
    expect(await listed(ofAda)).toEqual([]);
    const stopped = await listed(`${ofAda}&includeStopped=true`);
    expect(stopped.map(({ id }) => id).sort()).toEqual([key.id, keyOfKey.id].sort());
    for (const { stoppedAt } of stopped) expect(stoppedAt).toMatch(/^20/);
    for (const id of [webhook, webhookOfKey])
      expect(await isOn(id)).toMatchObject({ deactivatedReason: 'person-left', madeById: ada.personId });

    const agent = await signIn(db, workspaceId, { role: 'agent' });
    expect((await takeOver(key.id, agent.token)).status).toBe(403);
    expect((await takeOver(key.id)).body).toMatchObject({ madeById: ben.personId, stoppedAt: null });
    expect([await works(key), await works(keyOfKey)]).toEqual([true, false]);
    expect((await takeOver(key.id)).status).toBe(404);
    const taken = await call('GET', `/audit-entries?action=settings.changed&subjectId=${key.id}`);
    expect(taken.body.items).toHaveLength(1);
    // Revoked for good, it is no longer listed and cannot be taken over.
    expect((await call('DELETE', `/api-keys/${keyOfKey.id}`)).body).toMatchObject({ stoppedAt: null });
    expect(await listed(`${ofAda}&includeStopped=true`)).toEqual([]);
    expect((await takeOver(keyOfKey.id)).status).toBe(404);
    // The operator's key takes over for nobody.
    await signIn(db, workspaceId, { role: 'admin' });
    await call('PUT', `/users/${ben.personId}`, { body: { role: 'agent' } });
    expect((await call('POST', `/api-keys/${key.id}/take-over`)).body).toMatchObject({ madeById: null });
    expect(await works(key)).toBe(true);
  });

  it('does not go to an heir once it has stopped', async () => {
    const { call, ada, ben, key, webhook, isOn } = await madeWorld();
    const path = `/users/${ada.personId}`;
    await call('PUT', path, { body: { role: 'agent' } });
    await call('PUT', path, { body: { role: 'admin' } });
    await call('PUT', path, { body: { isDeactivated: true, handOverTo: ben.personId } });
    expect(await isOn(webhook)).toMatchObject({ active: false, madeById: ada.personId });
    const { items } = (await call('GET', `/api-keys?madeById=${ada.personId}&includeStopped=true`)).body;
    expect(items.map(({ id }) => id)).toContain(key.id);
  });

  it('is another’s once that one enables it', async () => {
    const { call, ada, ben, webhook, isOn } = await madeWorld();
    await call('PUT', `/webhooks/${webhook}`, { token: ben.token, body: { active: true } });
    await call('PUT', `/users/${ada.personId}`, { body: { isDeactivated: true } });
    expect(await isOn(webhook)).toMatchObject({ active: true, madeById: ben.personId });
  });

  it('stays when something else of the person changes', async () => {
    const { call, state, ada } = await madeWorld();
    await call('PUT', `/users/${ada.personId}`, { body: { lastName: 'Lovelace', role: 'admin' } });
    expect(await state()).toEqual(ALL);
  });
});
