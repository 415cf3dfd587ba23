import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdtemp, rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { createClient } from '../../src/client/index.ts';
import { freePorts } from '../harness/ports.ts';
import { type Account, buildImage, type Image, startIn } from './harness/image-build.ts';

const API_KEY = 'dbk_test_key_of_the_image';

let folder = '';
let image: Image;
let account: Account;

beforeAll(async () => {
  account = ordinaryUser();
  folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-image-'));
  // Only its creator can read a folder made by mkdtemp.
  await chmod(folder, 0o755);
  image = await buildImage(account, folder);
  // As `docker run --read-only` does.
  execFileSync('chmod', ['-R', 'a-w', image.root]);
});

afterAll(async () => {
  execFileSync('chmod', ['-R', 'u+w', folder]);
  await rm(folder, { recursive: true });
});

/** The current user; if that is root, `nobody`, an ordinary user that every system has. */
function ordinaryUser(): Account {
  const idOf = (option: string, name: string) =>
    Number(execFileSync('id', [option, name], { encoding: 'utf8' }));
  const uid = process.getuid?.() ?? 0;
  return uid === 0
    ? { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') }
    : { uid, gid: process.getgid?.() ?? uid };
}

/** Every file of the image with its time of modification. */
async function filesOf(): Promise<string[]> {
  const files = globSync('**', { cwd: image.root }).sort();
  return Promise.all(files.map(async (file) => `${file} ${(await lstat(image.at(file))).mtimeMs}`));
}

/** A folder of the ordinary user, like a volume. */
async function volume(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-data-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, account.uid, account.gid);
  return folder;
}

/** Starts a program of the image; it is killed with the test if it still runs. */
async function start(settings: Record<string, string>) {
  const { entrypoint, command } = image.config;
  const child = startIn(image, [...entrypoint, ...command], account, settings);
  onTestFinished(() => end(child));
  const lines: Record<string, unknown>[] = [];
  const errors = child.stderr ? buffer(child.stderr) : Promise.resolve(Buffer.of());
  if (!child.stdout) throw new Error('the program has no output');
  const output = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve) => {
    output.on('line', (line) => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
      if (lines.at(-1)?.['msg'] === 'ready') resolve();
    });
  });
  const ended = once(child, 'exit').then(async ([code]) => {
    throw new Error(`ended with ${code ?? 'a signal'} before it was ready: ${String(await errors)}`);
  });
  await Promise.race([ready, ended]);
  ended.catch(() => undefined);
  return { child };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('the image built from the Dockerfile starts as an ordinary user in a folder that it cannot write to, is healthy, creates a ticket, opens the desk and stops on SIGTERM', async () => {
  const { config } = image;
  expect(config).toMatchObject({
    user: 'node',
    ports: [8080, 3000],
    volumes: ['/data'],
    environment: { NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: '/data', SANDBOX: 'off' },
  });
  // A new volume gets the owner of its folder in the image.
  const { uid, gid } = await lstat(image.at('/data'));
  expect({ uid, gid }).toEqual(account);
  const built = await filesOf();

  const settings = {
    ...(await places()),
    SANDBOX: 'on',
    HOST: '127.0.0.1',
    SERVICE_API_TOKEN: API_KEY,
  };
  const { child } = await start(settings);
  const health = () => startIn(image, config.healthcheck, account, settings);
  expect(await once(health(), 'exit')).toEqual([0, null]);
  const service = createClient({
    baseUrl: `http://127.0.0.1:${settings.PORT}/api`,
    token: API_KEY,
    now: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.close());
  const { id } = await service.createTicket({ body: { title: 'The lift is stuck' } });
  expect((await service.readTicket({ params: { id } })).title).toBe('The lift is stuck');

  const desk = `http://127.0.0.1:${settings.PORT}`;
  const page = await (await fetch(`${desk}/tickets/${id}`)).text();
  const files = [...page.matchAll(/"(\/desk\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect([file, (await fetch(`${desk}${file}`)).status]).toEqual([file, 200]);

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await filesOf()).toEqual(built);
  expect(await once(health(), 'exit')).toEqual([1, null]);
});

test('without Slack and without SANDBOX=on the image starts no sandbox: it says what is missing and ends', async () => {
  const settings = await places();
  const { entrypoint, command } = image.config;
  const child = startIn(image, [...entrypoint, ...command], account, settings);
  onTestFinished(() => end(child));
  const said = child.stderr ? buffer(child.stderr) : undefined;
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(String(await said)).toContain('SLACK_BOT_TOKEN is missing');
});

/** Free ports, and a folder as the data volume. */
async function places() {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  return {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: await volume(),
    LOG_PRETTY: 'false',
  };
}
