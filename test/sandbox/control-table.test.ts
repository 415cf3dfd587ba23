import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { CONTROL_NAMES } from '../../src/sandbox/control/routes.ts';
import { openSandbox } from './open-sandbox.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');

/** The operations that have a row: `| `POST name` | …`. */
const documented = (method: string) =>
  [...page.matchAll(new RegExp(`^\\| \`${method} ([a-z-]+)`, 'gm'))].map(([, name = '']) => name);

test('docs/sandbox.md has one row for each operation of the control API, and no other', () => {
  // What is served beside the table: a form may carry files.
  expect(documented('POST').sort()).toEqual([...CONTROL_NAMES.post, 'upload'].sort());
  const beside = ['messages', 'log', 'views', 'files'];
  expect(documented('GET').sort()).toEqual([...CONTROL_NAMES.get, ...beside].sort());
});

test('every documented operation is served', async () => {
  const sandbox = await openSandbox();
  for (const name of documented('POST').filter((one) => one !== 'reset' && one !== 'calm')) {
    const answer = await fetch(`${sandbox.url}/_control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"nothing": 1}',
    });
    expect([name, [200, 400].includes(answer.status)]).toEqual([name, true]);
  }
  const parts: Record<string, string> = {
    messages: 'messages/it-help',
    pane: 'pane?user=ada',
    views: 'views/ada',
  };
  for (const name of documented('GET').filter((one) => one !== 'files'))
    expect([name, (await fetch(`${sandbox.url}/_control/${parts[name] ?? name}`)).status]).toEqual([
      name,
      200,
    ]);
});
