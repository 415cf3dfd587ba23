import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { createFileClient } from '../../src/client/index.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch } from '../service/launch.ts';

const MEGABYTE = 1024 ** 2;
const SIZE = 100;

/** What counts is what the program holds, not how much garbage happens to wait: that is collected all the time. */
const COLLECTS = ['--expose-gc', '--import', 'data:text/javascript,setInterval(gc, 50).unref()'];

/** Resident memory of a process, in megabytes. */
async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

test('a file of 100 MB comes and goes with at most 30 MB more memory', { timeout: 300_000 }, async () => {
  const { url, token, call, pid } = await launch(await serviceDatabase(), { nodeOptions: COLLECTS });
  const files = createFileClient({ baseUrl: url, token });
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'Large' } });
  // The first files load what every later one needs.
  const warm = async () => {
    const bytes = (async function* () {
      for (let n = 0; n < 10; n++) yield randomBytes(MEGABYTE);
    })();
    const { id } = await files.upload({ ticketId: ticket.id, name: 'warm', bytes });
    await (await files.download(id)).resume().toArray();
  };
  for (let n = 0; n < 3; n++) await warm();

  const before = await memoryOf(pid);
  let most = before;
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      most = Math.max(most, await memoryOf(pid));
      await pause(20);
    }
  })();
  const sent = createHash('sha256');
  const startedAt = performance.now();
  const { id, hash } = await files.upload({
    ticketId: ticket.id,
    name: 'large',
    bytes: (async function* () {
      for (let n = 0; n < SIZE; n++) {
        const bytes = randomBytes(MEGABYTE);
        sent.update(bytes);
        yield bytes;
      }
    })(),
  });
  const uploaded = performance.now();
  const received = createHash('sha256');
  for await (const part of (await files.download(id)) as AsyncIterable<Buffer>) received.update(part);
  const downloaded = performance.now();
  stop.abort();
  await watching;
  await files.close();
  expect([hash, received.digest('hex')]).toEqual(Array(2).fill(sent.digest('hex')));
  console.log({
    before: Math.round(before),
    most: Math.round(most),
    uploadMs: Math.round(uploaded - startedAt),
    downloadMs: Math.round(downloaded - uploaded),
  });
  expect(most - before).toBeLessThanOrEqual(30);
});
