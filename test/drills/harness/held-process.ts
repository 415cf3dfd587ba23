/**
 * Loaded into a program before it begins: notes to the file HOLDS_FILE how long its event loop was held, a line of
 * milliseconds whenever it looks. Of the thread's own CPU time, where `monitorEventLoopDelay` takes the clock's: on a
 * machine that is busy elsewhere the thread waits for its core, which is not our doing.
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
