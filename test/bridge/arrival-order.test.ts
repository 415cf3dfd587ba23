import fastify from 'fastify';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import { parseChatEvent } from '../../src/bridge/slack/chat-event.ts';
import { HttpReceiver } from '../../src/bridge/slack/http-receiver.ts';
import type { Intake } from '../../src/bridge/slack/receiver.ts';
import { SocketReceiver } from '../../src/bridge/slack/socket-receiver.ts';
import { createInbox } from '../../src/bridge/inbox/store.ts';
import { inArrivalOrder } from '../../src/bridge/installations/arrival-order.ts';
import { createBridgeMetrics } from '../../src/bridge/metrics.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { signSlack } from '../../src/platform/signatures.ts';
import { EVENTS_PATH } from '../../src/bridge/paths.ts';
import { envelopes } from '../harness/envelopes.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';
import { until } from '../harness/until.ts';
import { openSandbox } from '../sandbox/open-sandbox.ts';
import { SEED } from '../sandbox/seed.ts';

const log = createLog({ level: 'silent', pretty: false });
const REPLIES = 200;
const THREADS = 4;

/** An intake that stores in a real database, with two orders by thread: of arrival, and of the work. */
async function openIntake() {
  const { database } = await bridgeDatabase(8);
  let made = 0;
  const newId = (prefix: string) => `${prefix}_${++made}`;
  const inbox = createInbox({
    engine: bridgeEngine(database),
    clock: systemClock,
    newId,
    envelopes,
    planCheck: async () => undefined,
  });
  const arrived: { root: string; ts: string }[] = [];
  const intake: Intake = async (body) => {
    const event = parseChatEvent(body);
    // On a slow machine chat repeats some of them.
    const isKnown = arrived.some(({ ts }) => event?.kind === 'message' && event.message.ts === ts);
    if (event?.kind === 'message' && event.message.ts !== event.message.root && !isKnown)
      arrived.push({ root: event.message.root, ts: event.message.ts });
    if (event) await inbox.chat({ body, event });
    return undefined;
  };
  const byThread = (replies: readonly { root: string; ts: string }[]) =>
    Object.fromEntries(
      [...Map.groupBy(replies, ({ root }) => root)].map(([root, of]) => [root, of.map(({ ts }) => ts)]),
    );
  return {
    intake,
    arrived: () => byThread(arrived),
    stored: async () => {
      const { rows } = await sql<{ root: string; event_key: string }>`
        select thread_ts as root, inbox.event_key from work
          join conversation on lane = 'conversation:' || conversation.id
          join inbox on inbox.id = work.body ->> 'inbox' and inbox.conversation_id = conversation.id
        order by work.id`.execute(database.db);
      return byThread(
        rows
          .map(({ root, event_key }) => ({ root, ts: event_key.split(':')[3] ?? '' }))
          .filter(({ root, ts }) => root !== ts),
      );
    },
  };
}

const parts = () => ({
  reconnected: () => undefined,
  log,
  metrics: createBridgeMetrics(createRegistry()),
});

test('B66 the replies of a burst by HTTP are processed in the order of arrival in each thread', async () => {
  const { intake, arrived, stored } = await openIntake();
  const signingSecret = 'a-signing-secret-of-the-tests';
  const receiver = new HttpReceiver({ ...parts(), signingSecret, intake, clock: systemClock });
  const app = fastify();
  await app.register(receiver.plugin);
  onTestFinished(() => app.close());
  const post = async (n: number) => {
    const event = {
      type: 'message',
      channel: 'C1',
      user: 'U1',
      text: `reply ${n}`,
      ts: `1700000100.${String(n).padStart(6, '0')}`,
      thread_ts: `1700000000.00000${n % THREADS}`,
    };
    const payload = JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id: `Ev${n}`, event });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signSlack(timestamp, Buffer.from(payload), signingSecret),
    };
    await app.inject({ method: 'POST', url: EVENTS_PATH, headers, payload });
  };
  await Promise.all(Array.from({ length: REPLIES }, (_, n) => post(n)));
  await receiver.stop();
  const order = arrived();
  expect(Object.values(order).flat()).toHaveLength(REPLIES);
  expect(await stored()).toEqual(order);
});

test('B66 the replies of a burst by Socket Mode are processed in the order of arrival in each thread', async () => {
  const { intake, arrived, stored } = await openIntake();
  const sandbox = await openSandbox();
  const receiver = new SocketReceiver({
    ...parts(),
    appToken: SEED.app.appToken,
    apiUrl: sandbox.apiUrl,
    intake,
  });
  onTestFinished(() => receiver.stop());
  await receiver.start();
  const roots: string[] = [];
  for (let n = 0; n < THREADS; n++) {
    const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'a thread' });
    roots.push(message.ts);
  }
  const reply = (n: number) =>
    sandbox.control.message({
      channel: 'it-help',
      user: 'ada',
      text: `reply ${n}`,
      thread_ts: roots[n % THREADS] ?? '',
    });
  await Promise.all(Array.from({ length: REPLIES }, (_, n) => reply(n)));
  await until('everything to be acknowledged', async () => sandbox.control.state().undelivered === 0, {});
  const order = arrived();
  expect(Object.values(order).flat()).toHaveLength(REPLIES);
  expect(await stored()).toEqual(order);
});

test('B66 the events of a thread keep their order while their workspace is looked up; one that fails and other threads do not hold them up', async () => {
  const inOrder = inArrivalOrder<undefined>();
  const handed: string[] = [];
  const stored = Promise.withResolvers<undefined>();
  const found = [1, 2, 3, 4].map(() => Promise.withResolvers<undefined>());
  const arrive = (n: number, thread: string) =>
    inOrder({ event: { channel: 'C1', ts: `${n}.1`, thread_ts: thread } }, async () => {
      await found[n - 1]?.promise;
      return async () => {
        handed.push(`${thread} ${n}`);
        return stored.promise;
      };
    });
  const all = [arrive(1, '0.1'), arrive(2, '0.1'), arrive(3, '0.1'), arrive(4, '0.2')];
  const outcomes = Promise.allSettled(all);
  found[3]?.resolve(undefined);
  await expect.poll(() => handed).toEqual(['0.2 4']);
  found[2]?.resolve(undefined);
  found[1]?.reject(new Error('not served yet'));
  found[0]?.resolve(undefined);
  await expect.poll(() => handed).toEqual(['0.2 4', '0.1 1', '0.1 3']);
  stored.resolve(undefined);
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});

test.each([
  {
    where: 'of one thread',
    messages: [1, 2].map((n) => ({ channel: 'C1', ts: `2.00000${n}`, thread_ts: '1.000000' })),
  },
  {
    where: 'of a direct conversation (B8)',
    messages: [1, 2].map((n) => ({ channel: 'D1', ts: `2.00000${n}` })),
  },
])(
  'B66 messages $where keep their order when the workspace lookup takes longer for the first',
  async ({ messages }) => {
    const inOrder = inArrivalOrder<undefined>();
    const handed: string[] = [];
    const later = Promise.withResolvers<undefined>();
    const handling = messages.map((event, n) =>
      inOrder({ event }, async () => {
        if (n === 0) await later.promise;
        return async () => void handed.push(event.ts);
      }),
    );
    // Without the ordering, the second would be handed over by now.
    await new Promise(setImmediate);
    later.resolve(undefined);
    await Promise.all(handling);
    expect(handed).toEqual(messages.map(({ ts }) => ts));
  },
);
