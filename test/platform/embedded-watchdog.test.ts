import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from 'vitest';

import { startWatched } from '../../src/platform/database/embedded-watchdog.ts';

test('a server does not start in a directory that the end of the one before has removed: it is made again', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'socket-'));
  await rm(directory, { recursive: true });
  expect(await startWatched({ prefix: [] }, directory, ['true'], () => undefined)).toBeUndefined();
});
