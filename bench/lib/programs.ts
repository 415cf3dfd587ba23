/**
 * Starts what is measured: deskbridge's programs and the baselines, each in its own process, ended with the
 * rig.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { cpuSeconds, proportionalBytes, residentBytes, type Shares } from './proc.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const launcherOf = (checkout: string) => path.join(checkout, 'src/launch.js');
/** A process that has not ended after this time is killed. */
const STOP_MS = 15_000;

export interface Program {
  /** Milliseconds from its start until it was ready. */
  startedMs: number;
  /** Resident memory in bytes; of this process alone, not of a database that it started. */
  memory(): number;
  /** Memory of this process and of all that it started. */
  memoryOfAll(): Shares;
  /** CPU seconds since its start. */
  cpu(): number;
  /** Stops its process where it stands, so that work waits for it, until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
const endings: (() => Promise<void>)[] = [];
const directories: string[] = [];

/** A data directory for one program, removed with the rig. */
export function scratch(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'deskbridge-bench-'));
  directories.push(directory);
  return directory;
}

/** Registers a cleanup that runs after all programs have ended. */
export function atEnd(end: () => Promise<void>): void {
  endings.push(end);
}

/** Starts `deskbridge <args>`, of this checkout or another. */
export function startDeskbridge(
  args: string[],
  environment: Record<string, string>,
  checkout = ROOT,
): Promise<Program> {
  return start([launcherOf(checkout), ...args], {
    LOG_PRETTY: 'false',
    LOG_LEVEL: 'info',
    DATA_DIR: scratch(),
    ...environment,
  });
}

/** Runs `npm start`, as a user does. */
export function startNpm(environment: Record<string, string>): Promise<Program> {
  return start(['start'], { LOG_PRETTY: 'false', LOG_LEVEL: 'info', ...environment }, 'npm');
}

/** Runs `deskbridge <args>` until it ends; resolves with the milliseconds that it took. */
export async function runDeskbridge(args: string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [launcherOf(ROOT), ...args], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`deskbridge ${args.join(' ')} ended with ${code}`);
  return performance.now() - began;
}

/** Starts a file of `bench/baselines`, which prints `{"msg":"ready"}` when it is ready. */
export function startBaseline(file: string, environment: Record<string, string>): Promise<Program> {
  return start([path.resolve(import.meta.dirname, '../baselines', file)], environment);
}

async function start(
  args: string[],
  environment: Record<string, string>,
  program = process.execPath,
): Promise<Program> {
  const began = performance.now();
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  const ready = Promise.withResolvers<undefined>();
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.includes('"msg":"ready"')) return;
    ready.resolve(undefined);
    // Its log is not looked at any more: that would take from the time of what is measured.
    lines.close();
    child.stdout.resume();
  });
  void ended.then(() => ready.reject(new Error(`${args.slice(1).join(' ')} ended before it was ready`)));
  await ready.promise;
  const pid = child.pid ?? 0;
  return {
    startedMs: performance.now() - began,
    memory: () => residentBytes(pid),
    memoryOfAll: () => proportionalBytes(pid),
    cpu: () => cpuSeconds(pid),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(force);
}

/** Ends all running programs, the last started first, and removes their data. */
export async function endAll(): Promise<void> {
  for (const child of [...running].reverse()) await end(child);
  for (const stop of endings.splice(0).reverse()) await stop().catch(console.error);
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}
