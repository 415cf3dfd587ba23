import v8 from 'node:v8';
import vm from 'node:vm';

import type { Running } from './lifecycle.ts';
import type { Timers } from './timers.ts';

/** How often is looked whether the process is idle. */
const LOOK_MS = 10_000;
/** A process that works less than this share of the time between two looks is idle. */
const IDLE = 0.2;
/** A collection stops the process for a tenth of a second: it must be worth that. */
const WORTH_BYTES = 32 * 1024 ** 2;

/** What is known of this process, and what can be done about it. */
export interface Heap {
  /** Returns which share of the time since the last call this process has worked, from 0 to 1. */
  busy(): number;
  /** Bytes that the heap has from the system. */
  size(): number;
  /** Collects all garbage, and gives back what is free. */
  collect(): void;
}

/**
 * Collects garbage when the process becomes idle. V8 collects when a program allocates much: one that has just started,
 * or has just worked, and then rests, would keep all garbage of that for hours.
 */
export function collectWhenIdle(timers: Timers, heap: Heap = processHeap()): Running {
  let collected = 0;
  let timer = timers.after(LOOK_MS, look);

  function look(): void {
    timer = timers.after(LOOK_MS, look);
    if (heap.busy() > IDLE || heap.size() - collected < WORTH_BYTES) return;
    heap.collect();
    collected = heap.size();
  }

  return {
    stop: () => {
      timer.cancel();
      return Promise.resolve();
    },
  };
}

/** Returns the heap of this thread. */
export function processHeap(): Heap {
  // Node has it for a command line with this flag. A context made after the flag was set has it as well.
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  v8.setFlagsFromString('--no-expose-gc');
  let last = { at: performance.now(), ...process.threadCpuUsage() };
  return {
    // What this thread has worked, and not how long it was kept waiting on a machine with too much to do.
    busy: () => {
      const now = { at: performance.now(), ...process.threadCpuUsage() };
      const worked = now.user + now.system - last.user - last.system;
      const share = worked / 1000 / (now.at - last.at);
      last = now;
      return share;
    },
    size: () => v8.getHeapStatistics().total_heap_size,
    collect,
  };
}
