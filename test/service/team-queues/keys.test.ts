import { describe, expect, it } from 'vitest';

import { type WebhookEvent, webhookEvent } from '../../../src/contract/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { transaction } from '../../../src/platform/database/open.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createKey } from '../../../src/service/keys/create.ts';
import { migrations, SCHEMA } from '../../../src/service/schema/migrations.ts';
import { createWorkspace } from '../../../src/service/schema/workspace.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { openSchema } from '../../harness/schema.ts';
import { until } from '../../harness/until.ts';
import { startReceiver } from '../receiver.ts';
import { uploadFile } from '../upload.ts';
import { openTables } from '../world.ts';
import { sharedTeams } from './setup.ts';

const newTeams = sharedTeams();

describe('a key with queues', () => {
  it('is shown with them; unknown queues and the role admin are refused', async () => {
    const { call, key, people } = await newTeams();
    expect(await key({ queueIds: [people] })).toMatchObject({ queueIds: [people] });
    expect(await key({})).toMatchObject({ queueIds: null });
    for (const more of [{ queueIds: ['que_none'] }, { role: 'admin', queueIds: [people] }]) {
      const { status, body } = await call('POST', '/api-keys', {
        body: { name: 'K', role: 'agent', ...more },
      });
      expect([status, body.issues?.[0]?.path]).toEqual([422, 'queueIds']);
    }
  });

  it('writes to no other queue, finds no message in chat, and reads nothing of what is not attached yet', async () => {
    const world = await newTeams();
    const { call, ask, key, people, it: queue, who } = world;
    const { token } = await key({ queueIds: [people] });
    const send = async (method: string, path: string, body: object) =>
      (await call(method, path, { token, body })).status;
    const [own, other] = [await ask('Salary'), await ask('Laptop', { queueId: queue })];
    expect(await send('POST', '/tickets', { title: 'T', queueId: people })).toBe(200);
    expect(await send('POST', '/tickets', { title: 'T', queueId: queue })).toBe(403);
    // The workspace's default queue is not its own either.
    expect(await send('POST', '/tickets', { title: 'T' })).toBe(403);
    expect(await send('PUT', `/tickets/${own.id}`, { data: { queueId: queue } })).toBe(403);
    expect(await send('PUT', `/tickets/${other.id}`, { data: { queueId: people } })).toBe(404);
    const pair = { chatChannelId: 'C1', chatTimestamp: '1.1' };
    expect(await send('POST', '/tickets', { title: 'T', queueId: people, ...pair })).toBe(403);
    expect(await send('POST', '/ticket-messages', { ticketId: own.id, content: 'x', ...pair })).toBe(403);
    const uploaded = await uploadFile(world, '/files');
    expect((await call('GET', `/files/${uploaded.body.id}`, { token })).status).toBe(404);
    const attach = { ticketId: own.id, content: 'x', fileIds: [uploaded.body.id] };
    expect(await send('POST', '/ticket-messages', attach)).toBe(422);
    // What it writes in the name of somebody does not show it more.
    expect(await send('POST', `/tickets/${other.id}/csat`, { score: 5, userId: who.ada.personId })).toBe(404);
  });

  it('gets by its webhook only the events of its queues, without the other tickets that they name', async () => {
    const { call, ask, key, post, put, people, it: queue } = await newTeams();
    const [limited, all] = [await startReceiver(), await startReceiver()];
    const { token } = await key({ queueIds: [queue] });
    await post('/webhooks', { url: limited.url }, token);
    await post('/webhooks', { url: all.url }, (await key({})).token);
    const parent = await ask('Reorganisation');
    const plain = await ask('Laptop', { queueId: queue, parentId: parent.id });
    const secret = await ask('Salary', { parentId: plain.id });
    await post('/ticket-messages', { ticketId: secret.id, content: 'How much?' });
    await post(`/tickets/${plain.id}/links`, { ticketId: secret.id, kind: 'blocks' });
    await put(`/tickets/${plain.id}`, { data: { priority: 'HIGH' } });
    // What is still on its way when the ticket leaves the queue does not arrive.
    await limited.received(3);
    await put(`/tickets/${plain.id}`, { data: { queueId: people } });
    const events = async (receiver: typeof all, count: number) =>
      (await receiver.received(count)).map(({ body }) => webhookEvent.parse(JSON.parse(body)));
    // Three are created and one is written to, two are linked, one is changed twice.
    const told = await events(all, 8);
    const ofPlain = ({ ticket }: WebhookEvent) => ticket?.id === plain.id && ticket.queueId === queue;
    const heard = await events(limited, told.filter(ofPlain).length);
    expect(heard.every(ofPlain)).toBe(true);
    expect(heard.length).toBe(3);
    const text = JSON.stringify(heard);
    for (const { id, title } of [parent, secret])
      for (const part of [id, title]) expect([part, text.includes(part)]).toEqual([part, false]);
    expect(JSON.stringify(told)).toContain(secret.id);
    expect((await call('GET', `/tickets/${plain.id}`, { token })).status).toBe(404);
  });

  it('keeps its webhook, and its webhook these queues, whoever enables it and whoever owns it later', async () => {
    const { call, ask, key, post, put, people, it: queue, who } = await newTeams();
    const receiver = await startReceiver();
    const limited = await key({ queueIds: [queue] });
    const { id } = await post('/webhooks', { url: receiver.url }, limited.token);
    const path = `/webhooks/${id}`;
    const admins = { 'a person': who.root.token, 'a key': (await key({ role: 'admin' })).token };
    const heard = async (count: number) =>
      (await receiver.received(count)).map(
        ({ body }) => webhookEvent.parse(JSON.parse(body)).ticket?.queueId,
      );
    /** One ticket of each queue; what the webhook hears of them since. */
    let before = 0;
    const tell = async (expected: string[]) => {
      for (const queueId of [people, queue]) await ask('Told', { queueId });
      const told = (await heard(before + expected.length)).slice(before);
      before += expected.length;
      expect(told.toSorted()).toEqual(expected.toSorted());
    };
    for (const token of [...Object.values(admins), limited.token]) {
      await put(path, { active: false }, token);
      const on = await put(path, { active: true }, token);
      expect(on).toMatchObject({ createdByKeyId: limited.id, queueIds: [queue] });
      await tell([queue]);
    }
    // Who makes it their own when the key is gone does not widen it.
    await call('DELETE', `/api-keys/${limited.id}`);
    const taken = await put(path, { active: true }, who.root.token);
    expect(taken).toMatchObject({ createdByKeyId: null, madeById: who.root.personId, queueIds: [queue] });
    await tell([queue]);
    const readers = async () =>
      (await call('GET', `/queues/${people}/readers?visibility=team`)).body as unknown as {
        webhooks: { id: string }[];
      };
    expect((await readers()).webhooks).toEqual([]);
    await put(path, { queueIds: null }, who.root.token);
    await tell([queue, people]);
    expect((await readers()).webhooks).toMatchObject([{ id }]);
    await put(path, { queueIds: [people] }, admins['a key']);
    await tell([people]);
  });

  it('does not choose the queues of its webhook, and nobody chooses those of another workspace or the bridge', async () => {
    const { call, key, post, people, it: queue, who } = await newTeams();
    const limited = await key({ queueIds: [queue] });
    const url = 'http://203.0.113.7/hook';
    const { id } = await post('/webhooks', { url }, limited.token);
    const bridge = await key({ source: 'CHAT' });
    const ofBridge = await post('/webhooks', { url, servesChat: true }, bridge.token);
    for (const [path, token, queueIds, status] of [
      [id, limited.token, null, 403],
      [id, limited.token, [queue, people], 403],
      [id, who.root.token, ['que_none'], 422],
      [ofBridge.id, who.root.token, [people], 403],
    ] as const)
      expect([
        queueIds,
        (await call('PUT', `/webhooks/${path}`, { token, body: { queueIds } })).status,
      ]).toEqual([queueIds, status]);
    for (const [token, queueIds, status] of [
      [limited.token, null, 403],
      [limited.token, [queue], 403],
      [who.root.token, ['que_none'], 422],
    ] as const)
      expect([
        queueIds,
        (await call('POST', '/webhooks', { token, body: { url, queueIds } })).status,
      ]).toEqual([queueIds, status]);
  });

  it('gives its webhook its queues, unless an admin says others', async () => {
    const { key, post, people, it: queue, who } = await newTeams();
    const url = 'http://203.0.113.7/hook';
    const limited = (await key({ queueIds: [queue] })).token;
    const admin = (await key({ role: 'admin' })).token;
    for (const [token, said, queueIds] of [
      [limited, {}, [queue]],
      [(await key({})).token, {}, null],
      [admin, {}, null],
      [admin, { queueIds: [people, people] }, [people]],
      [who.root.token, {}, null],
      [who.root.token, { queueIds: [queue] }, [queue]],
      [who.root.token, { queueIds: null }, null],
    ] as const)
      expect(await post('/webhooks', { url, ...said }, token)).toMatchObject({ queueIds });
  });

  it('gets nothing more of a ticket that was moved to another queue, not even what was on its way', async () => {
    const { call, ask, key, post, put, people, it: queue } = await newTeams();
    const receiver = await startReceiver();
    const { token } = await key({ queueIds: [queue] });
    const webhook = (await post('/webhooks', { url: receiver.url }, token)).id;
    const ticket = await ask('Laptop', { queueId: queue });
    await receiver.received(1);
    await put(`/tickets/${ticket.id}`, { data: { queueId: people } });
    const deliveries = async () =>
      (await call('GET', `/webhooks/${webhook}/deliveries`, { token })).body.items;
    const [delivery] = await deliveries();
    await post(`/webhooks/${webhook}/deliveries/${delivery?.id}/redeliver`, {}, token);
    await until('it to be cancelled', async () => (await deliveries())[0]?.state === 'cancelled');
    expect(receiver.calls.length).toBe(1);
  });
});

it('an upgrade keeps what webhooks read', async () => {
  const { url } = await createTestDatabase('webhook_queues');
  const before = migrations.findIndex(({ name }) => name.startsWith('0017'));
  await migrate(openSchema(url, SCHEMA), migrations.slice(0, before));
  const { db } = openSchema(url, SCHEMA) as unknown as ReturnType<typeof openTables>;
  const newId = createIds(systemClock);
  const now = systemClock.now();
  const { workspaceId, keys } = await transaction(db, async (tx) => {
    const workspace = await createWorkspace(tx, { newId }, now, { name: 'Old', slug: 'old' });
    const key = (name: string, queueIds: string[] | null) =>
      createKey(tx, { newId }, now, {
        token: name,
        name,
        role: 'agent',
        source: 'API',
        workspaceId: workspace,
        furtherWorkspaceIds: [],
        queueIds,
        rateLimit: null,
      });
    const limited = await key('a key of one queue', ['que_1']);
    const all = await key('a key of all queues', null);
    return { workspaceId: workspace, keys: { limited, all, person: null } };
  });
  await db
    .insertInto('webhook')
    .values(
      Object.entries(keys).map(([name, keyId]) => ({
        workspace_id: workspaceId,
        id: name,
        url: 'http://203.0.113.7/hook',
        event_types: ['Ticket'],
        key_id: keyId,
        created_at: now,
        updated_at: now,
      })),
    )
    .execute();
  await migrate(openSchema(url, SCHEMA), migrations);
  const rows = await db.selectFrom('webhook').select(['id', 'queue_ids']).orderBy('id').execute();
  expect(rows.map(({ id, queue_ids }) => [id, queue_ids])).toEqual([
    ['all', null],
    ['limited', ['que_1']],
    ['person', null],
  ]);
});
