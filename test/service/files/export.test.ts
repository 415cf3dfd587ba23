import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { File } from '../../../src/contract/index.ts';
import { runCommand } from '../../harness/run-command.ts';
import { startTestService } from '../harness.ts';
import { uploadFile, uploadToMessage } from '../upload.ts';

test('files of an export come back to their tickets and messages, once', async () => {
  const running = await startTestService();
  const { call, url, token } = running;
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'Exported' } });
  const { body: message } = await call('POST', '/ticket-messages', {
    body: { ticketId: ticket.id, content: 'See' },
  });
  const at = `/tickets/${ticket.id}/files`;
  const bytes = randomBytes(900_000);
  await uploadFile(running, `${at}?attach=true`, { name: 'größe.bin', bytes });
  await uploadToMessage(running, message.id, [{ name: 'same.bin', bytes }]);
  await uploadToMessage(running, message.id, [{ name: 'text.txt' }]);
  const files = async () =>
    ((await call('GET', at)).body.items as unknown as File[]).map(({ name, hash, messageId }) => ({
      name,
      hash,
      messageId,
    }));
  const before = await files();
  expect(before).toHaveLength(3);

  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const environment = { SERVICE_URL: url, SERVICE_API_TOKEN: token };
  const exported = await runCommand(['export', folder], environment);
  expect([exported.code, exported.err]).toEqual([0, '']);
  expect((await readdir(path.join(folder, 'contents'))).sort()).toEqual(
    [...new Set(before.map(({ hash }) => hash))].sort(),
  );

  for (const { id } of (await call('GET', at)).body.items) await call('DELETE', `/files/${id}`);
  expect(await files()).toEqual([]);
  const imported = await runCommand(['import', 'files', folder], environment);
  expect([imported.code, imported.err]).toEqual([0, '']);
  expect(imported.out).toContain('3 files uploaded; 0 were there already.');
  expect(await files()).toEqual(before);
  const again = await runCommand(['import', 'files', folder], environment);
  expect(again.out).toContain('0 files uploaded; 3 were there already.');
  expect(await files()).toEqual(before);
});
