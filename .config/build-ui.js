// Builds the pages of src/ui into dist/ui: `npm run build:ui`, or with `--if-changed` only if a source has changed
// since the last build, or none was made. Plain JavaScript: the launcher asks it at every start, before anything is
// compiled.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const UI = path.join(root, 'dist/ui');
const PAGES = ['desk', 'sandbox'];
/** Holds the hash of the sources that dist/ui was built from. */
const BUILT_FROM = path.join(UI, 'built-from');
const SOURCES = [
  'src/ui',
  'src/contract',
  'src/platform/text',
  'src/desk/offered.ts',
  '.config/vite.config.ts',
  '.config/build-ui.js',
  'tsconfig.json',
  'package-lock.json',
];
/** A build that holds the lock for longer has been killed. */
const LOCK_MS = 120_000;

/** Builds the pages in another process if they are not those of the current sources. What that says goes to stderr. */
export function buildIfChanged() {
  if (isCurrent(hashOfSources())) return;
  spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--if-changed'], { stdio: ['ignore', 2, 2] });
}

/** A hash of contents: times of modification differ in each clone. */
function hashOfSources() {
  const hash = createHash('sha256');
  const note = (file) => {
    const content = readIfThere(path.join(root, file));
    if (content !== undefined) hash.update(`${file} ${content.length}\n`).update(content);
  };
  for (const source of SOURCES)
    if (path.extname(source) !== '') note(source);
    else
      for (const file of readdirSync(path.join(root, source), { recursive: true }).sort())
        if (path.extname(file) !== '') note(path.join(source, file));
  return hash.digest('hex');
}

const isCurrent = (hash) => String(readIfThere(BUILT_FROM)) === hash;

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function build(onlyIfChanged) {
  // Tests have another one, with which React's development build would be taken.
  process.env.NODE_ENV = 'production';
  const vite = await import('vite').catch((error) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (!vite) {
    console.error(
      'Vite is not installed, so the pages in src/ui are not built. Install the development packages too (`npm ci`).',
    );
    return onlyIfChanged ? 0 : 1;
  }
  await withLock(async () => {
    const hash = hashOfSources();
    if (onlyIfChanged && isCurrent(hash)) return;
    console.error('Building the pages in src/ui …');
    for (const page of PAGES) {
      const draft = path.join(UI, `${page}.draft`);
      await vite.build({
        configFile: path.join(root, '.config/vite.config.ts'),
        configLoader: 'native',
        mode: page,
        logLevel: 'warn',
        build: { outDir: draft },
      });
      rmSync(path.join(UI, page), { recursive: true, force: true });
      renameSync(draft, path.join(UI, page));
    }
    writeFileSync(BUILT_FROM, hash);
  });
  return 0;
}

/** Several programs of a checkout may be started at once: one of them builds, the others wait for it. */
async function withLock(work) {
  const lock = path.join(UI, 'lock');
  mkdirSync(UI, { recursive: true });
  for (;;)
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > LOCK_MS) rmSync(lock, { recursive: true, force: true });
      await wait(100);
    }
  try {
    await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await build(process.argv.includes('--if-changed'));
