import { PGlite, type Transaction } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { type CompiledQuery, Kysely, PGliteDialect, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';

import { createLog } from '../../../src/platform/log.ts';
import { NOBODY } from '../../../src/service/access/viewer.ts';
import { migrations } from '../../../src/service/schema/migrations.ts';
import type { Tables } from '../../../src/service/schema/tables.ts';
import { withinScope } from '../../../src/service/search/by-meaning.ts';
import type { Scope } from '../../../src/service/search/scope.ts';
import { toBytes } from '../../../src/service/search/vectors/bytes.ts';
import { askedBy, InMemoryVectorIndex, type Near } from '../../../src/service/search/vectors/nearest.ts';
import {
  nearestByIndex,
  prepareVectorIndex,
  type VectorIndex,
} from '../../../src/service/search/vectors/pgvector.ts';
import type { ServiceDb } from '../../../src/service/handler.ts';

const TICKETS = 300;
const DIMENSIONS = 256;
const log = createLog({ level: 'silent', pretty: false });

/** That Postgres has its own error class; ours are those of the driver for every other Postgres. */
function likeTheDriver(query: Transaction['query']): Transaction['query'] {
  return (...args) =>
    query<never>(...args).catch((error: unknown) => {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      throw Object.assign(new pg.DatabaseError(error.message, 0, 'error'), { code: String(error.code) });
    });
}

/** A Postgres in this process with pgvector, which neither the embedded one nor Debian's has. */
async function openWithVectors(): Promise<{ db: ServiceDb; pglite: PGlite; statements: CompiledQuery[] }> {
  const pglite = await PGlite.create({ extensions: { vector, pg_trgm } });
  const transaction = pglite.transaction.bind(pglite);
  pglite.transaction = (work) =>
    transaction((tx) => work({ ...tx, query: likeTheDriver(tx.query.bind(tx)) }));
  await pglite.exec('create schema service; set search_path = service, public');
  for (const migration of migrations) await pglite.exec(migration.sql);
  const statements: CompiledQuery[] = [];
  const db = new Kysely<Tables>({
    dialect: new PGliteDialect({ pglite }),
    log: ({ query: statement }) => void statements.push(statement),
  });
  return { db, pglite, statements };
}

/** The same numbers in every run, some close to each other. */
function vectorOf(ticket: number): number[] {
  return Array.from(
    { length: DIMENSIONS },
    (_, place) => Math.sin(ticket * 0.37 + place * (1 + (ticket % 7))) + Math.cos(place * ticket * 0.11) / 2,
  );
}

const asked = (ticket: number) => new Int8Array(toBytes(vectorOf(ticket)));
const askedInMemory = (ticket: number) => askedBy('openai', toBytes(vectorOf(ticket)));
const scope: Scope = { workspaceIds: ['wsp_a'], exclude: undefined, viewer: undefined };

async function fill(db: ServiceDb): Promise<void> {
  // Only what a search reads; the referenced rows are left out.
  await sql`set session_replication_role = replica`.execute(db);
  for (let ticket = 0; ticket < TICKETS; ticket++) {
    const key = { workspace_id: ticket % 3 === 0 ? 'wsp_b' : 'wsp_a', ticket_id: `tkt_${ticket}` };
    const at = new Date(1_700_000_000_000 + ticket);
    await db
      .insertInto('ticket_search')
      .values({
        ...key,
        created_at: at,
        listed: ticket % 5 !== 0,
        private: ticket % 2 === 0,
        title: '',
      })
      .execute();
    for (const provider of ['openai', 'voyage'])
      await db
        .insertInto('ticket_embedding')
        .values({
          ...key,
          provider,
          content_hash: Buffer.alloc(0),
          vector: toBytes(vectorOf(provider === 'openai' ? ticket : ticket + 1)),
          stored_at: at,
        })
        .execute();
  }
}

describe('vectors in a database with pgvector', () => {
  let db: ServiceDb;
  let pglite: PGlite;
  let statements: CompiledQuery[];
  let index: VectorIndex;

  beforeAll(async () => {
    ({ db, pglite, statements } = await openWithVectors());
    await fill(db);
    const prepared = await prepareVectorIndex(db, ['openai', 'voyage'], log);
    if (!prepared) throw new Error('pgvector was not taken into use');
    index = prepared;
    // With so few rows, sorting all of them would be cheaper than the index, which is tested here.
    await sql`set enable_sort = off`.execute(db);
    return () => db.destroy();
  });

  it('are kept in memory only for the newest tickets, by their ids', async () => {
    const near = await new InMemoryVectorIndex(10).nearest(
      db,
      'openai',
      ['wsp_a'],
      askedInMemory(1),
      TICKETS,
    );
    const ids = Array.from({ length: TICKETS }, (_, ticket) => ticket)
      .filter((ticket) => ticket % 3 !== 0)
      .map((ticket) => `tkt_${ticket}`);
    expect(near.map(({ ticketId }) => ticketId).sort()).toEqual(ids.sort().slice(-10));
  });

  it('are found by the index like by an exact comparison, separately for each provider', async () => {
    for (const provider of ['openai', 'voyage'] as const)
      for (const ticket of [1, 44, 121, 298]) {
        const near = await new InMemoryVectorIndex().nearest(
          db,
          provider,
          ['wsp_a'],
          askedInMemory(ticket),
          TICKETS,
        );
        const exact = await withinScope(db, near, scope, 5);
        expect(exact).toHaveLength(5);
        const found = await nearestByIndex(db, index, provider, asked(ticket), scope, 5);
        // In memory vectors are less exact: two that are equally near may swap.
        const difference = ({ similarity }: Near, at: number) =>
          Math.abs(similarity - (exact[at]?.similarity ?? 0));
        expect(Math.max(...found.map(difference))).toBeLessThan(0.01);
      }
  });

  it('fill a page even if most of the nearest are out of scope', async () => {
    const narrow = { ...scope, viewer: NOBODY, exclude: 'tkt_1' };
    const found = await nearestByIndex(db, index, 'openai', asked(1), narrow, 20);
    expect(found).toHaveLength(20);
    const numbers = found.map(({ ticketId }) => Number(ticketId.slice('tkt_'.length)));
    expect(numbers.filter((n) => n % 3 === 0 || n % 5 === 0 || n % 2 === 0 || n === 1)).toEqual([]);
  });

  it('are ordered by the index and not by sorting all of them', async () => {
    await nearestByIndex(db, index, 'openai', asked(1), { ...scope, viewer: NOBODY }, 5);
    const search = statements.findLast(({ sql: text }) => text.includes('ticket_embedding e'));
    const plan = await pglite.query<{ 'QUERY PLAN': string }>(`explain ${search?.sql ?? ''}`, [
      ...(search?.parameters ?? []),
    ]);
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('ticket_embedding_near_openai');
  });

  it('are prepared once: the next start finds the existing index', async () => {
    expect(await prepareVectorIndex(db, ['openai', 'voyage'], log)).toEqual(index);
    expect(await prepareVectorIndex(db, [], log)).toBeUndefined();
  });
});

describe('a database whose pgvector may not be used', () => {
  it('works like one without it: the start continues and logs the reason', async () => {
    const { db } = await openWithVectors();
    await sql`create role limited`.execute(db);
    await sql`grant usage on schema service to limited`.execute(db);
    await sql`grant all on all tables in schema service to limited`.execute(db);
    await sql`set role limited`.execute(db);
    const lines: string[] = [];
    const loud = createLog({
      level: 'warn',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    });
    expect(await prepareVectorIndex(db, ['openai'], loud)).toBeUndefined();
    expect(lines.join('')).toContain('pgvector cannot be used here');
    // The handle still works.
    await sql`select 1`.execute(db);
    await db.destroy();
  });
});
