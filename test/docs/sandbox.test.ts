import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { freePorts } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { textOf } from './documents.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = textOf('docs/sandbox.md');

/** Starts a Node program in the background; it ends with the test. */
function start(args: string[], env: NodeJS.ProcessEnv = process.env) {
  const program = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = async () => {
    program.kill();
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
  };
  onTestFinished(stop);
  const failed = once(program, 'exit').then(async () => {
    throw new Error(await text(program.stderr));
  });
  failed.catch(() => undefined);
  return { program, stop, failed };
}

/** `deskbridge sandbox` on its own port. */
async function startSandbox(port: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { program, failed } = start(['src/launch.js', 'sandbox'], {
    PATH: process.env['PATH'],
    DATA_DIR: folder,
    SANDBOX_PORT: String(port),
    LOG_PRETTY: 'false',
  });
  const ready = async () => {
    for await (const line of createInterface({ input: program.stdout }))
      if (line.includes('"msg":"ready"')) return;
  };
  await Promise.race([ready(), failed]);
}

test('a Bolt app that is independent of deskbridge runs against `deskbridge sandbox`, by Socket Mode and by HTTP, as the page describes', async () => {
  const [port = 0, appPort = 0] = await freePorts(2);
  await startSandbox(port);
  const here = (from: string) =>
    from
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${appPort}`);
  const [app = '', secret = ''] = [...page.matchAll(/```js\n([\s\S]+?)```/g)].map(([, code = '']) =>
    here(code),
  );
  const posts = [...page.matchAll(/curl -s (\S+) .*\n {2}-d '(.+)'/g)];
  /** Sends the request of one of the page's commands. */
  const post = async (operation: string) => {
    const [, url = '', body = ''] =
      posts.find(([, one = '']) => one.endsWith(`/_control/${operation}`)) ?? [];
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(here(url), { method: 'POST', headers, body: here(body) });
    return { status: response.status, answer: (await response.json()) as { message?: { ts: string } } };
  };
  /** The text of the app's reply to the mention in the page. */
  const reply = async () => {
    const ts = (await post('message')).answer.message?.ts ?? '';
    let found = '';
    await until('the app to reply', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/_control/messages/it-help?thread=${ts}`);
      const { messages } = (await response.json()) as { messages: { text: string; bot_id?: string }[] };
      found = messages.find(({ bot_id }) => bot_id !== undefined)?.text ?? '';
      return found !== '';
    });
    return found;
  };
  const connected = async () => {
    const { apps } = (await (await fetch(`http://127.0.0.1:${port}/_control/state`)).json()) as {
      apps: { connections: number }[];
    };
    return apps[0]?.connections === 1;
  };

  const run = (code: string) => start(['--input-type=module', '--eval', code]);
  const bySocket = run(app);
  await Promise.race([until('the app to connect', connected), bySocket.failed]);
  expect(await Promise.race([reply(), bySocket.failed])).toBe(`Hello <@${DEMO.people.ada.id}>`);
  await bySocket.stop();

  const byHttp = run(
    app
      .replace(/ {2}appToken: .*\n {2}socketMode: true,\n/, secret)
      .replace('app.start()', `app.start({ port: ${appPort}, host: '127.0.0.1' })`),
  );
  const answering = async () => (await post('app')).status === 200;
  await Promise.race([until('the app to answer the challenge', answering), byHttp.failed]);
  expect(await Promise.race([reply(), byHttp.failed])).toBe(`Hello <@${DEMO.people.ada.id}>`);
});

test('the page contains the signing secret of the workspace', () => {
  expect(page).toContain(`\`${DEMO.app.signingSecret}\``.slice(1, -1));
});
