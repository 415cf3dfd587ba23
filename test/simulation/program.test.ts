import { AsyncLocalStorage } from 'node:async_hooks';

import { expect, test } from 'vitest';

import { Chance } from './chance.ts';
import { MemorySocket, Network } from './network.ts';
import { installPrograms, Program, runningProgram } from './program.ts';
import { VirtualTime } from './time.ts';

test('what a program begins outside of a context is its own, so that it ends when the program is killed', () => {
  const snapshot = AsyncLocalStorage.snapshot.bind(AsyncLocalStorage);
  installPrograms();
  const outside = AsyncLocalStorage.snapshot();
  AsyncLocalStorage.snapshot = snapshot;
  const program = new Program('the bridge');
  expect(program.run(() => outside(runningProgram))).toBe(program);
  expect(outside(runningProgram)).toBeUndefined();
});

test('what a program does about a connection that somebody else cuts is its own', async () => {
  const program = new Program('the bridge');
  const network = new Network(new VirtualTime(new Date(0)), new Chance(0));
  const socket = program.run(() => new MemorySocket(network));
  const noticed = new Promise((resolve) => socket.on('error', () => resolve(runningProgram())));
  socket.cut();
  expect(await noticed).toBe(program);
});

test('a program that stands still does afterwards what was due, and gets what arrived, in its order', async () => {
  const time = new VirtualTime(new Date(0));
  const network = new Network(time, new Chance(0));
  const [bridge, service] = [new Program('the bridge'), new Program('the service')];
  const [mine, other] = [bridge, service].map((program) => program.run(() => new MemorySocket(network)));
  if (!mine || !other) throw new Error('there are no sockets');
  mine.join(other, 1, 2);
  other.join(mine, 2, 1);
  const happened: string[] = [];
  const note = (what: string) => () => happened.push(`${what} at ${time.now}`);
  mine.on('data', (bytes: Buffer) => note(bytes.toString())());
  bridge.run(() => [20, 10, 90].forEach((ms) => time.after(ms, note(`its ${ms}`))));
  service.run(() => time.after(30, note('another')));
  for (const words of ['first', 'second']) service.run(() => other.write(words));
  bridge.standsUntil = 50;
  await time.run(() => false);
  expect(happened).toEqual([
    'another at 30',
    'first at 50',
    'second at 50',
    'its 10 at 50',
    'its 20 at 50',
    'its 90 at 90',
  ]);
});
