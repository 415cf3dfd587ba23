import { describe, expect, it } from 'vitest';

import { type WebhookEvent, webhookEvent } from '../../../src/contract/index.ts';
import { until } from '../../harness/until.ts';
import { startReceiver } from '../receiver.ts';
import { uploadFile } from '../upload.ts';
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
