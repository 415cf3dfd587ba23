/**
 * Breaks the program in many small ways and counts the mutants that the tests find:
 *
 *   node test/mutate.ts --seed 1 --count 40
 *
 * Each mutant runs the tests that name its file, then those that import it by way of others, then the rest of `npm
 * test`, until one fails; one of `src/ui`, which no other test loads, runs the browser tests. A mutant counts as found
 * if the file of the failed test fails a second time: a test that failed by chance finds nothing. Results are appended
 * to a file; an interrupted run continues where it stopped. The checkout is copied, not changed.
 *
 *   --seed N        selects the mutants; the same ones each time
 *   --count N       number of mutants; 40
 *   --related-only  a mutant that passes the related tests has survived
 *   --tree DIR      another checkout to break in the same ways; mutants without a place there are left out
 *   --only ID,ID    run these mutants only, even if they have a result
 *   --out FILE      the file of results; by default named by seed and tree, in the temporary directory
 *   --minutes N     a mutant that takes longer hangs, which counts as found; 20
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { z } from 'zod';

import { type Mutant, mutatedText, sample } from './harness/mutants.ts';
import { seeded } from './harness/seeded.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Runs only against Slack itself: no test can cover it. */
const UNTESTED = /^src\/sandbox\/live(-facts\/|\.ts)/;
/** Time for a run to end after SIGTERM. */
const END_MS = 20_000;
/** Lines of a failed run that names no test. */
const LAST_LINES = 30;
/** The configuration of `npm test` and `npm run test:scenarios`. */
const FAST = 'vitest.config.ts';
/** That of `npm run test:browser`. */
const BROWSER = 'vitest.browser.ts';

const number = z.coerce.number().int().min(0);
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    tree: { type: 'string', default: ROOT },
    only: { type: 'string' },
    out: { type: 'string' },
    'related-only': { type: 'boolean', default: false },
    minutes: { type: 'string', default: '20' },
  },
});
const options = {
  seed: number.parse(values.seed),
  count: number.min(1).parse(values.count),
  tree: path.resolve(values.tree),
  only: values.only?.split(','),
  relatedOnly: values['related-only'],
  limitMs: number.min(1).parse(values.minutes) * 60_000,
};
const out =
  values.out ??
  path.join(tmpdir(), `mutants-${options.seed}-${options.tree.replaceAll(/\W+/g, '-').slice(1)}.jsonl`);

const Result = z.object({
  id: z.string(),
  outcome: z.enum(['found', 'hung', 'survived', 'absent']),
  /** The tests that found it: those that name its file, import it by way of others, are in chromium, or any other. */
  by: z.enum(['direct', 'related', 'browser', 'all']).nullable(),
  /** The first test that failed. */
  test: z.string().nullable(),
  seconds: z.number(),
});
type Result = z.infer<typeof Result>;

async function main(): Promise<void> {
  const mutants = await chosen();
  const known = await resultsBefore();
  const scratch = await mkdtemp(path.join(tmpdir(), 'deskbridge-mutants-'));
  try {
    const files = await copyTree(scratch);
    console.info(`seed ${options.seed}: ${mutants.length} mutants of ${options.tree}, results in ${out}`);
    for (const [at, mutant] of mutants.entries()) {
      const before = known.get(mutant.id);
      const result = before ?? (await tried(scratch, files, mutant));
      known.set(mutant.id, result);
      if (!before) await appendFile(out, `${JSON.stringify({ ...result, mutant })}\n`);
      const { file, line, operator } = mutant;
      const how = [result.outcome, result.by ?? '', result.test ?? ''].filter(Boolean).join(', ');
      console.info(`${at + 1}/${mutants.length} ${mutant.id} ${file}:${line} ${operator}: ${how}`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  report(mutants, known);
}

/** Always of this checkout: another one is broken in the same ways. */
async function chosen(): Promise<Mutant[]> {
  const sources = new Map<string, string>();
  for (const file of await filesOf(ROOT))
    if (/^src\/.*\.ts$/.test(file) && !UNTESTED.test(file))
      sources.set(file, await readFile(path.join(ROOT, file), 'utf8'));
  const mutants = sample(sources, { count: options.count, random: seeded(options.seed) });
  const { only } = options;
  return only ? mutants.filter(({ id }) => only.includes(id)) : mutants;
}

async function resultsBefore(): Promise<Map<string, Result>> {
  if (options.only || !existsSync(out)) return new Map();
  const lines = (await readFile(out, 'utf8')).split('\n').filter(Boolean);
  return new Map(lines.map((line) => Result.parse(JSON.parse(line))).map((result) => [result.id, result]));
}

async function filesOf(tree: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\0').filter((file) => file && existsSync(path.join(tree, file)));
}

/** Returns the files that were copied. */
async function copyTree(scratch: string): Promise<string[]> {
  const files = await filesOf(options.tree);
  for (const file of files) {
    await mkdir(path.dirname(path.join(scratch, file)), { recursive: true });
    await cp(path.join(options.tree, file), path.join(scratch, file));
  }
  await symlink(path.join(options.tree, 'node_modules'), path.join(scratch, 'node_modules'));
  return files;
}

async function tried(scratch: string, files: readonly string[], mutant: Mutant): Promise<Result> {
  const began = performance.now();
  const file = path.join(scratch, mutant.file);
  const source = existsSync(file) ? await readFile(file, 'utf8') : '';
  const broken = mutatedText(source, mutant);
  const result = (
    outcome: Result['outcome'],
    by: Result['by'] = null,
    test: string | null = null,
  ): Result => ({
    id: mutant.id,
    outcome,
    by,
    test,
    seconds: Math.round((performance.now() - began) / 1000),
  });
  if (broken === undefined) return result('absent');
  await writeFile(file, broken);
  try {
    if (mutant.file.startsWith('src/ui/')) {
      const inBrowser = await confirmed(scratch, ['run'], BROWSER);
      return inBrowser.outcome === 'passed'
        ? result('survived')
        : result(inBrowser.outcome, 'browser', inBrowser.test);
    }
    const near = await testsThatName(scratch, files, mutant.file);
    const direct = near.length > 0 ? await confirmed(scratch, ['run', ...near]) : undefined;
    if (direct && direct.outcome !== 'passed') return result(direct.outcome, 'direct', direct.test);
    const related = await confirmed(scratch, ['related', '--run', '--passWithNoTests', mutant.file]);
    if (related.outcome !== 'passed') return result(related.outcome, 'related', related.test);
    if (options.relatedOnly) return result('survived');
    const rest = ['run', ...related.passed.map((file) => `--exclude=${file}`)];
    const all = await confirmed(scratch, rest);
    return all.outcome === 'passed' ? result('survived') : result(all.outcome, 'all', all.test);
  } finally {
    await writeFile(file, source);
  }
}

/** Returns the tests that import a file themselves; they find most mutants, in seconds. */
async function testsThatName(scratch: string, files: readonly string[], file: string): Promise<string[]> {
  const tests: string[] = [];
  for (const test of files)
    if (test.endsWith('.test.ts') && (await readFile(path.join(scratch, test), 'utf8')).includes(`/${file}'`))
      tests.push(test);
  return tests.filter((test) => !/^test\/(drills|browser)\//.test(test));
}

interface Outcome {
  outcome: 'passed' | 'found' | 'hung';
  /** The files whose tests passed. */
  passed: readonly string[];
  /** The first test that failed. */
  test: string | null;
}

/**
 * Runs tests. If one fails whose file passes the second time, it failed by chance, and all run again, twice at most. So
 * they do if the run fails without a test: that may be an error of the run itself, whose end is printed.
 */
async function confirmed(scratch: string, args: readonly string[], suite = FAST): Promise<Outcome> {
  for (let run = 1; ; run++) {
    const first = await vitest(scratch, args, suite);
    if (first.outcome !== 'found' || run === 3) return first;
    const file = /test\/\S+\.test\.ts/.exec(first.test ?? '')?.[0];
    if (file === undefined) {
      console.info(`failed without a test:\n${first.test}`);
      continue;
    }
    const second = await vitest(scratch, ['run', file], suite);
    if (second.outcome !== 'passed') return first;
    console.info(`failed once and passed the second time: ${first.test}`);
  }
}

/** Runs tests until one fails. A run that takes too long hangs; it is ended with all its processes. */
async function vitest(scratch: string, args: readonly string[], suite: string): Promise<Outcome> {
  const vitest = path.join(scratch, 'node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, ...args, '--config', `.config/${suite}`, '--bail=1', '--retry=0', '--reporter=default'],
    {
      cwd: scratch,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, NO_COLOR: '1' },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const end = (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      // It has ended just now.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  const limit = AbortSignal.timeout(options.limitMs);
  limit.addEventListener('abort', () => end('SIGTERM'));
  const last = AbortSignal.timeout(options.limitMs + END_MS);
  last.addEventListener('abort', () => end('SIGKILL'));
  const [code] = (await once(child, 'close')) as [number | null];
  const hung = limit.aborted;
  const test = /^ ?FAIL\s+(.+)$/m.exec(output)?.[1]?.replaceAll(/\s+/g, ' ') ?? null;
  const passed = [...output.matchAll(/^ ✓ .*?(test\/\S+\.test\.ts)/gm)].map(([, file = '']) => file);
  if (hung) return { outcome: 'hung', passed, test };
  if (code === 0) return { outcome: 'passed', passed, test: null };
  return { outcome: 'found', passed, test: test ?? output.trim().split('\n').slice(-LAST_LINES).join('\n') };
}

function report(mutants: readonly Mutant[], results: ReadonlyMap<string, Result>): void {
  const of = (outcome: Result['outcome']) => mutants.filter(({ id }) => results.get(id)?.outcome === outcome);
  const survivors = of('survived');
  if (survivors.length > 0) console.info('\nSurvived:');
  for (const { id, file, line, operator, before, after } of survivors) {
    console.info(`\n${id} ${file}:${line} ${operator}`);
    console.info(marked('- ', before));
    console.info(marked('+ ', after));
  }
  const tried = mutants.length - of('absent').length;
  const found = of('found').length + of('hung').length;
  const absent = of('absent').length > 0 ? `; ${of('absent').length} do not stand in that tree` : '';
  console.info(
    `\nfound ${found} of ${tried} (${((found / tried) * 100).toFixed(1)} %), ${of('hung').length} of them hung${absent}`,
  );
}

const marked = (mark: string, lines: string) =>
  lines
    .split('\n')
    .map((line) => mark + line)
    .join('\n');

await main();
