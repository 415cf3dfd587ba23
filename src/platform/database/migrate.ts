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

/** A schema has a step that this version does not have: of a newer version, or with a different text. */
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
 * @throws MigrationError if a newer version made it, or one of its steps was changed.
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
 * @throws MigrationError if a newer version made it, or one of its steps was changed.
 */
export async function pendingMigrations<Tables>(
  { db, schema }: Database<Tables>,
  migrations: readonly Migration[],
): Promise<string[]> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${`${schema}.${STEPS_TABLE}`}) is not null as there`.execute(db);
  const applied = rows[0]?.there
    ? (await sql<{ name: string }>`select name from ${sql.id(schema, STEPS_TABLE)}`.execute(db)).rows
    : [];
  const names = migrations.map(({ name }) => name);
  const unknown = applied.find(({ name }) => !names.includes(name))?.name;
  if (unknown !== undefined) throw new MigrationError(reason(schema, unknown, names));
  return names.filter((name) => !applied.some((step) => step.name === name));
}

async function run(tx: Kysely<unknown>, text: string): Promise<void> {
  await sql.raw(text).execute(tx);
}

function reason(schema: string, unknown: string, names: readonly string[]): string {
  const number = unknown.replace(/-.*/, '');
  return names.some((name) => name.startsWith(`${number}-`))
    ? `Step ${number} of the schema "${schema}" differs from the one that created this database. Run that version, or start with an empty database.`
    : `The database's schema "${schema}" has step ${number}, which this version does not have: a newer deskbridge created it. Run that version, or restore an older backup.`;
}
