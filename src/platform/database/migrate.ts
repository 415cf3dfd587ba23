import { createHash } from 'node:crypto';

import { sql } from 'kysely';

import { StartError } from '../lifecycle.ts';
import { type Database, transaction } from './open.ts';

/** One step of a schema. Its text never changes once released; changes go into a new step. */
export interface Migration {
  /** In sort order: `0001-initial`. */
  name: string;
  sql: string;
}

/** A schema contains a step that this version does not know, or one whose text changed. */
export class MigrationError extends StartError {
  override readonly name = 'MigrationError';
}

/**
 * Brings a room's schema up to date, each step in its own transaction. Processes that start together wait for each
 * other on an advisory lock. Refuses a schema made by a newer version.
 */
export async function migrate<Tables>(
  database: Database<Tables>,
  migrations: readonly Migration[],
): Promise<void> {
  const { schema } = database;
  for (let pending = true; pending;) {
    pending = await transaction(database.db, async (tx) => {
      // Without waiting for the disk: if a power cut undoes it, everything after it is undone too.
      await sql`set local synchronous_commit = off`.execute(tx);
      await sql`select pg_advisory_xact_lock(hashtextextended(${`migrate:${schema}`}, 0))`.execute(tx);
      await sql`create schema if not exists ${sql.id(schema)}`.execute(tx);
      await sql`create table if not exists migration (
        name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`.execute(
        tx,
      );
      const applied = await sql<{ name: string; hash: string }>`select name, hash from migration`.execute(tx);
      const hashes = new Map(applied.rows.map((row) => [row.name, row.hash]));
      const next = nextStep(schema, hashes, migrations);
      if (!next) return false;
      await sql.raw(next.sql).execute(tx);
      await sql`insert into migration (name, hash) values (${next.name}, ${hashOf(next)})`.execute(tx);
      return true;
    });
  }
}

/**
 * Returns the steps that a schema still lacks, without changing anything.
 * @throws MigrationError if a newer version created it.
 */
export async function pendingMigrations<Tables>(
  { db, schema }: Database<Tables>,
  migrations: readonly Migration[],
): Promise<string[]> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${`${schema}.migration`}) is not null as there`.execute(db);
  const applied = rows[0]?.there
    ? await sql<{ name: string; hash: string }>`select name, hash from migration`.execute(db)
    : { rows: [] };
  const hashes = new Map(applied.rows.map((row) => [row.name, row.hash]));
  nextStep(schema, hashes, migrations);
  return migrations.map(({ name }) => name).filter((name) => !hashes.has(name));
}

function nextStep(
  schema: string,
  applied: Map<string, string>,
  migrations: readonly Migration[],
): Migration | undefined {
  const known = new Map(migrations.map((migration) => [migration.name, hashOf(migration)]));
  for (const [name, hash] of applied) {
    const ours = known.get(name);
    if (ours === undefined)
      throw new MigrationError(
        `The database's schema "${schema}" has step "${name}", which this version does not know: a newer deskbridge created it. Run that version, or restore an older backup.`,
      );
    if (ours !== hash)
      throw new MigrationError(
        `Step "${name}" of the schema "${schema}" differs from the one that created this database. Run that version, or start with an empty database.`,
      );
  }
  return migrations.find((migration) => !applied.has(migration.name));
}

function hashOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
