import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { queueSettings } from '../../src/contract/queue.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { QUEUE_SWITCHES } from '../../src/ui/desk/settings/queues/switches.ts';
import { codesIn, rowsUnder } from './documents.ts';

const PAGE = 'docs/set-up.md';

test.each([
  ['Queue switches', queueSettings.shape],
  ['Workspace switches', workspace.shape.settings.unwrap().shape],
])('docs/set-up.md has each of the contract’s settings once: %s', (heading, shape) => {
  const shown = rowsUnder(PAGE, heading).flatMap(([names]) => codesIn(names));
  expect(shown.toSorted()).toEqual(
    Object.keys(shape)
      .filter((name) => name !== 'id')
      .toSorted(),
  );
});

// These files only store and return the settings.
const KEEPS =
  /^src\/(contract\/|commands\/import-file|service\/(schema|demo|queues|workspaces|applications)\/)/;

test('a switch is either shown at the desk or only stored, and no code reads one that is only stored', () => {
  const drawn = [
    ...Object.values(QUEUE_SWITCHES).flat(),
    // A select, the table of targets, and who is warned of them.
    'respondOnMessage',
    'targets',
    'warnings',
  ];
  const storedOf = (heading: string) =>
    rowsUnder(PAGE, heading)
      .filter(([, effect = '']) => effect.startsWith('stored only'))
      .flatMap(([names]) => codesIn(names));
  const ofQueue = storedOf('Queue switches');
  const all = Object.keys(queueSettings.shape).filter((name) => name !== 'id');
  expect([...drawn, ...ofQueue].toSorted()).toEqual(all.toSorted());

  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((name) => /\.(ts|js)$/.test(name) && !KEEPS.test(name));
  expect(sources.length).toBeGreaterThan(400);
  const names = new RegExp([...ofQueue, ...storedOf('Workspace switches'), 'approvalStrategy'].join('|'));
  expect(sources.filter((name) => names.test(readFileSync(name, 'utf8')))).toEqual([]);
  const read = sources.map((name) => readFileSync(name, 'utf8')).join('\n');
  const unread = drawn.filter((name) => !new RegExp(`\\b${name}\\b`).test(read));
  expect(unread).toEqual([]);
});
