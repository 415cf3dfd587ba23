import { execFile, spawn } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { freePorts } from './harness/ports.ts';
import { until } from './harness/until.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '..');
const LAUNCHER = path.resolve(import.meta.dirname, '../src/launch.js');
/** Preloaded, it makes the launcher take its Node for one that is too old. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })`;

test('B52 a launcher that handed over to Node 24 and is killed leaves no process that holds its ports', async () => {
  const [port = 0] = await freePorts(1);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'launch-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(port),
    LOG_PRETTY: 'false',
  };
  const launcher = spawn(process.execPath, ['--import', OLD_NODE, LAUNCHER, 'sandbox'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void launcher.kill());
  for await (const line of createInterface({ input: launcher.stdout }))
    if (line.includes('"msg":"ready"')) break;
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  expect(await answers()).toBe(true);
  launcher.kill('SIGKILL');
  await until('the program to end', async () => !(await answers()));
});

const ENTRIES = ['desk/main.tsx', 'desk/requests/main.tsx', 'sandbox/main.tsx'];

/** The part of a checkout that the pages are built from; of the pages themselves next to nothing, which is built at once. */
async function checkoutOfPages() {
  const folder = await mkdtemp(path.join(tmpdir(), 'pages-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of [
    'src/ui',
    'src/contract',
    'src/platform/text',
    'src/desk/offered.ts',
    '.config',
    'package.json',
    'tsconfig.json',
  ])
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  for (const entry of ENTRIES) await writeFile(path.join(folder, 'src/ui', entry), 'console.log(0);\n');
  const build = async () => {
    const builder = path.join(folder, '.config/build-ui.js');
    return (await run(process.execPath, [builder, '--if-changed'])).stderr;
  };
  return { folder, build };
}

test('pages are built when their sources have changed, once for all programs that start then', async () => {
  const { folder, build } = await checkoutOfPages();
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const first = await Promise.all([build(), build(), build()]);
  expect(first.toSorted()).toEqual(['', '', expect.stringMatching(/^Building the pages/)]);
  expect(await build()).toBe('');
  await appendFile(path.join(folder, 'src/ui/desk/main.tsx'), '\nconsole.log(1);\n');
  expect(await build()).toMatch(/^Building the pages/);
  expect(await build()).toBe('');
});

test('where Vite is not installed, the installation says that pages are not built, and goes on', async () => {
  const { build } = await checkoutOfPages();
  expect(await build()).toMatch(/^Vite is not installed, so the pages in src\/ui are not built/);
});

test('a stack of the built program names the line of the source, of ours and of a package', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-build-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const built = path.join(folder, 'built');
  await run(process.execPath, [path.join(ROOT, '.config/build.js'), built]);
  for (const [source, text] of [
    ['src/main.ts', 'function isParseArgsError('],
    ['src/bridge/reconcile/rounds.ts', 'const least = Math.max('],
    ['node_modules/undici/lib/core/util.js', 'function parseKeepAliveTimeout ('],
  ] as const)
    expect(await sourceOf(built, text)).toEqual({
      source,
      line: await lineOf(path.join(ROOT, source), text),
    });
});

/** The line on which a text first stands, from 1; the builder writes spaces of its own. */
async function lineOf(file: string, text: string): Promise<number> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return 1 + lines.findIndex((line) => line.replaceAll(' (', '(').includes(text.replaceAll(' (', '(')));
}

/** From where a line of the built program comes, as Node finds it for a stack. */
async function sourceOf(folder: string, text: string): Promise<{ source: string; line: number } | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue;
    const file = path.join(folder, name);
    const line = await lineOf(file, text);
    if (line === 0) continue;
    const map = JSON.parse(await readFile(`${file}.map`, 'utf8')) as SourceMapPayload;
    // In the middle of the line, where a call would be.
    const found = new SourceMap(map).findEntry(line - 1, 12);
    if (!('originalSource' in found)) return undefined;
    return {
      source: path.relative(ROOT, path.resolve(folder, found.originalSource)),
      line: found.originalLine + 1,
    };
  }
  return undefined;
}
