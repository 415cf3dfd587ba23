/**
 * How many user messages per second the sandbox accepts and delivers to one connected app: `node
 * bench/sandbox.ts [messages=4000] [channels=1]`. Runs three rounds, each next to a baseline in the same
 * minute: a process that answers the same posts with bare node:http, sends each over ws, reads its
 * acknowledgement, and stores nothing. On a busy machine, trust the ratio rather than the absolute figure.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { SocketModeClient } from '@slack/socket-mode';
import { WebSocket } from 'ws';

const MESSAGES = Math.min(Number(process.argv[2] ?? 4_000), 9_000);
const CHANNELS = Number(process.argv[3] ?? 1);
const ROUNDS = 3;
const AT_ONCE = 64;
/** A rig that hangs reports nothing: it ends with an error after this time. */
const GIVE_UP_MS = 180_000;
const SANDBOX_PORT = 39_871;
const BASELINE_PORT = 39_872;

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The program under test: where to post, and how many posts have reached the app. */
interface Subject {
  port: number;
  path: string;
  told: () => number;
}

function post(port: number, where: string, body: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const call = request(
      { host: '127.0.0.1', port, path: where, method: 'POST', agent, headers },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${where}: ${answer.statusCode ?? 0}`)),
        );
      },
    );
    call.on('error', reject);
    call.end(text);
  });
}

async function soon<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Messages per second, until the last of them has reached the app. */
async function throughput({ port, path: where, told }: Subject, count: number): Promise<number> {
  const before = told();
  const started = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) {
        const index = next++;
        const channel = `bench-${index % CHANNELS}`;
        await post(port, where, { channel, user: 'ada', text: `load ${index} my laptop does not start` });
      }
    }),
  );
  await soon(async () => (told() - before >= count ? true : undefined));
  return count / ((performance.now() - started) / 1000);
}

async function sandbox(): Promise<Subject> {
  let told = 0;
  const app = new SocketModeClient({
    appToken: 'xapp-sandbox-deskbridge',
    clientOptions: { slackApiUrl: `http://127.0.0.1:${SANDBOX_PORT}/api/` },
  });
  app.on('slack_event', ({ ack, body }: { ack: () => Promise<void>; body: unknown }) => {
    void ack();
    if (JSON.stringify(body).includes('"text":"load ')) told += 1;
  });
  const state = await soon(async () => {
    const answer = await fetch(`http://127.0.0.1:${SANDBOX_PORT}/_control/state`);
    return (await answer.json()) as { apps: { name: string }[] };
  });
  for (let index = 0; index < CHANNELS; index += 1)
    await post(SANDBOX_PORT, '/_control/create-channel', {
      user: 'ada',
      name: `bench-${index}`,
      members: state.apps.map(({ name }) => name),
    });
  await app.start();
  return { port: SANDBOX_PORT, path: '/_control/message', told: () => told };
}

async function baseline(): Promise<Subject> {
  let told = 0;
  const socket = await soon(async () => {
    const opening = new WebSocket(`ws://127.0.0.1:${BASELINE_PORT}`);
    await once(opening, 'open');
    return opening;
  });
  socket.on('message', (data) => {
    const { id } = JSON.parse((data as Buffer).toString('utf8')) as { id: string };
    told += 1;
    socket.send(JSON.stringify({ envelope_id: id }));
  });
  return { port: BASELINE_PORT, path: '/', told: () => told };
}

const directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
const start = (args: string[], environment: NodeJS.ProcessEnv): ChildProcess =>
  spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
const children = [
  start([file('../src/launch.js'), 'sandbox'], {
    DATA_DIR: directory,
    SANDBOX_PORT: String(SANDBOX_PORT),
    LOG_LEVEL: 'error',
  }),
  start([file('baselines/bare-sandbox.ts'), String(BASELINE_PORT)], {}),
];
/** Leaves no process and no data behind. */
async function end(code: number, why?: string): Promise<never> {
  if (why !== undefined) console.error(why);
  for (const child of children) {
    child.removeAllListeners('exit');
    if (child.exitCode !== null || !child.kill('SIGTERM')) continue;
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
  process.exit(code);
}
for (const child of children) child.once('exit', () => void end(1, 'what is measured ended by itself'));
setTimeout(() => void end(1, 'not done in time'), GIVE_UP_MS);
process.once('SIGTERM', () => void end(1));

const subjects = { baseline: await baseline(), sandbox: await sandbox() };
for (const subject of Object.values(subjects)) await throughput(subject, 500);
for (let round = 1; round <= ROUNDS; round += 1) {
  const bare = await throughput(subjects.baseline, MESSAGES);
  const ours = await throughput(subjects.sandbox, MESSAGES);
  const [load = 0] = loadavg();
  console.log(
    `${ours.toFixed(0)} messages/s through the sandbox, ${bare.toFixed(0)}/s through bare node:http and ws: ` +
      `${(ours / bare).toFixed(2)} of it (${CHANNELS} channels, load ${load.toFixed(1)})`,
  );
}
await end(0);
