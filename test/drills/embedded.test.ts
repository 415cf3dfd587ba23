import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { locateBinaries } from '../../src/platform/database/embedded-binaries.ts';
import { describeFailure } from '../../src/platform/database/embedded-error.ts';
import { findPostmaster } from '../../src/platform/database/embedded-postmaster.ts';
import { openDatabase, pingDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
/** Only root can switch to another user for these tests. */
const testAsRoot = test.skipIf(!isRoot);

let home: string;
let cleanups: (() => Promise<unknown>)[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  cleanups = [];
});

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  await expect.poll(() => findPostmaster(join(home, 'postgres'))).toBeUndefined();
  await rm(home, { recursive: true, force: true });
});

async function start(dataDir = home): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, log, fsync: false });
  cleanups.push(() => database.stop());
  return database;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

type Line = Partial<{
  attached: boolean;
  url: string;
  written: number;
  stopped: boolean;
  reason: string;
  message: string;
}>;

/** Another process that uses the database; see embedded-user.ts. */
function user(dataDir = home, options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {}) {
  const program = join(import.meta.dirname, 'harness/embedded-user.ts');
  const child: ChildProcess = spawn(process.execPath, [program, dataDir], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  let closed = false;
  if (!child.stdout) throw new Error('no output');
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      lines.push(JSON.parse(line) as Line);
      for (const wake of waiting) wake();
    })
    .on('close', () => {
      closed = true;
      for (const wake of waiting) wake();
    });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    lines,
    /** The first matching line, now or later. */
    async line(fits: (line: Line) => boolean): Promise<Line> {
      for (;;) {
        const found = lines.find(fits);
        if (found) return found;
        if (closed) throw new Error(`the process ended after ${JSON.stringify(lines.at(-1))}`);
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.stdin?.end();
      await exited;
    },
    get written() {
      return Math.max(0, ...lines.map(({ written = 0 }) => written));
    },
  };
}

const gone = (dataDir = home) => expect.poll(() => findPostmaster(join(dataDir, 'postgres'))).toBeUndefined();

describe('a new data directory', () => {
  test('gets a database that openDatabase can use, without leftovers of its creation', async () => {
    const embedded = await start();
    const database = openDatabase({ url: embedded.url, schema: 'public', log });
    await pingDatabase(database.db);
    await database.close();
    expect(embedded.attached).toBe(false);
    expect(await readdir(home)).toEqual(['postgres']);
  });

  test('has a collation that knows letters beyond ASCII, which search needs for most languages', async () => {
    const { url } = await start();
    const [row] = await query(url, `select 'ÄRGER' ilike 'ärger' as folded, 'a' < 'B' as by_language`);
    expect(row).toEqual({ folded: true, by_language: false });
  });

  test('may have a path of 150 characters, which is too long for a socket', async () => {
    const deep = join(home, 'x'.repeat(80), 'y'.repeat(70));
    const { url } = await start(deep);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('is initialised once when two processes start at the same time, and both use the same database', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect([one.attached, two.attached].sort()).toEqual([false, true]);
    await query(one.url, 'create table shared (n int)');
    expect(await query(two.url, 'select * from shared')).toEqual([]);
    expect(await readdir(home)).toEqual(['postgres']);
  });

  test('ignores PG* variables of the environment', async () => {
    const other = user(home, {
      env: { ...process.env, PGPORT: '1', PGDATA: '/nowhere', PGSSLMODE: 'require' },
    });
    expect((await other.line(() => true)).attached).toBe(false);
  });
});

describe('stored data', () => {
  test('survives a stop and start', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as n');
    await first.stop();
    const second = await start();
    expect(second.attached).toBe(false);
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }]);
  });

  test('survives SIGKILL of the process that started Postgres once acknowledged, and Postgres ends with that process', async () => {
    const writer = user();
    await writer.line(({ written = 0 }) => written >= 50);
    await writer.kill();
    await gone();
    const { url, attached } = await start();
    expect(attached).toBe(false);
    const [row] = await query(url, 'select count(*)::int as n from written');
    expect(row?.n).toBeGreaterThanOrEqual(writer.written);
  });

  test('survives SIGKILL of Postgres itself once acknowledged, and an immediate start succeeds', async () => {
    const writer = user();
    await writer.line(({ written = 0 }) => written >= 20);
    const postmaster = await findPostmaster(join(home, 'postgres'));
    if (typeof postmaster !== 'object') throw new Error('no server');
    process.kill(postmaster.pid, 'SIGKILL');
    await writer.kill();
    const { url } = await start();
    const [row] = await query(url, 'select count(*)::int as n from written');
    expect(row?.n).toBeGreaterThanOrEqual(writer.written);
  });
});

describe('a second process', () => {
  test('attaches, and when it stops, the server keeps running for the first', async () => {
    const first = user();
    await first.line(({ written = 0 }) => written >= 1);
    const second = await start();
    expect(second.attached).toBe(true);
    await second.stop();
    const before = first.written;
    await first.line(({ written = 0 }) => written > before + 5);
  });

  test('continues undisturbed when the first is killed, and the server ends with the last', async () => {
    const first = user();
    await first.line(({ written = 0 }) => written >= 1);
    const second = user();
    expect((await second.line(() => true)).attached).toBe(true);
    await first.kill();
    const before = second.written;
    await second.line(({ written = 0 }) => written > before + 20);
    await second.stop();
    expect(second.lines.at(-1)).toEqual({ stopped: true });
    await gone();
  });

  test('continues undisturbed when the first stops', async () => {
    const first = await start();
    const second = user();
    await second.line(({ written = 0 }) => written >= 1);
    await first.stop();
    const before = second.written;
    await second.line(({ written = 0 }) => written > before + 20);
  });
});

test('a crashed server is restarted at the same address', async () => {
  const { url } = await start();
  const postmaster = await findPostmaster(join(home, 'postgres'));
  if (typeof postmaster !== 'object') throw new Error('no server');
  process.kill(postmaster.pid, 'SIGKILL');
  await expect.poll(() => query(url, 'select 1 as one').catch(() => [])).toEqual([{ one: 1 }]);
});

describe('the user that starts it', () => {
  testAsRoot('may be an ordinary user; root later uses the database as that user', async () => {
    await chown(home, NOBODY, NOBODY);
    const ordinary = user(home, { uid: NOBODY, gid: NOBODY });
    await ordinary.line(({ written = 0 }) => written >= 1);
    await ordinary.stop();
    const asRoot = await start();
    await asRoot.stop();
    const again = user(home, { uid: NOBODY, gid: NOBODY });
    expect((await again.line(() => true)).attached).toBe(false);
  });

  testAsRoot('may have a user id without a name', async () => {
    await chown(home, 12345, 12345);
    const nameless = user(home, { uid: 12345, gid: 12345 });
    expect((await nameless.line(() => true)).attached).toBe(false);
  });

  testAsRoot('may be root, even without user namespaces', async () => {
    await chmod(home, 0o755);
    const env = { PATH: await pathWithout('unshare') };
    const root = user(home, { env });
    expect((await root.line(() => true)).attached).toBe(false);
    await root.kill();
    await gone();
    expect((await user(home, { env }).line(() => true)).attached).toBe(false);
  });

  testAsRoot(
    'gets an error with the fix if root cannot switch to a user with access to the directory',
    async () => {
      const closed = join(home, 'data');
      await mkdir(closed);
      const line = await user(closed, { env: { PATH: await pathWithout('unshare') } }).line(() => true);
      expect(line).toMatchObject({ reason: 'cannot-run' });
      expect(line.message).toMatch(/start deskbridge as an ordinary user, or set DATABASE_URL/);
    },
  );

  testAsRoot('gets an error with the fix if the directory belongs to another user', async () => {
    const first = user();
    await first.line(() => true);
    await first.stop();
    for (const mode of [0o700, 0o755]) {
      await chmod(home, mode);
      const line = await user(home, { uid: NOBODY, gid: NOBODY }).line(() => true);
      expect(line).toMatchObject({ reason: 'not-writable' });
      expect(line.message).toMatch(/DATA_DIR.*DATABASE_URL/);
    }
  });

  const paths: string[] = [];
  // Not earlier: the watchdog of a server that is just ending needs its programs.
  afterAll(() => Promise.all(paths.map((bin) => rm(bin, { recursive: true }))));

  /** A PATH with every program of the current one except `missing`. */
  async function pathWithout(missing: string): Promise<string> {
    const bin = await mkdtemp(join(tmpdir(), 'embedded-test-bin-'));
    paths.push(bin);
    await chmod(bin, 0o755);
    for (const name of ['sh', 'env', 'id', 'mkfifo', 'mv', 'rm', 'rmdir', 'unshare']) {
      if (name === missing) continue;
      for (const directory of (process.env.PATH ?? '').split(delimiter).reverse())
        if (existsSync(join(directory, name)))
          await symlink(join(directory, name), join(bin, name)).catch(() => undefined);
    }
    return bin;
  }
});

describe('an error is one sentence that ends with the fix:', () => {
  test('a platform without binaries', async () => {
    await expect(locateBinaries('win32-x64')).rejects.toThrow(
      /no embedded database for win32-x64.*DATABASE_URL/,
    );
  });

  test('a package that is not installed', async () => {
    const foreign = process.platform === 'darwin' ? 'linux-x64' : 'darwin-x64';
    await expect(locateBinaries(foreign)).rejects.toThrow(/not installed: run `npm ci`.*DATABASE_URL/);
  });

  test('a cluster of another major version', async () => {
    await mkdir(join(home, 'postgres'));
    await writeFile(join(home, 'postgres', 'PG_VERSION'), '15\n');
    await expect(start()).rejects.toThrow(/created by Postgres 15.*has 18.*DATABASE_URL/);
  });

  test('a data directory that is a file', async () => {
    await writeFile(join(home, 'file'), '');
    await expect(start(join(home, 'file'))).rejects.toThrow(
      /file cannot be created \(.*DATA_DIR.*DATABASE_URL/,
    );
  });

  test('a data directory behind a link to a disk that is not mounted', async () => {
    await symlink(join(home, 'unmounted'), join(home, 'disk'));
    await expect(start(join(home, 'disk', 'data'))).rejects.toThrow(
      /disk\/data cannot be created \(.*DATA_DIR.*DATABASE_URL/,
    );
  });

  test('a full disk', () => {
    const error = describeFailure(
      'It cannot be made',
      '/data',
      'initdb: error: write failed: No space left on device',
    );
    expect(error.reason).toBe('disk-full');
    expect(error.message).toMatch(/the disk with \/data is full: .*DATABASE_URL/);
  });

  test('a damaged cluster', async () => {
    const first = await start();
    await first.stop();
    await rm(join(home, 'postgres', 'global', 'pg_control'));
    await expect(start()).rejects.toThrow(/does not start in .*pg_control.*DATABASE_URL/);
  });
});
