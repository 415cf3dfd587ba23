import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { EVENTS_PATH } from '../../src/bridge/index.ts';
import { errorEnvelope } from '../../src/contract/index.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertHistory } from '../harness/history-of.ts';
import { postSigned } from '../harness/signed-event.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';
import { serviceDatabase, startTestService } from '../service/harness.ts';
import { startReceiver } from '../service/receiver.ts';
import { startDatabaseProxy } from './harness/database-proxy.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

/**
 * An option of the database URL that an operator may set; short here, so that the test does not wait half a
 * minute.
 */
const IMPATIENT = '&query_timeout=4000';
const TICKET = { title: 'T' };
const SECRET = 'a-webhook-secret-of-the-tests';

async function behindProxy(): Promise<{
  proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
  service: Awaited<ReturnType<typeof startTestService>>;
}> {
  const proxy = await startDatabaseProxy(await serviceDatabase());
  const service = await startTestService({ databaseUrl: `${proxy.url}${IMPATIENT}`, poolSize: 4 });
  return { proxy, service };
}

describe('F3 database failures', () => {
  test.each(['silence', 'cut', 'forget'] as const)(
    'F3 during %s, requests get 503 in the error envelope, and writes and single deliveries continue afterwards without a restart',
    async (how) => {
      const { proxy, service } = await behindProxy();
      const receiver = await startReceiver();
      await service.call('POST', '/webhooks', { body: { url: receiver.url } });
      await service.call('POST', '/tickets', { body: TICKET });
      await receiver.received(1);
      proxy[how]();
      if (how !== 'forget') {
        const away = await Promise.all(
          Array.from({ length: 8 }, () => service.call('POST', '/tickets', { body: TICKET })),
        );
        for (const { status, body } of away)
          expect([status, errorEnvelope.parse(body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
        proxy.restore();
      }
      const made = await until('a write to go through', async () => {
        const { status, body } = await service.call('POST', '/tickets', { body: TICKET });
        return status === 200 ? body : undefined;
      });
      const told = () =>
        receiver.calls.map(({ body }) => (JSON.parse(body) as { ticket: { id: string } }).ticket.id);
      await until('its event to be delivered', async () => told().includes(made.id));
      const { items } = (await service.call('GET', '/tickets')).body;
      await until('all events', async () => new Set(told()).size === items.length);
      expect(new Set(told())).toEqual(new Set(items.map(({ id }) => id)));
      // After the recovery, no request waits for a dead connection.
      const answers = await Promise.all(Array.from({ length: 8 }, () => service.call('GET', '/queues')));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    },
  );

  test('F3 without a free connection, requests get 503 in time, and succeed once there is one', async () => {
    const service = await startTestService({ poolSize: 2, connectionWaitMs: 5_000 });
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('begin; lock table service.ticket in access exclusive mode');
    const blocked = Array.from({ length: 2 }, () => service.call('POST', '/tickets', { body: TICKET }));
    // Only when both connections of the pool wait for the lock: an earlier request could still get one.
    await until('both connections to be held', async () => {
      const { rows } = await holder.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === 2;
    });
    const turned = await service.call('GET', '/queues');
    expect([turned.status, errorEnvelope.parse(turned.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await holder.query('rollback');
    expect((await Promise.all(blocked)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await service.call('GET', '/queues')).status).toBe(200);
  });
});

test('F3 a bridge whose database is silent or cut acknowledges nothing, neither to Slack within three seconds nor to the service, and processes the repeated deliveries', async () => {
  const { url } = await createTestDatabase('world');
  const base = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true', DATABASE_URL: url }, [
    'service',
    '--demo',
  ]);
  const sandbox = await base.startAlongside(['sandbox']);
  const proxy = await startDatabaseProxy(url);
  const bridge = await base.startAlongside(['bridge'], {
    DATABASE_URL: `${proxy.url}${IMPATIENT}`,
    ...bridgeSettings(sandbox.urls.sandbox, 'http'),
    SERVICE_WEBHOOK_SECRET: SECRET,
    RECONCILE_EVERY_SECONDS: '3600',
  });
  const { chat } = sandbox;
  await chat.post('app', { requestUrl: `${bridge.urls.root}${EVENTS_PATH}` });
  const { bot } = await chat.state();
  const root = await chat.say('it-help', 'ada', `<@${bot}> the printer is on fire`);
  const ticket = await ticketAt(base.service, root.ts);
  await until('the card', async () =>
    (await chat.thread('it-help', root.ts)).find((message) => message.bot_id),
  );
  const [webhook] = (await base.service.listWebhooks({})).items;
  let hints = 0;
  const hint = () => {
    const event = { type: 'ticket.updated', ticket: { id: ticket.id } };
    return postSigned(webhook?.url ?? '', { id: `evt_hint_${++hints}`, secret: SECRET, event });
  };
  const words: string[] = [];
  for (const how of ['silence', 'cut'] as const) {
    const logged = bridge.log.length;
    proxy[how]();
    const content = `still burning, ${how}`;
    words.push(content);
    await chat.say('it-help', 'ada', content, root.ts);
    const requests = () => bridge.log.slice(logged).filter(({ route }) => route === EVENTS_PATH);
    const refusals = () => requests().filter(({ status }) => status === 503);
    // The first attempt and the immediate retry; the next is due after a minute.
    await until('chat to be refused twice', async () => refusals().length >= 2);
    for (const refusal of refusals()) expect(refusal['ms']).toBeLessThan(3_000);
    const refused = await hint();
    expect([refused.status, errorEnvelope.parse(refused.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    proxy.restore();
    await chat.repeatAll();
    const contents = async () =>
      (await base.service.listTicketMessages({ query: { ticketId: ticket.id } })).items.map(
        (message) => message.content,
      );
    // Well before the leases of jobs whose claim or end was lost with the database have expired.
    await until('the message on the ticket', async () => (await contents()).includes(content), {
      withinMs: 40_000,
      seen: contents,
    });
    expect(await contents()).toEqual(words);
    expect((await hint()).status).toBe(200);
  }
  await base.untilBridgeIdle();
  await assertHistory({ ...base, chat });
});
