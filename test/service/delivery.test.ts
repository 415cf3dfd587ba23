import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';

import { webhookEvent } from '../../src/contract/index.ts';
import { transaction } from '../../src/platform/database/open.ts';
import { isFresh, verifySignature } from '../../src/platform/signatures.ts';
import { recordAttempt } from '../../src/service/delivery/record.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { type Body, type Running, sharedService, startTestService } from './harness.ts';
import { answers, type Received, startReceiver } from './receiver.ts';
import { undoneWork, workNow } from './work.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

/** No dead endpoint gives up its workers: if others needed these, nothing would reach them. */
const UNANSWERED = { deliveryMs: 3_600_000 };

const DAY_MS = 24 * 60 * 60 * 1000;

async function register({ call }: Running, url: string, more: object = {}): Promise<string> {
  const { status, body } = await call('POST', '/webhooks', { body: { url, ...more } });
  expect([status, body.id]).toEqual([200, body.id]);
  return body.id;
}

const ticket = ({ call }: Running, body: object = {}) =>
  call('POST', '/tickets', { body: { title: 'T', ...body } });

/** The webhook's newest delivery, once it has these values. */
function delivery(
  { call }: Running,
  webhookId: string,
  wanted: Partial<Pick<Body, 'state' | 'attemptCount'>>,
): Promise<Body> {
  const read = async () => (await call('GET', `/webhooks/${webhookId}/deliveries?limit=1`)).body.items[0];
  return until(
    `a delivery with ${JSON.stringify(wanted)}`,
    async () => {
      const found = await read();
      const fits =
        found && Object.entries(wanted).every(([key, value]) => found[key as keyof Body] === value);
      return fits ? found : undefined;
    },
    { seen: read },
  );
}

const NOTHING: Received = { path: '', headers: {}, body: '' };
const eventOf = ({ body }: Received) => webhookEvent.parse(JSON.parse(body));

describe('delivering events', () => {
  it('sends a webhook no events for writes made in its name, with its key', async () => {
    const service = await newWorkspace();
    const { call } = service;
    const receiver = await startReceiver();
    const other = await service.key('agent');
    const made = (await ticket(service)).body;
    const webhook = await register(service, receiver.url);
    const headers = { 'x-origin-webhook': webhook };
    const say = (content: string, more: { token?: string; headers?: typeof headers }) =>
      call('POST', '/ticket-messages', { body: { ticketId: made.id, content, private: true }, ...more });
    const own = (await say('Own', { headers })).body;
    await call('POST', '/tickets', { body: { title: 'Own' }, headers });
    await call('PUT', `/ticket-messages/${own.id}`, { body: { content: 'Own, edited' }, headers });
    await say('By another key', { token: other, headers });
    expect(
      await openTables(service)
        .db.selectFrom('event')
        .select('type')
        .where('workspace_id', '=', service.workspaceId)
        .execute(),
    ).toEqual([{ type: 'Message' }]);
    await say('Not in its name', {});
    const texts = (await receiver.received(2)).map((each) => eventOf(each).data);
    expect(texts.map((data) => 'content' in data && data.content).sort()).toEqual([
      'By another key',
      'Not in its name',
    ]);
  });

  it('sends each write in the documented shape, with a signature that the standard library accepts', async () => {
    const service = await newWorkspace();
    const receiver = await startReceiver();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await register(service, receiver.url, { secret });
    const made = (await ticket(service, { source: 'WEB' })).body;
    const message = (
      await service.call('POST', '/ticket-messages', {
        body: { ticketId: made.id, content: 'Grüße 👋', source: 'CHAT' },
      })
    ).body;
    await service.call('PUT', `/tickets/${made.id}`, { body: { data: { title: 'Renamed' } } });
    await service.call('DELETE', `/ticket-messages/${message.id}`);
    await service.call('DELETE', `/tickets/${made.id}`);
    const calls = await receiver.received(5);
    const told = new Map(calls.map((call) => [`${eventOf(call).type} ${eventOf(call).action}`, call]));
    expect([...told.keys()].sort()).toEqual([
      'Message created',
      'Message deleted',
      'Ticket archived',
      'Ticket created',
      'Ticket updated',
    ]);
    for (const call of calls) {
      const event = eventOf(call);
      expect(call.headers['webhook-id']).toBe(event.id);
      expect(call.headers['content-type']).toBe('application/json');
      expect(new Webhook(secret).verify(call.body, call.headers as Record<string, string>)).toEqual(event);
      expect(isFresh(String(call.headers['webhook-timestamp']), new Date(event.occurredAt))).toBe(true);
    }
    const event = (name: string) => eventOf(told.get(name) ?? NOTHING);
    // The words of a message are only in its own events.
    for (const { type, data } of calls.map(eventOf))
      if (type === 'Ticket') expect(data).not.toHaveProperty('lastReply');
    const { lastReply, ...record } = made;
    expect(lastReply).toBeNull();
    expect(event('Ticket created')).toMatchObject({
      data: record,
      ticket: { id: made.id, code: 'HELP-1', queueId: made.queueId },
      actor: { source: 'WEB', userId: made.authorId },
      changes: null,
    });
    expect(event('Ticket updated')).toMatchObject({ changes: { title: ['T', 'Renamed'] } });
    expect(Object.keys(event('Ticket updated').changes ?? {})).toEqual(['title']);
    expect(event('Message created')).toMatchObject({ data: message, ticket: { code: 'HELP-1' } });
    expect(event('Message deleted')).toMatchObject({ data: { content: '', deleted: true } });
    expect(event('Ticket archived').changes).toHaveProperty('archivedAt');
  });

  it('sends a webhook only its event types, and nothing about links to chat', async () => {
    const service = await newWorkspace();
    const [tickets, messages, off] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await register(service, tickets.url, { eventTypes: ['Ticket'] });
    const id = await register(service, messages.url, { eventTypes: ['Message'] });
    await register(service, off.url, { active: false });
    const made = (await ticket(service)).body;
    const message = (
      await service.call('POST', '/ticket-messages', { body: { ticketId: made.id, content: 'x' } })
    ).body;
    await service.call('PUT', `/tickets/${made.id}/chat-threads`, {
      body: { channelId: 'C1', messageTs: '1.1' },
    });
    await service.call('PUT', `/ticket-messages/${message.id}/chat-messages`, {
      body: { channelId: 'C1', ts: '1.2' },
    });
    await service.call('PUT', `/tickets/${made.id}`, { body: { data: { title: made.title } } });
    await service.call('PUT', `/ticket-messages/${message.id}/reactions`, {
      body: { emoji: 'eyes', authorId: made.authorId },
    });
    await messages.received(2);
    await delivery(service, id, { state: 'delivered' });
    expect(
      [tickets.calls, messages.calls, off.calls].map((calls) =>
        calls.map((call) => `${eventOf(call).type} ${eventOf(call).action}`),
      ),
    ).toEqual([['Ticket created'], ['Message created', 'Message updated'], []]);
  });

  it('is unsigned without a secret; during a rotation both secrets sign for a day', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const receiver = await startReceiver();
    const id = await register(service, receiver.url, { secret: '' });
    await ticket(service);
    const [unsigned] = await receiver.received(1);
    expect(unsigned?.headers).not.toHaveProperty('webhook-signature');
    const put = (body: object) => service.call('PUT', `/webhooks/${id}`, { body });
    await put({ secret: 'the first secret' });
    await put({ secret: 'the second secret' });
    const signs = async (count: number) => {
      await ticket(service);
      const { headers, body } = (await receiver.received(count))[count - 1] ?? NOTHING;
      const parts = {
        id: String(headers['webhook-id']),
        timestamp: String(headers['webhook-timestamp']),
        body: Buffer.from(body),
      };
      return ['the first secret', 'the second secret'].map((secret) =>
        verifySignature(parts, String(headers['webhook-signature']), [secret]),
      );
    };
    expect(await signs(2)).toEqual([true, true]);
    clock.pass(DAY_MS + 1);
    expect(await signs(3)).toEqual([false, true]);
    await put({ secret: null });
    await ticket(service);
    expect((await receiver.received(4))[3]?.headers).not.toHaveProperty('webhook-signature');
  });

  it('repeats failed deliveries on schedule, with the same id and the same bytes', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const tables = openTables(service);
    const receiver = await startReceiver(
      answers(500),
      answers(301, { location: 'http://127.0.0.1:1/' }),
      answers(200),
    );
    const id = await register(service, receiver.url);
    await ticket(service);
    const once = await delivery(service, id, { attemptCount: 1, state: 'pending' });
    const waits = Date.parse(once.nextAttemptAt ?? '') - clock.now().getTime();
    expect([waits >= 4_000, waits <= 6_000]).toEqual([true, true]);
    clock.pass(5_000);
    await workNow(tables, 'webhook-retry');
    await delivery(service, id, { attemptCount: 2, state: 'pending' });
    clock.pass(300_000);
    await workNow(tables, 'webhook-retry');
    const done = await delivery(service, id, { state: 'delivered' });
    expect(done.attempts.map(({ status, error }) => [status, error])).toEqual([
      [500, 'answered 500'],
      [301, 'answered 301'],
      [200, null],
    ]);
    expect(done.nextAttemptAt).toBeNull();
    expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([done.eventId]),
    );
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
    const logged = service.lines.filter(({ msg }) => msg === 'delivery attempted');
    expect(logged.map(({ attempt, outcome, status }) => [attempt, outcome, status])).toEqual([
      [1, 'failed', 500],
      [2, 'failed', 301],
      [3, 'delivered', 200],
    ]);
  });

  it('gives up after the last step of the schedule, and can be repeated by hand', async () => {
    const service = await newWorkspace();
    const tables = openTables(service);
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url);
    await ticket(service);
    for (let attempt = 1; attempt < 10; attempt++) {
      await delivery(service, id, { attemptCount: attempt, state: 'pending' });
      await workNow(tables, 'webhook-retry');
    }
    const failed = await delivery(service, id, { attemptCount: 10, state: 'failed' });
    receiver.behave(answers(200));
    const again = await service.call('POST', `/webhooks/${id}/deliveries/${failed.id}/redeliver`);
    expect(again.body).toMatchObject({ id: failed.id, state: 'pending' });
    const done = await delivery(service, id, { state: 'delivered' });
    expect([done.attemptCount, receiver.calls.length]).toEqual([11, 11]);
    expect(receiver.calls[10]?.headers['webhook-id']).toBe(failed.eventId);
  });

  it('redelivery by hand replaces the waiting attempt', async () => {
    const service = await startTestService();
    const tables = openTables(service);
    const receiver = await startReceiver(answers(500), answers(200));
    const id = await register(service, receiver.url);
    await ticket(service);
    const { id: deliveryId } = await delivery(service, id, { attemptCount: 1 });
    await service.call('POST', `/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
    await delivery(service, id, { state: 'delivered' });
    expect(await workNow(tables, 'webhook-retry')).toBe(1);
    await until('the waiting attempt to end', async () => (await undoneWork(tables)) === 0);
    expect(receiver.calls).toHaveLength(2);
  });

  it('a success resets its webhook’s failures, unless the delivery has moved on from that attempt', async () => {
    const service = await startTestService();
    const { db } = openTables(service);
    const receiver = await startReceiver(answers(500));
    const webhookId = await register(service, receiver.url);
    await ticket(service);
    const { id: deliveryId } = await delivery(service, webhookId, { attemptCount: 1 });
    const succeeded = (step: number) =>
      transaction(db, (tx) =>
        recordAttempt(tx, {
          attempt: {
            workspaceId: service.workspaceId,
            webhookId,
            deliveryId,
            round: 0,
            step,
            servesChat: false,
          },
          result: { kind: 'delivered', status: 200, error: null },
          at: new Date(),
          now: new Date(),
          waitMs: null,
        }),
      );
    const failedEvents = async () =>
      (await db.selectFrom('webhook').select('failed_events').executeTakeFirst())?.failed_events;
    await succeeded(0);
    expect(await failedEvents()).toBe(1);
    await succeeded(1);
    expect(await failedEvents()).toBe(0);
  });

  it('follows Retry-After', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const receiver = await startReceiver(answers(429, { 'retry-after': '60' }));
    const id = await register(service, receiver.url);
    await ticket(service);
    const { nextAttemptAt } = await delivery(service, id, { attemptCount: 1 });
    expect(Date.parse(nextAttemptAt ?? '') - clock.now().getTime()).toBe(60_000);
  });

  it('410 disables the webhook at once and cancels its waiting deliveries', async () => {
    const service = await newWorkspace();
    const tables = openTables(service);
    const receiver = await startReceiver(answers(500), answers(410));
    const id = await register(service, receiver.url);
    const first = (await ticket(service)).body;
    const waiting = await delivery(service, id, { attemptCount: 1 });
    await service.call('POST', '/ticket-messages', { body: { ticketId: first.id, content: 'x' } });
    await delivery(service, id, { state: 'failed' });
    const webhook = async () => (await service.call('GET', `/webhooks/${id}`)).body;
    expect((await webhook()).active).toBe(false);
    await workNow(tables, 'webhook-retry');
    await until('the waiting delivery to be cancelled', async () => {
      const { items } = (await service.call('GET', `/webhooks/${id}/deliveries?set=${waiting.id}`)).body;
      return items[0]?.state === 'cancelled';
    });
    await ticket(service);
    expect((await service.call('POST', `/webhooks/${id}/ping`)).status).toBe(409);
    expect((await service.call('POST', `/webhooks/${id}/deliveries/${waiting.id}/redeliver`)).status).toBe(
      409,
    );
    expect(receiver.calls).toHaveLength(2);
    receiver.behave(answers(200));
    await service.call('PUT', `/webhooks/${id}`, { body: { active: true } });
    expect((await service.call('POST', `/webhooks/${id}/ping`)).body).toMatchObject({
      eventType: 'Ping',
      state: 'pending',
    });
    await delivery(service, id, { state: 'delivered' });
    expect(eventOf((await receiver.received(3))[2] ?? NOTHING)).toMatchObject({
      type: 'Ping',
      data: { webhookId: id },
    });
  });

  it('ten failed events and five days without success disable a webhook; one success resets both', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url, { eventTypes: ['Ticket'] });
    const active = async () => (await service.call('GET', `/webhooks/${id}`)).body.active;
    const failing = async (count: number) => {
      const before = receiver.calls.length;
      for (let index = 0; index < count; index++) await ticket(service);
      await receiver.received(before + count);
      // All of them: one that is recorded later would count after the success.
      await until('each failure to be recorded', async () => {
        const { items } = (await service.call('GET', `/webhooks/${id}/deliveries?limit=${count}`)).body;
        return items.every(({ attemptCount }: Body) => attemptCount === 1);
      });
    };
    await failing(11);
    clock.pass(5 * DAY_MS);
    receiver.behave(answers(200));
    await ticket(service);
    await delivery(service, id, { state: 'delivered' });
    receiver.behave(answers(500));
    await failing(9);
    clock.pass(5 * DAY_MS);
    expect(await active()).toBe(true);
    await failing(1);
    await until('the webhook to be switched off', async () => !(await active()));
  });

  it('an endpoint that never answers does not delay others', async () => {
    const service = await startTestService(UNANSWERED);
    const dead = await startReceiver(() => undefined);
    const healthy = await startReceiver();
    await register(service, dead.url, { eventTypes: ['Ticket'] });
    await register(service, healthy.url, { eventTypes: ['Ticket'] });
    await Promise.all(Array.from({ length: 40 }, () => ticket(service)));
    await healthy.received(40);
    expect(dead.calls.length).toBeLessThanOrEqual(4);
    dead.hangUp();
    dead.behave(answers(200));
  });

  it('eleven endpoints that never answer delay neither chat nor another webhook', async () => {
    const service = await startTestService(UNANSWERED);
    const dead = await Promise.all(Array.from({ length: 11 }, () => startReceiver(() => undefined)));
    const [chat, healthy] = [await startReceiver(), await startReceiver()];
    await register(service, healthy.url, { eventTypes: ['Ticket'] });
    await ticket(service);
    await healthy.received(1);
    for (const { url } of dead) await register(service, url, { eventTypes: ['Ticket'] });
    await register(service, chat.url, { eventTypes: ['Ticket'], servesChat: true });
    await Promise.all(Array.from({ length: 40 }, () => ticket(service)));
    await Promise.all([chat.received(40), healthy.received(41)]);
    expect(dead.reduce((sum, { calls }) => sum + calls.length, 0)).toBeLessThanOrEqual(12);
    for (const one of dead) {
      one.behave(answers(410));
      one.hangUp();
    }
  });

  it('one key makes twenty webhooks, and twenty that serve chat, also of those that it has', async () => {
    const { call, key } = await newWorkspace();
    const token = await key('agent');
    const make = (more = {}, by = token) =>
      call('POST', '/webhooks', { token: by, body: { url: 'https://hooks.example/x', ...more } });
    const statuses = async (more = {}) =>
      (await Promise.all(Array.from({ length: 22 }, () => make(more))))
        .map(({ status }) => status)
        .toSorted();
    const twenty = [...Array.from({ length: 20 }, () => 200), 422, 422];
    expect(await statuses()).toEqual(twenty);
    expect(await statuses({ servesChat: true })).toEqual(twenty);
    const { items } = (await call('GET', '/webhooks', { token })).body as unknown as {
      items: { id: string; servesChat: boolean }[];
    };
    const ordinary = items.find(({ servesChat }) => !servesChat);
    const marked = await call('PUT', `/webhooks/${ordinary?.id}`, { token, body: { servesChat: true } });
    expect(marked.status).toBe(422);
    expect((await make({}, await key('agent'))).status).toBe(200);
  });

  it('a private address is rejected on registration, unless it is the bridge’s own endpoint', async () => {
    const service = await startTestService({ allowPrivateWebhooks: false });
    const receiver = await startReceiver();
    const post = (url: string) => service.call('POST', '/webhooks', { body: { url } });
    for (const url of [
      receiver.url,
      'http://[::1]/',
      'http://0x7f.1/',
      'http://169.254.169.254/latest/meta-data',
    ])
      expect([url, (await post(url)).status]).toEqual([url, 422]);
    for (const url of ['ftp://example.com/', 'receiver', ''])
      expect([url, (await post(url)).status]).toEqual([url, 400]);
    service.service.exemptWebhookUrl(receiver.url);
    const id = await register(service, receiver.url);
    expect((await service.call('PUT', `/webhooks/${id}`, { body: { url: `${receiver.url}2` } })).status).toBe(
      422,
    );
    const named = await register(service, receiver.url.replace('127.0.0.1', 'localhost'));
    await ticket(service);
    await receiver.received(1);
    const refused = await delivery(service, named, { attemptCount: 1 });
    expect(refused.attempts[0]).toMatchObject({ status: null, error: 'the name has no public address' });
    expect(receiver.calls).toHaveLength(1);
  });
});

describe('a write and its event', () => {
  it('both events of one write are sent to every subscribed webhook, each with one id', async () => {
    const service = await newWorkspace();
    const [all, messages] = [await startReceiver(), await startReceiver()];
    await register(service, all.url);
    await register(service, messages.url, { eventTypes: ['Message'] });
    const user = async (firstName: string) =>
      (await service.call('POST', '/users', { body: { firstName, email: `${firstName}@acme.example` } })).body
        .id;
    const requesterId = await user('ada');
    const { id: ticketId } = (await ticket(service, { requesterId })).body;
    const reply = { ticketId, content: 'The first', authorId: await user('bob') };
    await service.call('POST', '/ticket-messages', { body: reply });
    await messages.received(1);
    const told = (await all.received(3)).map(eventOf);
    expect(told.map(({ type, action }) => `${type} ${action}`).sort()).toEqual([
      'Message created',
      'Ticket created',
      'Ticket updated',
    ]);
    expect(messages.calls.map((call) => eventOf(call).id)).toEqual(
      told.filter(({ type }) => type === 'Message').map(({ id }) => id),
    );
  });

  it('are both stored or neither', async () => {
    const service = await newWorkspace();
    const { db } = openTables(service);
    const receiver = await startReceiver();
    await register(service, receiver.url);
    const delivered = db.schema.withSchema('service');
    await delivered.alterTable('delivery').renameTo('delivery_gone').execute();
    expect((await ticket(service)).status).toBe(500);
    expect((await service.call('GET', '/tickets')).body.totalCount).toBe(0);
    await delivered.alterTable('delivery_gone').renameTo('delivery').execute();
    expect((await ticket(service)).body.number).toBe(1);
    await receiver.received(1);
  });
});

describe('webhooks', () => {
  it('an agent’s key reads and changes its own webhooks, an admin’s all; lists never show a secret', async () => {
    const service = await newWorkspace();
    const [agent, other] = [await service.key('agent'), await service.key('agent')];
    const secret = 'a secret worth its name';
    const url = 'https://receiver.example/hook';
    const made = await service.call('POST', '/webhooks', { token: agent, body: { url, secret } });
    expect(made.body).toMatchObject({ secret, active: true, eventTypes: ['Ticket', 'Message'] });
    const path = `/webhooks/${made.body.id}`;
    expect((await service.call('GET', path, { token: agent })).body.secret).toBe(secret);
    expect((await service.call('GET', path)).body.secret).toBe(secret);
    for (const [method, at] of [
      ['GET', path],
      ['PUT', path],
      ['DELETE', path],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/ping`],
    ] as const)
      expect(
        (await service.call(method, at, { token: other, ...(method === 'PUT' && { body: {} }) })).status,
      ).toBe(404);
    const listed = async (token: string) =>
      (await service.call('GET', '/webhooks', { token })).body.items.map((item) => item.secret);
    expect(await Promise.all([listed(agent), listed(other), listed(service.token)])).toEqual([
      [null],
      [],
      [null],
    ]);
    const short = await service.call('POST', '/webhooks', { body: { url, secret: 'short' } });
    const none = await service.call('POST', '/webhooks', { body: { url, eventTypes: [] } });
    expect([short.status, none.status]).toEqual([400, 400]);
    expect(JSON.stringify(service.lines)).not.toContain(secret);
  });
});

describe('stopping', () => {
  it('does not wait for an endpoint that never answers, and an interrupted attempt is not a failure', async () => {
    const service = await startTestService();
    const receiver = await startReceiver(() => undefined);
    const id = await register(service, receiver.url);
    await ticket(service);
    await receiver.received(1);
    const before = performance.now();
    await service.stop();
    expect(performance.now() - before).toBeLessThan(9_000);
    receiver.behave(answers(200));
    const again = await startTestService({ databaseUrl: service.databaseUrl });
    const { attempts } = await delivery(again, id, { state: 'delivered' });
    expect(attempts.map(({ status }) => status)).toEqual([200]);
    expect(receiver.calls).toHaveLength(2);
  });
});

it('waiting deliveries to a private address of our own are made once the work starts, and not rejected while the service opens', async () => {
  const receiver = await startReceiver(answers(200));
  const first = await startTestService({ begins: new Promise(() => undefined) });
  await first.call('POST', '/webhooks', { body: { url: receiver.url, eventTypes: ['Ticket'] } });
  await first.call('POST', '/tickets', { body: { title: 'T' } });
  await first.stop();
  expect(receiver.calls).toEqual([]);
  const begins = Promise.withResolvers<undefined>();
  const { databaseUrl } = first;
  const second = await startTestService({ databaseUrl, allowPrivateWebhooks: false, begins: begins.promise });
  second.service.exemptWebhookUrl(receiver.url);
  begins.resolve(undefined);
  await until('the delivery', async () => receiver.calls.length > 0);
  expect(second.lines.filter(({ msg }) => /not public/.test(msg))).toEqual([]);
});
