import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { collectWhenIdle, type Heap, processHeap } from '../../src/platform/idle-collection.ts';
import { cpuMs } from '../harness/event-loop.ts';
import { handTimers } from '../harness/timers.ts';

const MB = 1024 ** 2;
const LOOK_MS = 10_000;

/** A heap of which a test says how large it is, and how busy its process is. */
function heapOf(megabytes: number) {
  const state = { busy: 0, megabytes, collections: 0 };
  const heap: Heap = {
    busy: () => state.busy,
    size: () => state.megabytes * MB,
    collect: () => {
      state.collections++;
      state.megabytes = megabytes;
    },
  };
  return { state, heap };
}

test('a busy process is left alone, and its garbage is collected once when it becomes idle', () => {
  const timers = handTimers();
  const { state, heap } = heapOf(100);
  state.busy = 0.9;
  collectWhenIdle(timers, heap);
  timers.pass(3 * LOOK_MS);
  expect(state.collections).toBe(0);
  state.busy = 0.05;
  timers.pass(LOOK_MS);
  expect(state.collections).toBe(1);
  timers.pass(100 * LOOK_MS);
  expect(state.collections).toBe(1);
});

test('it is collected again only when the heap has grown by what makes it worth a pause', () => {
  const timers = handTimers();
  const { state, heap } = heapOf(100);
  collectWhenIdle(timers, heap);
  timers.pass(LOOK_MS);
  state.megabytes = 131;
  timers.pass(LOOK_MS);
  expect(state.collections).toBe(1);
  state.megabytes = 132;
  timers.pass(LOOK_MS);
  expect(state.collections).toBe(2);
});

test('nothing is planned after a stop', async () => {
  const timers = handTimers();
  await collectWhenIdle(timers, heapOf(100).heap).stop();
  expect(timers.planned()).toBe(0);
});

/** Prints how large a heap is with 100 MB of objects that nothing refers to afterwards, and once they are collected. */
const COLLECT = `
  import { processHeap } from ${JSON.stringify(new URL('../../src/platform/idle-collection.ts', import.meta.url).href)};
  const heap = processHeap();
  function makeGarbage() {
    const objects = Array.from({ length: 2_000_000 }, (_, n) => ({ n }));
    return objects.length > 0 ? heap.size() : 0;
  }
  const before = makeGarbage();
  heap.collect();
  console.log(JSON.stringify([before, heap.size()]));`;

test('the heap of the process gives garbage back to the system', async () => {
  // In a process of its own: here, what other tests have left lies between it.
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', COLLECT]);
  const [before = 0, after = Infinity] = JSON.parse(stdout) as number[];
  expect(after).toBeLessThan(before - 20 * MB);
});

test('a process that waits is not busy, and one that computes is', () => {
  const heap = processHeap();
  // So much of the processor, however long this thread waits for it.
  const end = cpuMs() + 50;
  while (cpuMs() < end);
  const computing = heap.busy();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect(heap.busy()).toBeLessThan(computing / 2);
});
