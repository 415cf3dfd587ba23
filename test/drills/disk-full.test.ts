import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { freePorts } from '../harness/ports.ts';
import { until } from '../harness/until.ts';

const TOKEN = 'dbk_key_of_the_drill_of_a_full_disk';
const launcher = path.resolve(import.meta.dirname, '../../src/launch.js');

/** Only root can mount a disk small enough to be filled. */
const testAsRoot = test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux');

async function smallDisk(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', folder]);
  // The embedded database runs as another user there.
  await chmod(folder, 0o755);
  onTestFinished(async () => {
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Writes a file until the disk is full. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  const bytes = [1024 * 1024, 4096].map((size) => Buffer.alloc(size, 'x'));
  try {
    for (const chunk of bytes)
      try {
        for (;;) writeSync(descriptor, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
  } finally {
    closeSync(descriptor);
  }
}

testAsRoot(
  'F3 on a full disk readiness fails, writes get the reason, reads continue, and everything recovers once there is room',
  async () => {
    const disk = await smallDisk();
    const [port, sandbox] = await freePorts(2);
    const program = spawn(process.execPath, [launcher, 'service'], {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: path.join(disk, 'data'),
        PORT: String(port),
        SANDBOX_PORT: String(sandbox),
        SERVICE_API_TOKEN: TOKEN,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(program, 'exit');
    onTestFinished(async () => {
      program.kill();
      await ended;
    });
    const root = `http://127.0.0.1:${port}`;
    // 0: it is not listening yet.
    const ready = () =>
      fetch(`${root}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    const open = async (title: string) => {
      const answer = await fetch(`${root}/api/tickets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-api-token': TOKEN },
        body: JSON.stringify({ title, description: `${title} `.repeat(5_000).slice(0, 60_000) }),
      });
      return { status: answer.status, body: (await answer.json()) as { id?: string; message?: string } };
    };
    const upload = async (ticket: string, name: string) => {
      const form = new FormData();
      form.append('file', new Blob([Buffer.alloc(300_000, name)]), `${name}.bin`);
      const answer = await fetch(`${root}/api/tickets/${ticket}/files?attach=true`, {
        method: 'POST',
        headers: { 'x-service-api-token': TOKEN },
        body: form,
      });
      return { status: answer.status, body: (await answer.json()) as { message?: string } };
    };
    await until('the program', async () => (await ready()) === 200);
    const kept = await open('before');
    expect(kept.status).toBe(200);

    const ballast = path.join(disk, 'ballast');
    fill(ballast);
    const refused = await until('a write that has no room', async () => {
      const answer = await open(`while it is full ${Math.random()}`);
      return answer.status === 200 ? undefined : answer;
    });
    expect([refused.status, refused.body.message]).toEqual([
      503,
      'The disk of the service’s database is full. Nothing was changed. Free some space, then try again.',
    ]);
    const file = await upload(kept.body.id ?? '', 'while');
    expect([file.status, file.body.message]).toEqual([503, refused.body.message]);
    expect(await ready()).toBe(503);
    expect(await ready()).toBe(503);
    const read = await fetch(`${root}/api/tickets/${kept.body.id ?? ''}`, {
      headers: { 'x-service-api-token': TOKEN },
    });
    expect(read.status).toBe(200);

    rmSync(ballast);
    await until('readiness', async () => (await ready()) === 200);
    expect((await open('afterwards')).status).toBe(200);
    expect((await upload(kept.body.id ?? '', 'afterwards')).status).toBe(200);
    const files = await fetch(`${root}/api/tickets/${kept.body.id ?? ''}/files`, {
      headers: { 'x-service-api-token': TOKEN },
    });
    const { items } = (await files.json()) as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toEqual(['afterwards.bin']);
  },
);
