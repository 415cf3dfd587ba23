/**
 * Preloaded into a program: appends to the file HOLDS_FILE how long its event loop was blocked, in
 * milliseconds, one line per check. It measures the thread's own CPU time, while `monitorEventLoopDelay`
 * measures wall clock time: on a busy machine the thread waits for a core, which is not the program's fault.
 */
import { appendFileSync } from 'node:fs';

const LOOK_EVERY_MS = 5;
const NOTE_EVERY_MS = 100;

const file = process.env.HOLDS_FILE ?? '';
let before = process.threadCpuUsage();
let longest = 0;
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longest = Math.max(longest, (user + system) / 1_000);
}, LOOK_EVERY_MS).unref();
setInterval(() => {
  appendFileSync(file, `${longest}\n`);
  longest = 0;
}, NOTE_EVERY_MS).unref();
