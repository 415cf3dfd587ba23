/** Starts what is measured: deskbridge's programs and the baselines, each a process of its own, ended with the rig. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const LAUNCH = path.resolve(import.meta.dirname, '../../src/launch.js');

export interface Program {
  /** Milliseconds from its start until it said that it is ready. */
  startedMs: number;
  /** Bytes of memory that are its own and resident; of the process alone, not of a database that it started. */
  memory(): number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
const directories: string[] = [];

/** A directory for one program's data, removed with the rig. */
export function scratch(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'deskbridge-bench-'));
  directories.push(directory);
  return directory;
}

/** Starts `deskbridge <args>`. */
export function startDeskbridge(args: string[], environment: Record<string, string>): Promise<Program> {
  return start([LAUNCH, ...args], {
    LOG_PRETTY: 'false',
    LOG_LEVEL: 'info',
    DATA_DIR: scratch(),
    ...environment,
  });
}

/** Starts a file of `bench/baselines`, which says `{"msg":"ready"}` when it is. */
export function startBaseline(file: string, environment: Record<string, string>): Promise<Program> {
  return start([path.resolve(import.meta.dirname, '../baselines', file)], environment);
}

async function start(args: string[], environment: Record<string, string>): Promise<Program> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  const ready = Promise.withResolvers<undefined>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"msg":"ready"')) ready.resolve(undefined);
  });
  void ended.then(() => ready.reject(new Error(`${args.slice(1).join(' ')} ended before it was ready`)));
  await ready.promise;
  return {
    startedMs: performance.now() - began,
    memory: () => residentBytes(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] =
    /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Ends whatever still runs, and removes what it stored. */
export async function endAll(): Promise<void> {
  for (const child of running) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}
