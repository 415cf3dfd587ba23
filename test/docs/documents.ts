import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's files, as text, for the tests in this folder. */
const root = path.resolve(import.meta.dirname, '../..');

export function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

export function isThere(file: string): boolean {
  return existsSync(path.join(root, file));
}

/** Every file that matches, with its text. */
export function filesOf(...patterns: string[]): Map<string, string> {
  return new Map(globSync(patterns, { cwd: root }).map((file) => [file, textOf(file)]));
}

export const documents = () => filesOf('README.md', 'docs/**/*.md');

/**
 * The cells of every row of every table under a heading (without one, of the whole page), without header
 * rows.
 */
export function rowsUnder(file: string, heading?: string): string[][] {
  const lines = textOf(file).split('\n');
  const start = heading === undefined ? 0 : lines.findIndex((line) => isHeading(line, heading));
  if (start < 0) throw new Error(`${file} has no heading "${heading ?? ''}"`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0;
  const end = lines.findIndex(
    (line, at) => at > start && heading !== undefined && (/^#+(?= )/.exec(line)?.[0].length ?? 9) <= level,
  );
  const part = lines.slice(start, end < 0 ? undefined : end);
  return part
    .filter((line, at) => line.startsWith('|') && !isRule(line) && !isRule(part[at + 1] ?? ''))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** `` `name` `` → name */
export function codeIn(cell: string): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? cell;
}

/** All `` `names` `` in a cell, as in the tables of switches. */
export function codesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** The headings of a page, and the bold beginnings of its list items. */
export function sectionsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^(?:#+ (.+)|- \*\*(.+?)\.?\*\*.*)$/gm)].map(
    ([, heading, entry]) => heading ?? entry ?? '',
  );
}

/** The anchor of a heading on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function isHeading(line: string, heading: string): boolean {
  return line.replace(/^#+ /, '') === heading && line.startsWith('#');
}

function isRule(line: string): boolean {
  return /^\|[\s:|-]+\|$/.test(line);
}
