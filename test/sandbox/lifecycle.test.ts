import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openSandbox, SEED } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';
import { sandboxFile } from './sandbox-file.ts';

const SCRIPT = fileURLToPath(new URL('sandbox-process.ts', import.meta.url));

async function spawnSandbox(file: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [SCRIPT, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: chunk.toString('utf8').trim() };
}

test('kill -9 loses neither messages nor unacknowledged envelopes', async () => {
  const file = sandboxFile();
  const { child, url } = await spawnSandbox(file);
  const accepted: string[] = [];
  const say = async (text: string) => {
    const response = await fetch(`${url}/_control/message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'it-help', user: 'ada', text }),
    });
    if (response.ok) accepted.push(text);
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => say(`before ${index}`)));
  const racing = Array.from({ length: 20 }, (_, index) => say(`racing ${index}`).catch(() => undefined));
  const killed = once(child, 'exit');
  child.kill('SIGKILL');
  await Promise.all([killed, ...racing]);

  const after = await openSandbox({ file });
  const kept = (await after.control.messages('it-help')).map(({ text }) => text);
  expect(kept).toEqual(expect.arrayContaining(accepted));
  // Every stored message is delivered, whether or not its author got a response.
  const socket = await rawSocket(after);
  const told = (await socket.envelopes.first(kept.length)).map(({ payload }) => payload.event['text']);
  expect(told).toEqual(kept);
});

test('a port in use is rejected with a sentence that says what to do', async () => {
  const first = await openSandbox();
  const second = startSandbox({
    file: ':memory:',
    log: createLog({ level: 'silent', pretty: false }),
    clock: systemClock,
    newId: createIds(systemClock),
    random: Math.random,
    host: '127.0.0.1',
    port: first.port,
    seed: SEED,
  });
  await expect(second).rejects.toThrow(
    `The sandbox's port ${first.port} is in use: stop what runs there, or set SANDBOX_PORT`,
  );
});

test('the seed only goes into an empty workspace; reset restores it', async () => {
  const file = sandboxFile();
  const first = await openSandbox({ file });
  await first.control.message({ channel: 'it-help', user: 'ada', text: 'kept' });
  await first.control.join({ channel: 'quiet', user: 'deskbridge' });
  await first.stop();
  const second = await openSandbox({ file });
  expect(second.control.state().channels.find(({ name }) => name === 'quiet')?.members).toContain('U0BOTTT');
  expect(await second.control.messages('it-help')).toHaveLength(1);
  await second.control.reset();
  expect(second.control.state().channels.find(({ name }) => name === 'quiet')?.members).not.toContain(
    'U0BOTTT',
  );
  expect(await second.control.messages('it-help')).toEqual([]);
});

test('a wait that fails reports what happened instead', async () => {
  const sandbox = await openSandbox();
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'something else' });
  const failing = sandbox.control.waitForMessage('it-help', ({ text }) => text === 'this', { timeout: 50 });
  await expect(failing).rejects.toThrow(/nothing matched within 50 ms[\s\S]*"something else"[\s\S]*posted/);
});

test('an unusable file is rejected with a sentence that says what to do', async () => {
  const inUse = sandboxFile();
  await openSandbox({ file: inUse });
  await expect(openSandbox({ file: inUse })).rejects.toThrow(
    `Another sandbox uses ${inUse}: stop it, or set`,
  );

  const later = sandboxFile();
  const ofLater = new DatabaseSync(later);
  ofLater.exec('pragma user_version = 99');
  ofLater.close();
  await expect(openSandbox({ file: later })).rejects.toThrow(
    `The sandbox's file ${later} was not written by this version of deskbridge (schema 99, not `,
  );

  await expect(openSandbox({ file: path.join(later, 'below-a-file.db') })).rejects.toThrow(
    /cannot be opened \(.*set DATA_DIR to a folder that can be written/,
  );

  const text = sandboxFile();
  writeFileSync(text, 'no database, but some text that is longer than the header of one'.repeat(20));
  await expect(openSandbox({ file: text })).rejects.toThrow(
    `The sandbox's file ${text} is no database: move`,
  );
});
