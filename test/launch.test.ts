import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { expect, onTestFinished, test } from 'vitest';

import { freePorts } from './harness/ports.ts';
import { programsDatabase } from './harness/programs.ts';
import { until } from './harness/until.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../src/launch.js');
/** Preloaded, it makes the launcher take its Node for one that is too old. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })`;

test('B52 a launcher that handed over to Node 24 and is killed leaves no process that holds its ports', async () => {
  const [port = 0] = await freePorts(1);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'launch-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: (await programsDatabase()).url,
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(port),
    LOG_PRETTY: 'false',
  };
  const launcher = spawn(process.execPath, ['--import', OLD_NODE, LAUNCHER, 'sandbox'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void launcher.kill());
  for await (const line of createInterface({ input: launcher.stdout }))
    if (line.includes('"msg":"ready"')) break;
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  expect(await answers()).toBe(true);
  launcher.kill('SIGKILL');
  await until('the program to end', async () => !(await answers()));
}, 60_000);
