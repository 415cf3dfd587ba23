import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { type Call, caller } from './harness.ts';

const TOKEN = 'a-token-for-the-crash-test';

/** A service in its own process. */
export interface Launched {
  url: string;
  token: string;
  call: Call;
  pid: number;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

interface LaunchOptions {
  port?: number;
  /** The URL of the answering model; without it, there is no model. */
  modelUrl?: string;
  nodeOptions?: readonly string[];
}

/** Starts the service on a database. */
export async function launch(
  databaseUrl: string,
  { port = 0, modelUrl = '', nodeOptions = [] }: LaunchOptions = {},
): Promise<Launched> {
  const script = fileURLToPath(import.meta.resolve('./service-process.ts'));
  const child: ChildProcess = spawn(
    process.execPath,
    [...nodeOptions, script, databaseUrl, TOKEN, String(port), modelUrl],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  if (!child.stdout) throw new Error('no output to read');
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { url, token: TOKEN, call: caller(url, TOKEN), pid: child.pid ?? 0, kill };
}
