// A checkout's program in a few files: Node finds, reads and links some 850 modules of ours and 2,000 of packages in
// about a second, and these in a quarter of it. Built when the program is first started, and again when a source or a
// package has changed, which takes about as long as the start from the sources themselves. Plain JavaScript: it runs at
// every start, before there is anything that was compiled.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { buildIfChanged } from './build-ui.js';

const root = path.resolve(import.meta.dirname, '..');
const CACHE = path.join(root, 'node_modules/.cache/deskbridge');
/** Sources that the program does not import. */
const PAGES = path.join(root, 'src/ui');
/** A program that runs loads parts of its build when they are first needed: builds are kept by their last starts. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const KEPT = 5;

/** Packages that find their own files beside them, or that need not be installed. */
const APART = /^(pino|pino-pretty|pg-native|@scalar\/|@opentelemetry\/)/;

/** The address of the built program's first module, with the pages of the command; undefined where it cannot be built. */
export function built(command = 'start') {
  if (['start', 'sandbox'].includes(command)) buildIfChanged();
  const folder = path.join(CACHE, stateOfSources());
  const main = path.join(folder, 'main.js');
  if (!existsSync(main) && !build(folder)) return undefined;
  noteStart(folder);
  return pathToFileURL(main);
}

/** Another one for all that a build is made of, without reading it. */
function stateOfSources() {
  const hash = createHash('sha256').update(root);
  const note = (file) => {
    const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  };
  for (const entry of readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.startsWith(PAGES))
      note(path.join(entry.parentPath, entry.name));
  for (const file of ['.config/build.js', 'node_modules/.package-lock.json']) note(path.join(root, file));
  return hash.digest('hex').slice(0, 16);
}

/** Whether it could be built: where only what runs is installed it cannot, nor where nothing can be written. */
function build(folder) {
  if (!existsSync(path.join(root, 'node_modules/rolldown'))) return false;
  // The builder takes half a gigabyte, which this process would keep for as long as it runs.
  spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder], { stdio: 'ignore' });
  // Another start may have been quicker.
  return existsSync(path.join(folder, 'main.js'));
}

async function write(folder) {
  const draft = `${folder}.${process.pid}`;
  try {
    const { rolldown } = await import('rolldown');
    forgetOld();
    const bundle = await rolldown({
      input: path.join(root, 'src/main.ts'),
      platform: 'node',
      resolve: { mainFields: ['module', 'main'] },
      // What counts for itself brings its own copy of the interface that it counts by.
      external: (id, from) => APART.test(id) && !from?.includes('/prom-client/'),
      plugins: [{ name: 'own-address', transform: ownAddress }],
      logLevel: 'silent',
    });
    await bundle.write({
      dir: draft,
      entryFileNames: 'main.js',
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    await bundle.close();
    await keepOnlyLines(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Keeps of the source maps only what tells the line of a stack. The program reads a whole map when the first error is
 * made in its file, and keeps it: with each column and name, those of one start take 35 MB.
 */
async function keepOnlyLines(folder) {
  const { decode, encode } = await import('@jridgewell/sourcemap-codec');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.map'))) {
    const file = path.join(folder, name);
    const map = JSON.parse(readFileSync(file, 'utf8'));
    let last = {};
    const mappings = decode(map.mappings).map((segments) => {
      const kept = [];
      for (const [column, source, line, sourceColumn] of segments) {
        if (source === undefined || (source === last.source && line === last.line)) continue;
        kept.push([column, source, line, sourceColumn]);
        last = { source, line };
      }
      return kept;
    });
    writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(mappings) }));
  }
}

/** Modules find what lies beside them by their own address, which stays that of the source. */
const ownAddress = {
  filter: { id: /\/src\/.*\.ts$/, code: /import\.meta\.url/ },
  // The lines stay: there is nothing to map.
  handler: (code, id) => ({
    code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
    map: null,
  }),
};

function noteStart(folder) {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Where nothing can be written nothing is removed either.
  }
}

function forgetOld() {
  mkdirSync(CACHE, { recursive: true });
  const builds = readdirSync(CACHE)
    .map((name) => path.join(CACHE, name))
    .map((folder) => ({ folder, at: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity }))
    .sort((one, other) => other.at - one.at);
  for (const { folder, at } of builds.slice(KEPT))
    if (Date.now() - at > KEPT_MS) rmSync(folder, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write(process.argv[2]);
