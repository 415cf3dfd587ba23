import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

import { StartError } from '../../platform/lifecycle.ts';
import { SCHEMA, type Tables } from './tables.ts';

const SCHEMA_VERSION = 3;

/** SQLite's result codes (sqlite.org/rescode.html). */
const BUSY = 5;
const NOT_A_DATABASE = 26;

/** Parameters of a statement: dates, booleans, lists and objects are stored as the schema declares. */
export type Value = string | number | boolean | null | object;
type Row<Table extends keyof Tables> = { [Name in keyof Tables[Table]]?: Tables[Table][Name] | undefined };

type Decode = (value: string | number) => unknown;
/** By the declared type of a column; every other one is read as it is stored. */
const DECODE: Readonly<Record<string, Decode>> = {
  boolean: (value) => value === 1,
  instant: (value) => new Date(value),
  'json text': (value) => JSON.parse(String(value)) as unknown,
};

/** A prepared statement; its rows are read as the schema declares their columns. */
class Statement<Found> {
  readonly #statement: StatementSync;
  readonly #decode: [name: string, decode: Decode][];

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.#decode = statement.columns().flatMap(({ name, type }): [string, Decode][] => {
      const decode = DECODE[type ?? ''];
      return decode ? [[name, decode]] : [];
    });
  }

  all(...values: readonly Value[]): Found[] {
    return this.#statement.all(...values.map(encoded)).map((row) => this.#read(row));
  }

  get(...values: readonly Value[]): Found | undefined {
    const row = this.#statement.get(...values.map(encoded));
    return row && this.#read(row);
  }

  /** Returns how many rows were changed. */
  run(...values: readonly Value[]): number {
    return Number(this.#statement.run(...values.map(encoded)).changes);
  }

  #read(row: Record<string, unknown>): Found {
    for (const [name, decode] of this.#decode) {
      const value = row[name];
      if (typeof value === 'string' || typeof value === 'number') row[name] = decode(value);
    }
    return row as Found;
  }
}

/** Creates a file that only this user reads: it has the tokens of apps. SQLite gives its other files the same mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/**
 * The sandbox's state, in one file or in memory (`:memory:`). Statements are synchronous: what one returns is
 * committed, and nothing comes between the statements of a transaction.
 */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #prepared = new Map<string, Statement<unknown>>();

  /** @throws {SandboxStartError} when the file cannot be used; the message says what to do. */
  constructor(file: string) {
    try {
      if (file !== ':memory:') makePrivate(file);
      this.#sqlite = new DatabaseSync(file);
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      throw new SandboxStartError(
        `The sandbox's file ${file} cannot be opened (${why}): set DATA_DIR to a folder that can be written.`,
        { cause: error },
      );
    }
    try {
      this.#open(file);
    } catch (error) {
      this.#sqlite.close();
      const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
      if (code === BUSY)
        throw new SandboxStartError(
          `Another sandbox uses ${file}: stop it, or set DATA_DIR to another folder.`,
          { cause: error },
        );
      if (code === NOT_A_DATABASE) throw notOurs(file, 'is no database', error);
      throw error;
    }
  }

  #open(file: string): void {
    // One process holds the file. In WAL mode with `synchronous = normal`, a commit is in the operating system's hands
    // when it returns: killing the process (kill -9) loses nothing, only a crash of the whole machine may.
    this.#sqlite.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;',
    );
    const version = this.query<{ user_version: number }>('pragma user_version').get()?.user_version;
    if (version === SCHEMA_VERSION) return;
    if (version !== 0 || this.query('select 1 from sqlite_schema').get())
      throw notOurs(
        file,
        `was not written by this version of deskbridge (schema ${version}, not ${SCHEMA_VERSION})`,
      );
    this.transaction(() => this.#sqlite.exec(`${SCHEMA}; pragma user_version = ${SCHEMA_VERSION};`));
  }

  /** A statement, prepared once; `Found` is what its rows are. */
  query<Found>(sql: string): Statement<Found> {
    const known = this.#prepared.get(sql);
    if (known) return known as Statement<Found>;
    const made = new Statement<Found>(this.#sqlite.prepare(sql));
    this.#prepared.set(sql, made);
    return made;
  }

  /** Returns how many rows were changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.query(sql).run(...values);
  }

  /** Inserts a row and returns it as stored; columns that are absent have their defaults. */
  insert<Table extends keyof Tables>(table: Table, row: Row<Table>): Tables[Table] {
    const [names, values] = columns(row);
    const sql = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
    return returned(this.query<Tables[Table]>(`${sql} returning *`).get(...values));
  }

  /** Inserts a row, or gives the row with the same `key` these values. */
  upsert<Table extends keyof Tables>(
    table: Table,
    key: readonly (keyof Tables[Table] & string)[],
    row: Row<Table>,
  ): Tables[Table] {
    const [names, values] = columns(row);
    const set = names.filter((name) => !key.some((one) => one === name));
    const sql = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})
       on conflict (${key.join(', ')}) do update set ${set.map((name) => `${name} = excluded.${name}`).join(', ')}
       returning *`;
    return returned(this.query<Tables[Table]>(sql).get(...values));
  }

  /** Changes the rows that have these values; returns how many. */
  update<Table extends keyof Tables>(table: Table, where: Row<Table>, set: Row<Table>): number {
    const [names, values] = columns(set);
    const [keys, wanted] = columns(where);
    return this.run(
      `update ${table} set ${names.map((name) => `${name} = ?`).join(', ')} where ${keys.map((name) => `${name} = ?`).join(' and ')}`,
      ...values,
      ...wanted,
    );
  }

  /** Runs `work` in a transaction, which is rolled back if it throws. */
  transaction<Result>(work: () => Result): Result {
    this.#sqlite.exec('begin');
    try {
      const result = work();
      if (result instanceof Promise) throw new Error('a transaction waits for nothing');
      this.#sqlite.exec('commit');
      return result;
    } catch (error) {
      // SQLite has rolled back itself if the disk was full.
      if (this.#sqlite.isTransaction) this.#sqlite.exec('rollback');
      throw error;
    }
  }

  /** Empties every table. */
  clear(): void {
    const tables = this.query<{ name: string }>(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
    ).all();
    this.transaction(() => {
      this.#sqlite.exec('pragma defer_foreign_keys = on');
      for (const { name } of tables) this.#sqlite.exec(`delete from ${name}`);
    });
  }

  close(): void {
    if (this.#sqlite.isOpen) this.#sqlite.close();
  }
}

function returned<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a row was not stored');
  return row;
}

function notOurs(file: string, why: string, cause?: unknown): SandboxStartError {
  return new SandboxStartError(
    `The sandbox's file ${file} ${why}: move it away or delete it; the sandbox then starts with an empty workspace.`,
    { cause },
  );
}

function columns(row: object): [string[], Value[]] {
  const given = Object.entries(row).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return [given.map(([name]) => name), given.map(([, value]) => value)];
}

function encoded(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}

/** The sandbox cannot start; the message says what to do. */
export class SandboxStartError extends StartError {
  override readonly name = 'SandboxStartError';
}
