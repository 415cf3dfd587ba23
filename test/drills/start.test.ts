import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { freePorts } from '../harness/ports.ts';
import { programsDatabase } from '../harness/programs.ts';
import { until } from '../harness/until.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

test('SIGTERM to npm start ends the program and frees its ports', async () => {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'deskbridge-npm-'));
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: (await programsDatabase()).url,
      DATA_DIR: dataDir,
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      LOG_PRETTY: 'false',
    },
    // A process group of its own, so that leftovers end with the test.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing was left running.
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  for await (const line of createInterface({ input: npm.stdout })) if (line.includes('"msg":"ready"')) break;
  const ended = once(npm, 'exit');
  npm.kill('SIGTERM');
  await ended;
  const answers = (address: number) =>
    fetch(`http://127.0.0.1:${address}/healthz`).then(
      () => true,
      () => false,
    );
  await until('both ports to be free', async () => !(await answers(port)) && !(await answers(sandboxPort)));
});

test('a checkout runs its current sources, and its errors have the right line numbers', async () => {
  const copy = await mkdtemp(path.join(tmpdir(), 'deskbridge-checkout-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const name of ['src', '.config', 'package.json', 'manifest.yml'])
    await cp(path.join(root, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const launch = (...args: string[]) =>
    run(process.execPath, [path.join(copy, 'src/launch.js'), ...args]).catch((error: unknown) => {
      if (error instanceof Error && 'stderr' in error) return { stdout: '', stderr: String(error.stderr) };
      throw error;
    });
  expect((await launch('help')).stdout).toContain('create|list|revoke API keys');
  const index = path.join(copy, 'src/commands/index.ts');
  const text = await readFile(index, 'utf8');
  await writeFile(index, text.replace('create|list|revoke API keys', 'make keys'));
  expect((await launch('help')).stdout).toContain('make keys');

  const manifest = path.join(copy, 'src/commands/manifest.ts');
  const lines = (await readFile(manifest, 'utf8')).split('\n');
  const line = lines.findIndex((one) => one.includes('await manifestText()'));
  lines.splice(line, 0, "  if (process.argv.length > 1) throw new TypeError('planted');");
  await writeFile(manifest, lines.join('\n'));
  expect((await launch('manifest')).stderr).toMatch(
    new RegExp(`planted[^]*src/commands/manifest\\.ts:${line + 1}:`),
  );
});
