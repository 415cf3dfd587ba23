import { sql } from 'kysely';

import { databaseErrorCode, transaction } from '../../../platform/database/open.ts';
import type { Log } from '../../../platform/log.ts';
import type { ServiceDb, ServiceTx } from '../../handler.ts';
import { DIMENSIONS, type ProviderName } from '../providers/provider.ts';
import { inWorkspaces, isVisible, type Scope } from '../scope.ts';
import { type Near, SAMPLE } from './nearest.ts';

/** Iterative scans came with 0.8 (pgvector, Iterative Index Scans); before, a filter left too few hits. */
const OLDEST = { major: 0, minor: 8 };
/**
 * Vectors indexed during the start: takes some seconds. Above that, an administrator creates the index (docs/api.md,
 * Search).
 */
const INDEXED_AT_START = 20_000;
/** Neighbours that the index reads before a filter asks for more; 40 by default, 1,000 at most. */
const LOOKED_AT = 200;

/** The pgvector indexes of a database. */
export interface VectorIndex {
  /** The schema of the extension's type and operators. */
  schema: string;
  /** Providers whose vectors are indexed. */
  providers: ReadonlySet<ProviderName>;
}

/**
 * Sets up pgvector if the server has it and we may create it: an index over each provider's vectors. It is an index of
 * an expression over the stored bytes, so storing vectors does not depend on it. Undefined if it cannot be used; the
 * log says why.
 */
export async function prepareVectorIndex(
  db: ServiceDb,
  names: readonly ProviderName[],
  log: Log,
): Promise<VectorIndex | undefined> {
  if (names.length === 0) return undefined;
  try {
    return await transaction(db, async (tx) => {
      // Serializes processes that start together.
      await tx.selectFrom('search_setting').select('only_row').forUpdate().execute();
      const schema = await extensionSchema(tx);
      if (schema === undefined) return undefined;
      await makeConversion(tx, schema);
      const providers = new Set<ProviderName>();
      for (const name of names) if (await isIndexed(tx, schema, name, log)) providers.add(name);
      return { schema, providers };
    });
  } catch (error) {
    const code = databaseErrorCode(error);
    if (code === undefined) throw error;
    log.warn({ err: error, code }, 'pgvector cannot be used here; vectors are compared in memory');
    return undefined;
  }
}

/** Returns the tickets within the scope with the nearest vectors, nearest first, and the similarity of these others. */
export function nearestByIndex(
  db: ServiceDb,
  { schema }: VectorIndex,
  provider: ProviderName,
  asked: Int8Array,
  scope: Scope,
  limit: number,
  others: readonly string[] = [],
): Promise<Near[]> {
  return transaction(db, async (tx) => {
    // Whether the index is worth using depends on the values.
    await sql`select set_config('hnsw.ef_search', ${String(LOOKED_AT)}, true),
      set_config('hnsw.iterative_scan', 'strict_order', true), set_config('plan_cache_mode', 'auto', true)`.execute(
      tx,
    );
    const distance = sql`${asVector('e.vector', schema)}
        operator(${sql.id(schema)}.<=>) ${[...asked]}::real[]::${sql.id(schema)}.vector`;
    const { rows } = await sql<Near>`
      (select s.ticket_id as "ticketId", 1 - (${distance}) as similarity
        from ticket_embedding e join ticket_search s using (workspace_id, ticket_id)
        where e.provider = ${sql.lit(provider)} and ${inWorkspaces(scope)} and ${isVisible(scope)}
        order by ${distance} limit ${limit})
      union
      select e.ticket_id, 1 - (${distance}) from ticket_embedding e
      where e.provider = ${sql.lit(provider)} and e.workspace_id = any(${[...scope.workspaceIds]}::text[])
        and e.ticket_id = any(${[...others]}::text[])
      order by similarity desc`.execute(tx);
    return rows;
  });
}

/** Returns the similarity of a search to some of the newest tickets, whatever they are about. */
export async function sampleByIndex(
  db: ServiceDb,
  { schema }: VectorIndex,
  provider: ProviderName,
  asked: Int8Array,
  { workspaceIds }: Scope,
): Promise<number[]> {
  const { rows } = await sql<{ similarity: number }>`
    select 1 - (${asVector('e.vector', schema)}
      operator(${sql.id(schema)}.<=>) ${[...asked]}::real[]::${sql.id(schema)}.vector) as similarity
    from (select vector from ticket_embedding where provider = ${sql.lit(provider)}
      and workspace_id = any(${[...workspaceIds]}::text[]) order by stored_at desc limit ${SAMPLE}) e`.execute(
    db,
  );
  return rows.map(({ similarity }) => similarity);
}

async function extensionSchema(tx: ServiceTx): Promise<string | undefined> {
  const offered = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(tx);
  if (offered.rows.length === 0) return undefined;
  await sql`create extension if not exists vector with schema public`.execute(tx);
  const { rows } = await sql<{ schema: string; version: string }>`
    select n.nspname as schema, e.extversion as version from pg_extension e
    join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`.execute(tx);
  const [found] = rows;
  const [major = 0, minor = 0] = (found?.version ?? '').split('.').map(Number);
  const isRecent = major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
  return isRecent ? found?.schema : undefined;
}

/** Creates the conversion from signed bytes to pgvector's type. */
async function makeConversion(tx: ServiceTx, schema: string): Promise<void> {
  const { rows } = await sql`select 1 where to_regprocedure('embedding_vector(bytea)') is not null`.execute(
    tx,
  );
  if (rows.length === 0)
    await sql`
      create function embedding_vector(bytes bytea) returns ${sql.id(schema)}.vector
      language sql immutable strict parallel safe as $$
        select array_agg((get_byte(bytes, place) + 128) % 256 - 128 order by place)::real[]::${sql.id(schema)}.vector
        from generate_series(0, length(bytes) - 1) as place
      $$`.execute(tx);
}

async function isIndexed(tx: ServiceTx, schema: string, provider: ProviderName, log: Log): Promise<boolean> {
  const index = `ticket_embedding_near_${provider}`;
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`.execute(tx);
  if (rows[0]) return rows[0].valid;
  const stored = await sql`
    select 1 from ticket_embedding where provider = ${provider} limit ${INDEXED_AT_START + 1}`.execute(tx);
  if (stored.rows.length > INDEXED_AT_START) {
    log.info({ provider, index }, 'too many vectors to index at the start; they are compared in memory');
    return false;
  }
  await sql`
    create index ${sql.id(index)} on ticket_embedding
    using hnsw (${asVector('vector', schema)} ${sql.id(schema)}.vector_cosine_ops)
    where provider = ${sql.lit(provider)}`.execute(tx);
  return true;
}

/** Returns the indexed expression; a query uses the index only if it contains exactly the same one. */
function asVector(column: string, schema: string) {
  return sql`(embedding_vector(${sql.ref(column)})::${sql.id(schema)}.vector(${sql.lit(DIMENSIONS)}))`;
}
