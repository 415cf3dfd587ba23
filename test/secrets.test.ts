import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { ConfigError, readConfig } from '../src/start/config.ts';
import { requireDirectory, whyUnusable } from '../src/platform/directory.ts';
import { StartError } from '../src/platform/lifecycle.ts';
import { encryptionKeys, ownSecrets } from '../src/start/secrets.ts';

/** The generated key in a data directory without a configured one. */
async function keyOf(DATA_DIR: string): Promise<Buffer> {
  const [key = Buffer.alloc(0)] = await encryptionKeys({ DATA_DIR, TOKEN_ENCRYPTION_KEY: undefined });
  return key;
}

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'secrets-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return path.join(made, 'data');
}

test('the encryption key is created once, also by eight concurrent starts, and is readable by its owner only', async () => {
  const dataDir = await folder();
  const keys = await Promise.all(Array.from({ length: 8 }, () => keyOf(dataDir)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect(keys[0]).toHaveLength(32);
  const again = await keyOf(dataDir);
  expect(again.equals(keys[0] ?? Buffer.alloc(0))).toBe(true);
  expect(await readdir(dataDir)).toEqual(['encryption-key.json']);
  const { mode } = await stat(path.join(dataDir, 'encryption-key.json'));
  expect(mode & 0o077).toBe(0);
});

test('the API key can be deleted without losing the encryption key', async () => {
  const dataDir = await folder();
  const [key, { serviceApiToken }] = [await keyOf(dataDir), await ownSecrets(dataDir)];
  await rm(path.join(dataDir, 'secrets.json'));
  expect((await ownSecrets(dataDir)).serviceApiToken).not.toBe(serviceApiToken);
  expect((await keyOf(dataDir)).equals(key)).toBe(true);
});

test('an unreadable encryption key ends the start and is never replaced', async () => {
  const dataDir = await folder();
  await keyOf(dataDir);
  const file = path.join(dataDir, 'encryption-key.json');
  await writeFile(file, '{ "encryptionKey": "too short" }');
  await expect(keyOf(dataDir)).rejects.toBeInstanceOf(StartError);
  expect(await readFile(file, 'utf8')).toContain('too short');
});

test('a data directory that cannot be created ends the start with its name and the fix', async () => {
  const dataDir = await folder();
  await symlink(`${dataDir}-unmounted`, dataDir);
  for (const place of [dataDir, path.join(dataDir, 'below')]) {
    const refused = keyOf(place);
    await expect(refused).rejects.toBeInstanceOf(StartError);
    await expect(refused).rejects.toThrow(`in the data directory ${place} (`);
    await expect(refused).rejects.toThrow(/Set DATA_DIR to .* or set TOKEN_ENCRYPTION_KEY/);
  }
});

test('TOKEN_ENCRYPTION_KEY is 32 bytes in base64 of either alphabet, or several of them', () => {
  const [one, two] = [Buffer.alloc(32, 0xfb), Buffer.alloc(32, 7)];
  const read = (TOKEN_ENCRYPTION_KEY: string) => readConfig({ TOKEN_ENCRYPTION_KEY }).TOKEN_ENCRYPTION_KEY;
  expect(read(`${one.toString('base64url')}, ${two.toString('base64')}`)).toEqual([one, two]);
  for (const wrong of ['secret', one.toString('hex'), `${one.toString('base64')},`]) {
    expect(() => read(wrong)).toThrow(ConfigError);
    expect(() => read(wrong)).toThrow(/^TOKEN_ENCRYPTION_KEY must be 32 bytes in base64(?!.*secret)/);
  }
  expect(() => readConfig({ TOKEN_ENCRYPTION_KEYS: 'x' })).toThrow(/did you mean TOKEN_ENCRYPTION_KEY\?/);
});

test('a data directory that cannot be used is named with its owner and what to do, and nothing spins', async () => {
  await expect(requireDirectory('/proc/nope')).rejects.toThrow(
    'The folder /proc/nope cannot be created (ENOENT). Create it for this program. Or set DATA_DIR to another folder.',
  );
  await expect(requireDirectory('/proc/nope/below/it')).rejects.toBeInstanceOf(StartError);
  const dataDir = await folder();
  await requireDirectory(dataDir);
  await writeFile(path.join(dataDir, 'sandbox.db'), 'x');
  await requireDirectory(dataDir);
  const file = path.join(dataDir, 'a-file');
  await writeFile(file, 'x');
  await expect(requireDirectory(file)).rejects.toThrow(`The folder ${file} cannot be created (EEXIST).`);
  await expect(requireDirectory(path.join(file, 'below'))).rejects.toThrow('(ENOTDIR)');
});

test('a folder, a file or a file system that this program may not change is said with its owner', () => {
  const at = { directory: '/data', file: '/data', owner: 0, user: 1000 };
  const table: [facts: Partial<typeof at> & { code: string }, says: string][] = [
    [
      { code: 'EACCES' },
      'The folder /data cannot be used (EACCES): it belongs to root, and this program runs as user 1000.',
    ],
    [{ code: 'EACCES' }, 'sudo chown -R 1000 /data'],
    [
      { code: 'EPERM', file: '/data/sandbox.db', owner: 501 },
      'sandbox.db in /data cannot be used (EPERM): it belongs to user 501,',
    ],
    [{ code: 'EACCES', file: '/data/postgres', owner: 1000 }, 'chmod -R u+rwX /data'],
    [{ code: 'EROFS' }, 'The folder /data is on a file system that is read-only.'],
  ];
  for (const [facts, says] of table) expect(whyUnusable({ ...at, ...facts })).toContain(says);
});
