import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { freePorts } from '../harness/ports.ts';
import { until } from '../harness/until.ts';

const LAUNCHER = fileURLToPath(import.meta.resolve('../../src/launch.js'));

/** Answers the calls of a start as Slack does, or refuses its token. */
async function startSlack(port: number, refusal?: string): Promise<void> {
  const server = createServer((request, response) => {
    const isTest = request.url?.includes('auth.test') === true;
    const identity = {
      url: 'https://x.slack.com/',
      team_id: 'T0AWAY',
      user: 'bot',
      user_id: 'U0BOT',
      bot_id: 'B0BOT',
    };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(
        refusal === undefined
          ? { ok: true, ...(isTest && identity), bot: { app_id: 'A0APP' }, channels: [], members: [] }
          : { ok: false, error: refusal },
      ),
    );
  });
  await listen(server, port);
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

async function startAway(silent = false) {
  const folder = await mkdtemp(path.join(tmpdir(), 'slack-away-'));
  const [port = 0, slack = 0] = await freePorts(2);
  if (silent)
    await listen(
      createServer(() => undefined),
      slack,
    );
  const child = spawn(process.execPath, [LAUNCHER, 'start'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: path.join(folder, 'data'),
      SLACK_BOT_TOKEN: 'xoxb-test',
      SLACK_SIGNING_SECRET: 'a-signing-secret-of-the-tests',
      SLACK_API_URL: `http://127.0.0.1:${slack}/api`,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, maxRetries: 5 });
  });
  const ask = (at: string) => fetch(`http://127.0.0.1:${port}${at}`).catch(() => undefined);
  // The first start makes a database, which takes long beside other programs.
  await until('the program to listen', async () => (await ask('/healthz'))?.status === 200, {
    seen: async () => output,
  });
  return { slack, ask, exited, output: () => output, stop: () => child.kill('SIGTERM') };
}

test('a start without Slack serves the desk, says why it is not ready in one line, and goes on by itself', async () => {
  const { slack, ask, output } = await startAway();
  expect((await ask('/'))?.status).toBe(200);
  const ready = await ask('/readyz');
  expect(ready?.status).toBe(503);
  expect(await ready?.text()).toContain(`"chat":"127.0.0.1:${slack} cannot be reached (ECONNREFUSED)"`);
  expect(
    output().match(/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. Trying again\./g),
  ).toHaveLength(1);
  expect(output()).not.toContain('    at ');
  await startSlack(slack);
  await until('Slack to be reached', async () => (await ask('/readyz'))?.status === 200, {
    seen: async () => output(),
  });
});

test('a token that Slack refuses when it is reached at last ends the program with what to do', async () => {
  const { slack, exited, output } = await startAway();
  await startSlack(slack, 'invalid_auth');
  expect((await exited)[0]).toBe(1);
  expect(output()).toContain('Slack refuses SLACK_BOT_TOKEN (invalid_auth).');
});

test.for([
  ['refuses connections', false],
  ['never answers', true],
] as const)('a stop while Slack %s ends at once', async ([, silent]) => {
  const { stop, exited, ask } = await startAway(silent);
  expect((await ask('/'))?.status).toBe(200);
  const began = performance.now();
  stop();
  expect((await exited)[0]).toBe(0);
  // A call to Slack would be given up after ten seconds.
  expect(performance.now() - began).toBeLessThan(9_000);
});
