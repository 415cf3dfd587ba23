import { expect, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { checkService } from '../../src/bridge/health/check-service.ts';
import { type Change, notifyAdmins } from '../../src/bridge/health/watch.ts';
import { FailingWork } from '../../src/bridge/inbox/failing-work.ts';
import type { Reconciler } from '../../src/bridge/reconcile/reconciler.ts';
import { keepWebhook, webhookRefusal } from '../../src/bridge/entry/webhook.ts';
import { AnsweredError } from '../../src/client/index.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';
import { runRounds } from './reconcile/run-rounds.ts';

const log = createLog({ level: 'silent', pretty: false });
const bot = { team: 'T1' };

test('B50 tickets of a service that rejects the webhook are still compared, and the doctor says why no events arrive', async () => {
  const { database } = await bridgeDatabase(3);
  const refused = () =>
    Promise.reject(
      new AnsweredError(
        'PUT /webhooks/{id}',
        422,
        { code: null, issues: [], conflict: null, requestId: null, message: null },
        undefined,
      ),
    );
  let takes = false;
  const hook = { id: 'whk_1', url: 'https://elsewhere.example', active: false };
  let scans = 0;
  const scan = async function* (list: string) {
    if (list !== 'listUsers') scans++;
    yield* [];
  };
  const take = () => (takes ? Promise.resolve(hook) : refused());
  const service = {
    listWebhooks: () => Promise.resolve({ items: [hook] }),
    updateWebhook: take,
    createWebhook: take,
    all: scan,
  };
  const channels = { workspaceIds: () => Promise.resolve(['wsp_1']) };
  const bridge = {
    database,
    engine: bridgeEngine(database),
    service,
    channels,
    bot,
    clock,
    log,
    webhook: { id: undefined },
    erased: { last: 0 },
    failing: new FailingWork(),
  } as unknown as Bridge;
  const keep = () => keepWebhook(bridge, 'https://desk.example/webhooks/service/x', 'secret');
  const reconciler: Reconciler = {
    bridge,
    settings: { everyMs: 60_000, settleMs: 0, readsPerMinute: 20, retentionDays: 90 },
    settle: () => Promise.resolve(),
    beforeRead: () => Promise.resolve(),
    keepWebhook: keep,
    completeThreads: new Map(),
  };
  const work = await runRounds(reconciler, 'service');
  const outcomes = async () =>
    (await database.db.selectFrom('work').select('outcome').where('done_at', 'is not', null).execute()).map(
      ({ outcome }) => outcome,
    );

  // The first round only stores the time from which the next one compares.
  await work();
  await work();
  expect([await outcomes(), scans]).toEqual([['found 0', 'found 0'], 2]);
  const refusal = await webhookRefusal(database.db);
  expect(refusal).toContain('422');
  const findings = checkService({
    facts: { workspaces: [], mayWork: true, webhook: { ...hook, eventTypes: [] }, skewMs: 0 },
    serviceUrl: 'https://service.example/api',
    publicUrl: 'https://desk.example',
    webhookUrl: 'https://desk.example/webhooks/service/x',
    refusal,
    ping: 'not asked',
  });
  const told = findings.find(({ id }) => id === 'service.webhook');
  expect(told?.state).toBe('bad');
  expect(told?.says).toContain('422');

  takes = true;
  await work();
  expect(await webhookRefusal(database.db)).toBeUndefined();
});

test('a failure and its recovery are posted to admins in that order, however long the first post waits', async () => {
  const { database } = await bridgeDatabase(3);
  const engine = bridgeEngine(database);
  let ids = 0;
  const newId = (prefix: string) => `${prefix}_${++ids}`;
  const change = (became: Change['became']): Change => ({
    became,
    finding: { id: 'x', state: 'ok', says: became },
  });
  for (const became of ['bad', 'well'] as const)
    await engine.transaction((tx) =>
      notifyAdmins(tx, { bot: bot as Bridge['bot'], newId, clock }, 'C1', [change(became)]),
    );
  const posts = await database.db.selectFrom('work').select(['lane', 'body']).orderBy('id').execute();
  expect(new Set(posts.map(({ lane }) => lane)).size).toBe(1);
  expect(posts.map(({ body }) => body)).toEqual([{ outbox: 'out_1' }, { outbox: 'out_2' }]);
});
