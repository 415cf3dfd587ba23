import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';

import { StartError } from '../lifecycle.ts';
import type { Database } from './open.ts';

/** One step of a module's schema. Once released it never changes; a change of the schema is the next step. */
export interface Migration {
  /** Sorts, and ends with a digest of the text: a released step that was changed is an unknown step. */
  name: string;
  sql: string;
}

const STEPS_TABLE = 'migration';

/** Another version made a schema, and this one cannot use it; the message says which, and what to do. */
export class MigrationError extends StartError {
  override readonly name = 'MigrationError';
}

/** Returns the step `number` with the text of the files. */
export function migration(number: string, ...files: readonly URL[]): Migration {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return { name: `${number}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, sql: text };
}

/**
 * Brings a module's schema up to date, all steps in one transaction. Processes that start together wait for each other.
 * @throws MigrationError if a newer or an unreleased version made it; then nothing is changed.
 */
export async function migrate<Tables>(
  database: Database<Tables>,
  migrations: readonly Migration[],
): Promise<void> {
  const { db, schema } = database;
  if ((await pendingMigrations(database, migrations)).length === 0) return;
  const steps = migrations.map(({ name, sql: text }) => [
    name,
    { up: (tx: Kysely<unknown>) => run(tx, text) },
  ]);
  const migrator = new Migrator({
    db,
    migrationTableSchema: schema,
    migrationTableName: STEPS_TABLE,
    migrationLockTableName: `${STEPS_TABLE}_lock`,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(steps)) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error as Error;
}

/**
 * Returns the steps that a schema still lacks, without changing anything.
 * @throws MigrationError if a newer or an unreleased version made it.
 */
export async function pendingMigrations<Tables>(
  { db, schema }: Database<Tables>,
  migrations: readonly Migration[],
): Promise<string[]> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${`${schema}.${STEPS_TABLE}`}) is not null as there`.execute(db);
  const applied = rows[0]?.there
    ? (
        await sql<Applied>`select name, timestamp from ${sql.id(schema, STEPS_TABLE)} order by name`.execute(
          db,
        )
      ).rows
    : [];
  const names = migrations.map(({ name }) => name);
  const unknown = applied.filter(({ name }) => !names.includes(name));
  const newest = applied.at(-1);
  if (newest && unknown.length > 0) throw new MigrationError(reason(schema, newest, unknown, names));
  return names.filter((name) => !applied.some((step) => step.name === name));
}

async function run(tx: Kysely<unknown>, text: string): Promise<void> {
  await sql.raw(text).execute(tx);
}

/** A step in the database, and when it was applied (ISO 8601). */
interface Applied {
  name: string;
  timestamp: string;
}

/** Returns why a schema with steps that this version does not know cannot be used, and what to do, as a sentence. */
function reason(
  schema: string,
  newest: Applied,
  unknown: readonly Applied[],
  names: readonly string[],
): string {
  const own = new Set(names.map(numberOf));
  const made = `schema "${schema}", step ${numberOf(newest.name)} of ${newest.timestamp.slice(0, 10)}`;
  // A released step never changes: one with our number and another text was never released.
  return unknown.some(({ name }) => own.has(numberOf(name)))
    ? `An earlier version of deskbridge, from before its first release, made this database (${made}), and its records cannot be taken along: start that version, or use an empty database; nothing was changed.`
    : `A newer version of deskbridge made this database (${made}): start that version, or restore a backup from before it; nothing was changed.`;
}

function numberOf(name: string): string {
  return name.replace(/-.*/, '');
}
