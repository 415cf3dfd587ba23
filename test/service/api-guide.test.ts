import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, it, onTestFinished } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { startTestService } from './harness.ts';

const PAGE = new URL('../../docs/api.md', import.meta.url);
/** Ends the output of one block of the page. */
const END = '\x1e';

interface Step {
  commands: string;
  /** The response in the page, as far as it matters. */
  shown: unknown;
}

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, content = '']) => ({
    kind,
    content,
  }));
  return blocks.flatMap(({ kind, content }, at): Step[] => {
    if (kind !== 'sh') return [];
    const next = blocks[at + 1];
    return [
      { commands: content, shown: next?.kind === 'json' ? (JSON.parse(next.content) as unknown) : undefined },
    ];
  });
}

it('every command of docs/api.md does what the page says, in order, on a freshly started service', async () => {
  const { url, token } = await startTestService({ prepare: (service) => service.seedDemo(DEMO) });
  const steps = stepsOf(await readFile(PAGE, 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'deskbridge-api-guide-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // One shell for the whole page, so that later steps can use earlier variables.
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd: folder,
    env: { PATH: process.env.PATH, URL: url, KEY: token },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  shell.stdin.end(steps.map(({ commands }) => `${commands}\nprintf '${END}'\n`).join(''));
  const [said, complaints, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'exit') as Promise<[number]>,
  ]);
  expect([code, complaints]).toEqual([0, '']);
  const outputs = said.split(END).slice(0, -1);
  expect(outputs).toHaveLength(steps.length);
  for (const [at, { commands, shown }] of steps.entries()) {
    if (shown === undefined) expect(outputs[at], commands).toBe('');
    else expect(JSON.parse(outputs[at] ?? '') as unknown, commands).toMatchObject(shown as object);
  }
  expect(steps.length).toBeGreaterThan(8);
});
