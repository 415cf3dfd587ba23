import pg from 'pg';

import { until } from './until.ts';

/** The schema in which a template keeps copies of its rows. */
const TEMPLATE_ROWS = 'template_rows';
/** A change of a schema adds or removes a row in one of these. */
const CATALOGS = [
  'pg_namespace',
  'pg_class',
  'pg_attribute',
  'pg_attrdef',
  'pg_constraint',
  'pg_proc',
  'pg_trigger',
  'pg_extension',
];
/** The time that a closed or killed connection may take to end on the server. */
const CLOSING_MS = 10_000;

interface Table {
  schema: string;
  name: string;
  /** Without generated columns. */
  columns: string[];
  keyed: boolean;
  filled: boolean;
}

/** Copies the rows of a database that becomes a template, so that they can be restored. */
export async function saveTemplateRows(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query<{ schema: string; name: string }>(`
    select schemaname as schema, relname as name from pg_stat_user_tables order by 1, 2`);
  await client.query(`create schema ${TEMPLATE_ROWS}`);
  for (const table of tables) {
    const { rowCount } = await client.query(`select from ${nameOf(table)} limit 1`);
    if (rowCount) await client.query(`create table ${templateRowsOf(table)} as table ${nameOf(table)}`);
  }
}

/**
 * A copy of a template that tests use one after the other. Deleting a test's rows takes a hundredth of the
 * time of another copy. Transaction ids show which rows and which parts of the schema a test wrote.
 */
export class Reusable {
  readonly #pool: pg.Pool;
  readonly #tables: Table[];
  readonly #sequences: string;
  /** The first possible transaction of the test. */
  #since = '';
  /** The number of rows in each catalog. */
  #catalogs = '';

  private constructor(pool: pg.Pool, tables: Table[], sequences: string) {
    this.#pool = pool;
    this.#tables = tables;
    this.#sequences = sequences;
  }

  /** @param url of a fresh, unused copy; a superuser's, since triggers and foreign keys are bypassed. */
  static async open(url: string): Promise<Reusable> {
    const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // A test may end every connection of its database, this one too; the pool opens another.
    pool.on('error', () => undefined);
    const tables = await pool.query<Table>(`
      select n.nspname as schema, c.relname as name,
        array(select attname::text from pg_attribute
          where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
        exists (select from pg_index where indrelid = c.oid and indisprimary) as keyed,
        to_regclass(format('${TEMPLATE_ROWS}.%I', n.nspname || '.' || c.relname)) is not null as filled
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname <> '${TEMPLATE_ROWS}' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`);
    const sequences = await pool.query<{ reset: string }>(`
      select format('select setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
        coalesce(last_value, start_value), last_value is not null) as reset from pg_sequences`);
    const reusable = new Reusable(
      pool,
      tables.rows,
      sequences.rows.map(({ reset }) => `${reset};`).join('\n'),
    );
    await reusable.#markStart();
    return reusable;
  }

  /**
   * Restores the template's state; false if that is impossible because the test changed the schema.
   * @throws if the test left connections open, which could write into the next test's rows.
   */
  async reset(closingMs = CLOSING_MS): Promise<boolean> {
    await this.#untilUnconnected(closingMs);
    const { rows } = await this.#pool.query<{ catalogs: string; changed: boolean }>(`
      select ${CATALOG_COUNTS} as catalogs, ${CATALOGS.map((catalog) => `exists (select from ${catalog} where ${this.#writtenSinceSql()})`).join(' or ')} as changed`);
    if (rows[0]?.changed !== false || rows[0].catalogs !== this.#catalogs) return false;
    await this.#pool.query(`
      begin;
      set local session_replication_role = replica;
      ${this.#tables.map((table) => this.#restoreSql(table)).join('\n')}
      ${this.#sequences}
      commit`);
    await this.#markStart();
    return true;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #restoreSql(table: Table): string {
    const name = nameOf(table);
    if (!table.filled) return `delete from ${name};`;
    const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ');
    return `delete from ${name} ${table.keyed ? `where ${this.#writtenSinceSql()}` : ''};
      insert into ${name} (${columns}) overriding system value select ${columns} from ${templateRowsOf(table)}
      on conflict do nothing;`;
  }

  /** Whether a row was written since the last reset. */
  #writtenSinceSql(): string {
    return `age(xmin) <= age('${this.#since}'::xid)`;
  }

  async #untilUnconnected(withinMs: number): Promise<void> {
    const others = async () =>
      (
        await this.#pool.query<{ name: string; state: string; query: string }>(`
          select application_name as name, state, left(query, 500) as query from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
      ).rows;
    await until(
      'the connections that the test left open to its database to end',
      async () => (await others()).length === 0,
      { withinMs, seen: others },
    );
  }

  async #markStart(): Promise<void> {
    const { rows } = await this.#pool.query<{ since: string; catalogs: string }>(
      `select (pg_snapshot_xmax(pg_current_snapshot())::text::numeric % 4294967296)::text as since, ${CATALOG_COUNTS} as catalogs`,
    );
    this.#since = rows[0]?.since ?? '';
    this.#catalogs = rows[0]?.catalogs ?? '';
  }
}

const CATALOG_COUNTS = `concat_ws(' ', ${CATALOGS.map((catalog) => `(select count(*) from ${catalog})`).join(', ')})`;

function nameOf({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

function templateRowsOf({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${TEMPLATE_ROWS}.${pg.escapeIdentifier(`${schema}.${name}`)}`;
}
