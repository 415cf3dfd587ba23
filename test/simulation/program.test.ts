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
