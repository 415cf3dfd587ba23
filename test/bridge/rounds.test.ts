import { expect, test } from 'vitest';
import { z } from 'zod';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { PARTS } from '../../src/bridge/features/index.ts';
import { FailingWork } from '../../src/bridge/inbox/failing-work.ts';
import type { Reconciler } from '../../src/bridge/reconcile/reconciler.ts';
import { handleRounds, scheduleReconcile } from '../../src/bridge/reconcile/rounds.ts';
import type { ChatWriter } from '../../src/bridge/slack/writer.ts';
import { EVENT, workFor, workKind } from '../../src/bridge/work.ts';
import { registerParts } from '../../src/bridge/workspace.ts';
import { GiveUp } from '../../src/platform/engine/index.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';

const SECOND_MS = 1_000;
const ROUNDS = [
  'chat-requests',
  'reconcile channels',
  'reconcile service',
  'reconcile threads',
  'remind scan',
  'remind tell',
  'remind warn',
  'sweep',
  'watch-queues',
];

const nameOf = ({ kind, body }: { kind: string; body: unknown }) =>
  [kind, ...Object.values(body as Record<string, string>)].join(' ');

/** Every round that begins with a bridge, none of which can be done: each is given up. */
async function failingRounds() {
  const { database } = await bridgeDatabase(4);
  const { db } = database;
  const engine = bridgeEngine(database);
  const known = {
    engine,
    bot: { team: 'T1' },
    channels: {
      keptMs: 60 * SECOND_MS,
      workspaceIds: () => Promise.reject(new GiveUp('the service refuses it')),
    },
    clock: { now: () => new Date('2026-01-01T10:00:00.000Z') },
    erased: { last: 0 },
    failing: new FailingWork(),
  };
  const bridge = new Proxy(known, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name) as unknown;
      throw new GiveUp(`there is no ${String(name)}`);
    },
  }) as unknown as Bridge;
  registerParts(bridge, { markAfterMs: 60 * SECOND_MS }, {} as ChatWriter);
  handleRounds({
    bridge,
    settings: { everyMs: 60 * SECOND_MS, settleMs: 0, readsPerMinute: 20, retentionDays: 90 },
    keepWebhook: () => Promise.reject(new GiveUp('the service refuses the webhook')),
  } as unknown as Reconciler);
  engine.handle(EVENT, { work: async () => ({ outcome: 'left out' }) });
  for (const { begin } of PARTS) await begin?.(bridge);
  await scheduleReconcile(bridge);
  const rows = async (which: 'waiting' | 'dead') =>
    db
      .selectFrom('work')
      .selectAll()
      .where('done_at', 'is', null)
      .where('dead_at', which === 'dead' ? 'is not' : 'is', null)
      .execute();
  const names = async (which: 'waiting' | 'dead') => (await rows(which)).map(nameOf).toSorted();
  /** Does all of them that wait, as if their time had come. */
  const runAll = async () => {
    await engine.dueNow();
    await engine.settled();
  };
  return { engine, rows, names, runAll };
}

test('every round that begins with the bridge comes again at its time after it was given up, and is one dead letter however often it fails', async () => {
  const { engine, rows, names, runAll } = await failingRounds();
  expect(await names('waiting')).toEqual(ROUNDS);
  const begun = Date.now();
  await engine.start();
  await engine.settled();
  for (let time = 1; time <= 3; time++) {
    expect(await names('dead'), `after time ${time}`).toEqual(ROUNDS);
    expect(await names('waiting'), `after time ${time}`).toEqual(ROUNDS);
    if (time < 3) await runAll();
  }
  // Not at once: a round that always fails must not be the only thing that is done.
  const early = (await rows('waiting')).filter(
    ({ not_before }) => not_before.getTime() < begun + 4 * SECOND_MS,
  );
  expect(early.map(nameOf)).toEqual([]);
});

test('a further page of chat requests that is given up is followed by the next round', async () => {
  const { engine, names } = await failingRounds();
  const page = workKind('chat-requests-page', 'reminder', z.unknown());
  await engine.add(workFor(page, 'chat-requests', { workspace: 'wsp_1', cursor: 'old' }));
  await engine.start();
  await engine.settled();
  expect(await names('dead')).toContain('chat-requests-page wsp_1 old');
  expect((await names('waiting')).filter((name) => name.startsWith('chat-requests'))).toEqual([
    'chat-requests',
  ]);
});

test('a dead letter of a round that is tried again by hand plans no second round', async () => {
  const { engine, names } = await failingRounds();
  await engine.start();
  await engine.settled();
  expect(await engine.retryDeadLetters('all')).toBe(ROUNDS.length);
  await engine.settled();
  expect(await names('waiting')).toEqual(ROUNDS);
});
