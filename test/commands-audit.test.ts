import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { runCommand } from './harness/run-command.ts';
import { startWorld } from './harness/world.ts';

test('audit prints who did what, by action and as JSON, and who exported everything', async () => {
  const { service, environment } = await startWorld();
  const { id } = await service.createTag({ body: { name: 'audited' } });
  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-audit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const exported = await runCommand(['export', folder], environment);
  expect([exported.code, exported.err]).toEqual([0, '']);

  const all = await runCommand(['audit'], environment);
  const line = all.out.split('\n').find((one) => one.includes(id));
  expect(line?.split('\t')).toEqual([
    expect.stringMatching(/Z$/),
    'settings.changed',
    expect.stringMatching(/^API key /),
    id,
    'Create a tag.',
  ]);
  const exports = ['audit', '--since', '1h', '--action', 'data.exported', '--json'];
  const lines = (await runCommand(exports, environment)).out.trim().split('\n');
  expect(lines.map((one) => JSON.parse(one) as object)).toMatchObject([
    { action: 'data.exported', actorId: null, reason: 'All records were exported by `deskbridge export`.' },
  ]);
  for (const wrong of [['--since', 'yesterday'], ['--action', 'nothing'], ['more']])
    expect((await runCommand(['audit', ...wrong], environment)).code).toBe(1);
});
