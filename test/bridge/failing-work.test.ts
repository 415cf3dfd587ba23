import { expect, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { FailingWork } from '../../src/bridge/inbox/failing-work.ts';
import type { Reconciler } from '../../src/bridge/reconcile/reconciler.ts';
import { handleRounds } from '../../src/bridge/reconcile/rounds.ts';
import { ChatError } from '../../src/bridge/slack/errors.ts';
import type { ChatWriter } from '../../src/bridge/slack/writer.ts';
import { type BridgeEngine, laneOf, MIRROR, workFor, type WorkKind } from '../../src/bridge/work.ts';
import { registerEvents, registerParts } from '../../src/bridge/workspace.ts';
import { AnsweredError, ProxyError, UnreachableError, UnreadableError } from '../../src/client/index.ts';
import { GiveUp, newWork, RetryLater } from '../../src/platform/engine/index.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';

const POSTS_ARE_TRIED = 12;

const answered = (status: number, operation = 'POST /ticket-messages') =>
  new AnsweredError(
    operation,
    status,
    { code: null, message: null, issues: [], conflict: null, requestId: null },
    undefined,
  );

interface Facts {
  error: Error;
  /** How often it fails in a row. */
  tries: number;
  /** What the service does for others between two of these tries. */
  others: string[];
  /** Before this many of the tries it does that. */
  times: number;
  /** What the service does for the work itself before it fails at it. */
  own: string[];
}

const doneOf = (operation: string) => ({ operation, writes: !operation.startsWith('GET ') });

/** Returns what becomes of work at the last of its tries. */
async function outcomeOf({ error, tries, others, times, own }: Facts): Promise<unknown> {
  const failing = new FailingWork();
  let outcome: unknown;
  for (let time = 1; time <= tries; time++) {
    if (time > 1 && time <= times + 1)
      for (const operation of others)
        await failing.limit({ id: 2 }, async () => {
          failing.recordDone(doneOf(operation));
          return { outcome: 'done' };
        });
    outcome = await failing
      .limit({ id: 1 }, async () => {
        for (const operation of own) failing.recordDone(doneOf(operation));
        throw error;
      })
      .catch((thrown: unknown) => thrown);
    if (time < tries) expect(outcome).toBe(error);
  }
  return outcome;
}

const REPLY = 'POST /ticket-messages';
const OPENING = 'POST /tickets';
const EDIT = 'PATCH /ticket-messages/{id}';
const READ = 'GET /tickets/{id}';

test.each<[string, Partial<Facts>, boolean]>([
  ['the service fails at it, and takes replies to other tickets', {}, true],
  [
    'also if what is thrown names the answer as its cause',
    { error: new RetryLater('the ticket cannot be read', { cause: answered(500) }) },
    true,
  ],
  ['it was tried less often than a post', { tries: POSTS_ARE_TRIED - 1 }, false],
  ['nothing else is done: the service may be down', { others: [], tries: 50 }, false],
  ['only once something was done: it may have been chance', { times: 1, tries: 50 }, false],
  ['only what it does itself succeeds', { others: [], own: [REPLY], tries: 50 }, false],
  ['it is a reply, and others are only read', { others: [READ] }, false],
  [
    'it is to open a ticket, and others are opened',
    { error: answered(500, OPENING), others: [OPENING] },
    true,
  ],
  ['it is to open a ticket, and only replies cross', { error: answered(500, OPENING) }, false],
  ['it is a reply, and only tickets are opened', { others: [OPENING] }, false],
  [
    'it is a file, and only words cross',
    { error: answered(500, 'POST /ticket-messages/{id}/files'), others: [REPLY, OPENING, READ] },
    false,
  ],
  ['it is an edit, and replies to other tickets cross', { error: answered(500, EDIT) }, true],
  ['it is an edit, and others are only read', { error: answered(500, EDIT), others: [READ] }, false],
  ['it reads a ticket, and others are read', { error: answered(500, READ), others: [READ] }, true],
  ['the service is being repaired', { error: answered(503) }, false],
  ['something in front of the service fails', { error: answered(502) }, false],
  [
    'it is answered as if there were no service, and others are not',
    { error: new ProxyError(REPLY, 404, undefined) },
    true,
  ],
  [
    'all are answered as if there were no service',
    { error: new ProxyError(REPLY, 404, undefined), others: [], tries: 50 },
    false,
  ],
  [
    'something in front of the service lets nobody through',
    { error: new ProxyError(REPLY, 403, undefined) },
    false,
  ],
  [
    'its answer cannot be read, and those of others can',
    { error: new UnreadableError(READ, undefined) },
    true,
  ],
  ['the service is away', { error: new UnreachableError('a call', true, undefined) }, false],
  ['Slack fails', { error: new ChatError('x', { next: 'retry', certain: true }) }, false],
])('B49 work is given up, or not: %s', async (_, facts, isGivenUp) => {
  const failing = { error: answered(500), tries: POSTS_ARE_TRIED, others: [REPLY], times: 100, own: [] };
  const outcome = await outcomeOf({ ...failing, ...facts });
  expect(outcome instanceof GiveUp).toBe(isGivenUp);
  if (facts.error === undefined) expect(outcome).toMatchObject(isGivenUp ? { code: '500' } : {});
});

test('B49 failures of work count while they follow each other without any other error', async () => {
  const failing = new FailingWork();
  for (let time = 1; time <= 3 * POSTS_ARE_TRIED; time++) {
    failing.recordDone(doneOf(REPLY));
    const error = answered(time % POSTS_ARE_TRIED === 0 ? 502 : 500);
    await expect(failing.limit({ id: 1 }, () => Promise.reject(error))).rejects.toBe(error);
  }
});

/** What is stored for work of each kind. */
const BODIES: Record<string, unknown> = {
  event: { inbox: 'inb_1' },
  'personal-event': { inbox: 'inb_2' },
  send: { outbox: 'out_1' },
  mirror: { ticket: 'tkt_1' },
  open: {
    open: { title: 'Lamp', description: 'It is dark', requester: 'U1', private: false },
    conversation: 'cnv_1',
  },
  leave: { link: 'lnk_1' },
  posted: { link: 'lnk_1' },
  carded: { conversation: 'cnv_1' },
  moved: { conversation: 'cnv_1' },
  reacted: { conversation: 'cnv_1', channel: 'C1', ts: '1.0' },
  undelivered: { outbox: 'out_1' },
  notify: { ticket: 'tkt_1' },
  copy: { copies: ['cpy_1'] },
  'copy-large': { copies: ['cpy_1'] },
  promise: { ticket: 'tkt_1' },
  'show-queue': { queue: 'que_1', workspace: 'wsp_1', cursor: null },
  'watch-queues': {},
  sweep: {},
  remind: { do: 'tell' },
  'chat-requests': {},
  'chat-requests-page': { workspace: 'wsp_1', cursor: 'c' },
  'chat-request-report': { request: 'req_1', messageTs: '1.0', error: null },
  reconcile: { part: 'service' },
};

/** Whatever of it is used beside what is known, the service fails at. */
function failingBeside<Known extends object>(known: Known): Known {
  return new Proxy(known, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name) as unknown;
      throw answered(500, READ);
    },
  });
}

/** Work of every kind that a bridge does, each in a lane of its own, at all of which the service fails. */
async function failingKinds() {
  const { database } = await bridgeDatabase(4);
  const engine = bridgeEngine(database);
  const kinds: WorkKind<unknown>[] = [];
  const failing = new FailingWork();
  const bridge = failingBeside({
    engine: {
      handle: ((kind, handler) => {
        kinds.push(kind);
        engine.handle(kind, handler);
      }) satisfies BridgeEngine['handle'],
    },
    failing,
    bot: { team: 'T1' },
    erased: { last: 0 },
    clock: { now: () => new Date('2026-01-01T10:00:00.000Z') },
    hooks: failingBeside({}),
    metrics: failingBeside({}),
    channels: failingBeside({ keptMs: 60_000 }),
  }) as unknown as Bridge;
  registerEvents(bridge, () => Promise.reject(new Error('Bolt is not needed')));
  registerParts(bridge, { markAfterMs: 60_000 }, {} as ChatWriter);
  handleRounds({
    bridge,
    settings: { everyMs: 60_000, settleMs: 0, readsPerMinute: 20, retentionDays: 90 },
    keepWebhook: () => Promise.reject(answered(500, READ)),
  } as unknown as Reconciler);
  await engine.transaction(async (tx) => {
    for (const kind of kinds) tx.plan.add(workFor(kind, `own ${kind.name}`, BODIES[kind.name]));
  });
  await engine.start();
  await engine.settled();
  /** Has everything be tried again. */
  const tryAll = async () => {
    await engine.dueNow();
    await engine.settled();
  };
  const dead = async () => (await engine.deadLetters()).map(({ kind }) => kind).toSorted();
  const waiting = async (lane: string) => {
    const rows = database.db.selectFrom('work').selectAll().where('done_at', 'is', null);
    return rows.where('dead_at', 'is', null).where('lane', '=', lane).execute();
  };
  return { engine, kinds, failing, tryAll, dead, waiting };
}

test('B49 work of every kind at which the service fails for ever becomes a dead letter while it does other work, and its lane goes on', async () => {
  const { engine, kinds, failing, tryAll, dead, waiting } = await failingKinds();
  const names = kinds.map(({ name }) => name).toSorted();
  expect(Object.keys(BODIES).toSorted()).toEqual(names);
  const behind = newWork(MIRROR, 'conversation:own mirror', BODIES['mirror']);
  await engine.add(behind);
  const isBehindTried = async () => (await waiting(behind.lane)).some(({ attempts }) => attempts > 0);
  for (let time = 1; time < 4 * POSTS_ARE_TRIED && !(await isBehindTried()); time++) {
    failing.recordDone(doneOf(READ));
    await tryAll();
  }
  expect(await isBehindTried()).toBe(true);
  for (let time = 1; time < 4 * POSTS_ARE_TRIED && (await waiting(behind.lane)).length > 0; time++) {
    failing.recordDone(doneOf(READ));
    await tryAll();
  }
  // Of two checks that would do the same, and of rounds, the last one stays.
  expect(await dead()).toEqual(names);
  expect(new Set((await engine.deadLetters()).map(({ code }) => code))).toEqual(new Set(['500']));
});

test('B47 nothing is given up while the service fails at everything', async () => {
  const { kinds, tryAll, dead, waiting } = await failingKinds();
  for (let time = 2; time <= 2 * POSTS_ARE_TRIED; time++) await tryAll();
  expect(await dead()).toEqual([]);
  for (const { name, class: ofClass } of kinds) {
    const [first] = await waiting(laneOf(ofClass, `own ${name}`));
    expect(first?.attempts, name).toBeGreaterThanOrEqual(2 * POSTS_ARE_TRIED);
  }
});
