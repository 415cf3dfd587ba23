import { expect, test } from 'vitest';

import { SandboxClock } from '../../src/sandbox/clock.ts';
import { AS_SLACK, HELP, HeldClock, openSandbox, webClient } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';

const say = (text: string) => ({ channel: 'it-help', user: 'ada', text });

test('retries come at once, after one and after five minutes of the clock, and then no more', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  sandbox.control.clock({ speed: 0 });
  const socket = await rawSocket(sandbox);
  await sandbox.control.message(say('is anybody there?'));
  await socket.envelopes.first(1);
  for (const [advance, come] of [
    ['2s', 1],
    ['1s', 2],
    ['3s', 2],
    ['59s', 2],
    ['1s', 3],
    ['3s', 3],
    ['299s', 3],
    ['1s', 4],
  ] as const) {
    sandbox.control.clock({ advance });
    expect((await socket.envelopes.first(come)).length).toBe(come);
    expect(sandbox.control.deliveries().at(-1)?.attempts).toHaveLength(come);
  }
  sandbox.control.clock({ advance: '3s' });
  expect(sandbox.control.deliveries().at(-1)).toMatchObject({ state: 'dropped' });
});

test('a fast clock brings every retry soon', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  const socket = await rawSocket(sandbox);
  sandbox.control.clock({ speed: 1_000 });
  await sandbox.control.message(say('at once'));
  const tries = await socket.envelopes.first(4);
  expect(tries.map(({ retry_attempt }) => retry_attempt)).toEqual([0, 1, 2, 3]);
  await sandbox.control.waitFor('unacked', ({ next }) => next === 'dropped');
});

test('timestamps only increase, even when the clock is set back; a pending acknowledgement does not wait for days', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  const socket = await rawSocket(sandbox);
  const said = async (text: string) => (await sandbox.control.message(say(text))).message.ts;
  const seen = [await said('now')];
  expect(sandbox.control.clock({ advance: '2d' }).ahead).toBeCloseTo(172_800, 0);
  seen.push(await said('the day after tomorrow'));
  expect(Number(seen[1]) - Number(seen[0])).toBeGreaterThan(170_000);
  await socket.envelopes.first(1);
  expect(sandbox.control.clock({ reset: true })).toMatchObject({ speed: 1, ahead: 0 });
  seen.push(await said('today again'), await said('and again'));
  expect([...seen].sort()).toEqual(seen);
  expect(new Set(seen).size).toBe(4);
  sandbox.control.clock({ advance: '3s' });
  await sandbox.control.waitFor(
    'envelope',
    ({ delivery, retry_attempt }) => delivery === 2 && retry_attempt > 0,
  );
});

test('a response_url expires after thirty minutes of the clock', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  const typed = sandbox.control.command({
    channel: 'it-help',
    user: 'ada',
    command: '/ticket',
    text: 'help',
  });
  const [envelope] = await socket.envelopes.first(1);
  if (envelope) socket.ack(envelope);
  await typed;
  const answer = () =>
    fetch(String(envelope?.payload['response_url']), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'late' }),
    });
  sandbox.control.clock({ advance: '29m' });
  expect((await answer()).status).toBe(200);
  sandbox.control.clock({ advance: '2m' });
  const late = await answer();
  expect([late.status, await late.json()]).toEqual([404, { ok: false, error: 'expired_url' }]);
});

test('a scheduled message is posted when the clock is moved to its time', async () => {
  const sandbox = await openSandbox();
  const tomorrow = Math.floor(Date.now() / 1_000) + 86_400;
  await webClient(sandbox).chat.scheduleMessage({ channel: HELP, text: 'good morning', post_at: tomorrow });
  sandbox.control.clock({ advance: '23h' });
  expect(await sandbox.control.messages(HELP)).toEqual([]);
  sandbox.control.clock({ advance: '1h' });
  sandbox.control.clock({ advance: '1s' });
  const posted = await sandbox.control.waitForMessage(HELP, ({ text }) => text === 'good morning');
  expect(Number(posted.ts)).toBeGreaterThanOrEqual(tomorrow);
});

test('the clock is moved and shown over HTTP, and invalid values are rejected', async () => {
  const sandbox = await openSandbox();
  const move = async (body: unknown) => {
    const answer = await fetch(`${sandbox.url}/_control/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, ...((await answer.json()) as { ahead?: number; speed?: number }) };
  };
  for (const [advance, seconds] of [
    ['90s', 90],
    ['1.5m', 180],
    [20, 200],
    ['500ms', 200.5],
    ['1h', 3_800.5],
  ] as const)
    expect((await move({ advance })).ahead).toBeCloseTo(seconds, 1);
  expect(await move({ speed: 60 })).toMatchObject({ status: 200, speed: 60 });
  for (const body of [
    {},
    { advance: '-1s' },
    { advance: 'soon' },
    { advance: '9999d' },
    { speed: -1 },
    { spede: 2 },
  ])
    expect([body, (await move(body)).status]).toEqual([body, 400]);
  const shown = (await (await fetch(`${sandbox.url}/_control/clock`)).json()) as { speed: number };
  expect(shown.speed).toBe(60);
  expect((await webClient(sandbox).chat.postMessage({ channel: HELP, text: 'still works' })).ok).toBe(true);
});

test('timers fire in the order of their times when the clock jumps over several, and never after they were cancelled', () => {
  const base = new HeldClock();
  const clock = new SandboxClock(base);
  const rung: string[] = [];
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);
  clock.alarm(inSeconds(30), () => rung.push('thirty'));
  clock.alarm(inSeconds(10), () => rung.push('ten'));
  clock.alarm(inSeconds(20), () => rung.push('twenty'))();
  clock.alarm(inSeconds(40), () => rung.push('forty'));
  clock.advance(35_000);
  expect(rung).toEqual(['ten', 'thirty']);
  clock.stop();
  clock.advance(60_000);
  expect(rung).toEqual(['ten', 'thirty']);
});

test('a held clock stands still, and continues from there', () => {
  const base = new HeldClock();
  const clock = new SandboxClock(base);
  clock.run(0);
  const before = clock.now();
  base.advance(60_000);
  expect(clock.now()).toEqual(before);
  clock.run(2);
  base.advance(60_000);
  expect(clock.now().getTime() - before.getTime()).toBe(120_000);
});

test.each([
  ['advanced', (clock: SandboxClock) => clock.advance(1_000), 1_000],
  ['run at its own speed', (clock: SandboxClock) => clock.run(1), 0],
  ['reset', (clock: SandboxClock) => clock.reset(), 0],
] as const)('a clock that is %s loses none of the time that this takes', (_, change, ahead) => {
  let machine = 1_000_000;
  const clock = new SandboxClock({ now: () => new Date(machine++) });
  change(clock);
  expect(clock.ahead).toBe(ahead);
});
