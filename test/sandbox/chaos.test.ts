import { expect, test } from 'vitest';

import { talkThroughChaos } from './chaos-run.ts';
import { HELP, openSandbox, SEED } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';

/** The outcome of each of the first calls of one method. */
async function fates(seed: number, calls: number): Promise<string[]> {
  const sandbox = await openSandbox();
  sandbox.control.clock({ speed: 1_000 });
  sandbox.control.chaos({ seed, intensity: 0.8 });
  for (let call = 0; call < calls; call += 1)
    await fetch(`${sandbox.apiUrl}auth.test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SEED.app.botToken}` },
    })
      .then((answer) => answer.text())
      .catch(() => undefined);
  const refused = sandbox.control.log(2_000).filter(({ kind }) => kind === 'fault' || kind === 'api_call');
  return refused.map((entry) =>
    entry.kind === 'fault' ? entry.fault : entry.kind === 'api_call' ? String(entry.ok) : '',
  );
}

test('the same seed makes the same faults, another seed other faults', async () => {
  const [first, again, other] = [await fates(42, 60), await fates(42, 60), await fates(43, 60)];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(new Set(first).size).toBeGreaterThan(6);
});

test('with faults at the highest rate, a call still succeeds before long, and every event reaches the app', () =>
  // A short run: after a cut the client reconnects 5, 10 and 15 s later. Longer runs are drills.
  talkThroughChaos(8));

test('an event whose connection broke does not lose its acknowledgement as well', async () => {
  const sandbox = await openSandbox();
  const [left, right] = [await rawSocket(sandbox), await rawSocket(sandbox)];
  // With this seed the first event loses its acknowledgement.
  sandbox.control.chaos({ seed: 3, intensity: 1 });
  const since = sandbox.control.mark();
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'hello' });
  expect(sandbox.control.listFaults().chaos?.did).toEqual({ ack_lost: 1 });
  const reached = await Promise.race([left, right].map((each) => each.envelopes.first(1).then(() => each)));
  reached.cut();
  const other = reached === left ? right : left;
  const [again] = await other.envelopes.first(1);
  expect(again?.retry_attempt).toBe(1);
  if (again) other.ack(again);
  await sandbox.control.waitFor('ack', () => true, { since });
});

test('clearing the faults stops random faults, and the log has their start, end and counts', async () => {
  const sandbox = await openSandbox();
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${sandbox.url}/_control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await post('chaos', { seed: 7, intensity: 1 })).toMatchObject({ body: { seed: 7, intensity: 1 } });
  for (let n = 1; n <= 30; n += 1)
    await sandbox.control.message({ channel: 'it-help', user: 'ada', text: `message ${n}` });
  expect((await post('clear-faults', {})).status).toBe(200);
  expect(sandbox.control.listFaults()).toEqual({ faults: [], events: [], chaos: null, held: 0 });
  const log = sandbox.control.log(2_000);
  expect(log.filter(({ kind }) => kind === 'chaos')).toMatchObject([
    { what: 'on', seed: 7 },
    {
      what: 'off',
      seed: 7,
      did: expect.objectContaining({ duplicate: expect.any(Number) as number }) as object,
    },
  ]);
  expect(log.filter(({ kind }) => kind === 'fault').length).toBeGreaterThan(5);
  const since = sandbox.control.mark();
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'peace' });
  expect(sandbox.control.log().filter(({ kind, seq }) => kind === 'fault' && seq > since)).toEqual([]);
  expect((await post('chaos', { seed: -1 })).status).toBe(400);
});

test('random faults drop no event unless drops are enabled', async () => {
  const sandbox = await openSandbox();
  const dropped = async (drops: boolean) => {
    sandbox.control.chaos({ seed: 11, intensity: 1, drops });
    for (let n = 1; n <= 60; n += 1)
      await sandbox.control.message({ channel: HELP, user: 'ada', text: `message ${n}` });
    const did = sandbox.control.listFaults().chaos?.did ?? {};
    sandbox.control.clearFaults();
    return did['drop'] ?? 0;
  };
  expect(await dropped(false)).toBe(0);
  expect(await dropped(true)).toBeGreaterThan(0);
});
