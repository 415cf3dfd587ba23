import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { CsvError, parse as parseCsv } from 'csv-parse/sync';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { z } from 'zod';

import { UsageError } from './command.ts';

type Path = readonly (string | number)[];

/** The parsed contents of an import file, and the line of each of its parts. */
export interface ImportFile {
  applications: readonly unknown[];
  /**
   * Returns the line of `path` within `applications`, from 1; if that part is missing, the line of its closest parent.
   */
  lineOf(path: Path): number;
}

/** CSV columns that hold a list, separated by semicolons. */
const LISTS: ReadonlySet<string> = new Set(['approverIds', 'approverGroupIds']);
/** CSV columns that hold JSON. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['accessLevels', 'integration']);
const COLUMNS = [
  'id',
  'name',
  'domain',
  'imageUrl',
  'ownerId',
  'integrationApplicationId',
  'price',
  'status',
  'approvalStrategy',
  ...LISTS,
  ...JSON_COLUMNS,
];

/**
 * Reads a file of applications: CSV if its name ends in `.csv`, else JSON.
 * @throws UsageError with the line if it cannot be parsed; the applications themselves are not validated here.
 */
export async function readImportFile(file: string): Promise<ImportFile> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`${file} cannot be read (${code}).`, { cause: error });
  }
  const content = decodeText(bytes, file);
  return path.extname(file).toLowerCase() === '.csv' ? fromCsv(content) : fromJson(content);
}

/** Reads UTF-8, with or without a mark, and UTF-16 with its mark; another encoding would be stored garbled. */
function decodeText(bytes: Buffer, file: string): string {
  const isUtf16 = ['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex'));
  const encoding = isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(
      `${file} is not in UTF-8. Save it as “CSV UTF-8” (or convert it with iconv) and import it again.`,
      { cause: error },
    );
  }
}

function fromJson(text: string): ImportFile {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first)
    throw new UsageError(
      `line ${lineAt(text, first.offset)}: invalid JSON (${printParseErrorCode(first.error)})`,
    );
  const list = tree?.type === 'object' ? findNodeAtLocation(tree, ['applications']) : tree;
  if (!tree || list?.type !== 'array')
    throw new UsageError('line 1: expected an array of applications, or { "applications": […] }');
  const content: unknown = JSON.parse(text);
  const applications = (
    Array.isArray(content) ? content : (content as Record<string, unknown>)['applications']
  ) as unknown[];
  return { applications, lineOf: (wanted) => lineAt(text, nodeAt(list, wanted).offset) };
}

/** Returns the node of a path, or its closest parent that exists. */
function nodeAt(list: Node, wanted: Path): Node {
  for (let length = wanted.length; length > 0; length--) {
    const node = findNodeAtLocation(list, wanted.slice(0, length));
    if (node) return node;
  }
  return list;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const CsvRows = z.array(
  z.object({
    record: z.record(z.string(), z.string()),
    raw: z.string(),
    info: z.object({ lines: z.number() }),
  }),
);

function fromCsv(text: string): ImportFile {
  let header: string[] = [];
  let rows: z.infer<typeof CsvRows>;
  try {
    rows = CsvRows.parse(
      parseCsv(text, {
        columns: (cells: string[]) => (header = cells.map((cell) => cell.trim())),
        info: true,
        raw: true,
        skip_empty_lines: true,
        trim: true,
      }),
    );
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`line ${String(error['lines'])}: invalid CSV (${error.message})`, {
      cause: error,
    });
  }
  const unknown = header.filter((name, at) => !COLUMNS.includes(name) || header.indexOf(name) !== at);
  if (unknown.length > 0 || !header.includes('name'))
    throw new UsageError(
      `line 1: the columns are ${COLUMNS.join(', ')}, each at most once, and name is required${unknown.length > 0 ? `; not ${unknown.join(', ')}` : ''}`,
    );
  // A record is identified by its last line; its own line breaks are in quotes.
  const lines = rows.map(({ raw, info }) => info.lines - (raw.trim().split('\n').length - 1));
  const applications = rows.map(({ record }, at) =>
    Object.fromEntries(
      Object.entries(record)
        .filter(([, cell]) => cell !== '')
        .map(([column, cell]) => [column, valueOf(column, cell, lines[at] ?? 1)]),
    ),
  );
  return { applications, lineOf: ([at]) => (typeof at === 'number' ? (lines[at] ?? 1) : 1) };
}

function valueOf(column: string, cell: string, line: number): unknown {
  if (LISTS.has(column))
    return cell
      .split(';')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  if (column === 'price') return /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (!JSON_COLUMNS.has(column)) return cell;
  try {
    return JSON.parse(cell) as unknown;
  } catch (error) {
    throw new UsageError(`line ${line}: ${column}: invalid JSON`, { cause: error });
  }
}
