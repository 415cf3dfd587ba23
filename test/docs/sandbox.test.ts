import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { DEMO, SANDBOX_SEED } from '../../src/demo.ts';
import { openSandbox } from '../sandbox/open-sandbox.ts';
import { textOf } from './documents.ts';

const page = textOf('docs/sandbox.md');

test('the app on the sandbox’s page answers a mention as it stands there', async () => {
  const [, code = ''] = /```js\n([\s\S]+?)```/.exec(page) ?? [];
  const sandbox = await openSandbox({ seed: SANDBOX_SEED });
  const app = spawn(
    process.execPath,
    ['--input-type=module', '--eval', code.replace('http://127.0.0.1:3000/api/', sandbox.apiUrl)],
    { cwd: path.resolve(import.meta.dirname, '../..'), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  onTestFinished(async () => {
    app.kill();
    if (app.exitCode === null && app.signalCode === null) await once(app, 'exit');
  });
  const failed = once(app, 'exit').then(async () => {
    throw new Error(await text(app.stderr));
  });
  failed.catch(() => undefined);
  const { message } = await sandbox.control.message({
    channel: 'it-help',
    user: 'ada',
    text: '@deskbridge are you there?',
  });
  const answer = sandbox.control.waitForMessage('it-help', ({ thread_ts }) => thread_ts === message.ts);
  expect((await Promise.race([answer, failed])).text).toBe(`Hello <@${DEMO.people.ada.id}>`);
});

test('the page names the signing secret of the workspace', () => {
  expect(page).toContain(`\`${DEMO.app.signingSecret}\``);
});
