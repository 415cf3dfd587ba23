/**
 * `node bench/write-page.ts` writes docs/numbers.md and its chart again, from the results that are there; `npm run
 * bench` does so after its rigs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { chartOf } from './lib/chart.ts';
import { CHART, pageOf, SECTIONS, VARIANTS } from './lib/page.ts';
import type { Results } from './lib/report.ts';

export const NUMBERS_PAGE = path.resolve(import.meta.dirname, '../docs/numbers.md');

const resultsOf = (name: string) => path.resolve(import.meta.dirname, 'results', `${name}.json`);

/** Returns the text of docs/numbers.md. */
export function numbersPage(): Promise<string> {
  return formatted(NUMBERS_PAGE, pageOf(SECTIONS.flatMap(found), VARIANTS.flatMap(found)));
}

/** Writes docs/numbers.md and its chart. */
export async function writePage(): Promise<void> {
  writeFileSync(NUMBERS_PAGE, await numbersPage());
  const parts = [...SECTIONS, ...VARIANTS].flatMap(found).map(({ part }) => part);
  writeFileSync(path.resolve(path.dirname(NUMBERS_PAGE), CHART), chartOf(parts));
}

/** Keeps the results of a rig until it runs again. */
export async function writeResults(name: string, results: Results): Promise<void> {
  const where = resultsOf(name);
  mkdirSync(path.dirname(where), { recursive: true });
  writeFileSync(where, await formatted(where, JSON.stringify(results)));
}

/** The results of a rig, from this run or an earlier one. */
function found(name: string): Results[] {
  const where = resultsOf(name);
  return existsSync(where) ? [JSON.parse(readFileSync(where, 'utf8')) as Results] : [];
}

/** Formats with the repository's Prettier settings. */
async function formatted(where: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(where)), filepath: where });
}

if (import.meta.main) await writePage();
