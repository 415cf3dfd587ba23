import pg from 'pg';

import { until } from './until.ts';

/** Where a template keeps copies of the rows that it was made with. */
const KEPT = 'template_rows';
/** What shows every change of a schema: a row that is new, or one that is missing. */
const CATALOGS = [
  ...['pg_namespace', 'pg_class', 'pg_attribute', 'pg_attrdef', 'pg_constraint', 'pg_proc', 'pg_trigger'],
  'pg_extension',
];
/** How long a connection that was closed, or whose process was killed, may take to be gone from the server. */
const CLOSING_MS = 10_000;

interface Table {
  schema: string;
  name: string;
  /** That hold values: generated ones make themselves. */
  columns: string[];
  keyed: boolean;
  filled: boolean;
}

/** Notes the rows of a database that is to be a template, so that its copies can be given them again. */
export async function keepRows(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query<{ schema: string; name: string }>(`
    select schemaname as schema, relname as name from pg_stat_user_tables order by 1, 2`);
  await client.query(`create schema ${KEPT}`);
  for (const table of tables) {
    const { rowCount } = await client.query(`select from ${nameOf(table)} limit 1`);
    if (rowCount) await client.query(`create table ${keptOf(table)} as table ${nameOf(table)}`);
  }
}

/**
 * A copy of a template that is used by one test after the other. Deleting what a test wrote costs a hundredth of
 * another copy. Which rows and which parts of the schema a test wrote is told by their transaction ids.
 */
export class Reusable {
  readonly #pool: pg.Pool;
  readonly #tables: Table[];
  readonly #sequences: string;
  /** The first transaction that a test can have had. */
  #since = '';
  /** How many rows each catalog has. */
  #catalogs = '';

  private constructor(pool: pg.Pool, tables: Table[], sequences: string) {
    this.#pool = pool;
    this.#tables = tables;
    this.#sequences = sequences;
  }

  /** @param url of a fresh copy that nobody uses yet; a superuser's, as triggers and foreign keys are passed over. */
  static async open(url: string): Promise<Reusable> {
    const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // A test may end every connection of its database, this one too; the pool opens another.
    pool.on('error', () => undefined);
    const tables = await pool.query<Table>(`
      select n.nspname as schema, c.relname as name,
        array(select attname::text from pg_attribute
          where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
        exists (select from pg_index where indrelid = c.oid and indisprimary) as keyed,
        to_regclass(format('${KEPT}.%I', n.nspname || '.' || c.relname)) is not null as filled
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname <> '${KEPT}' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`);
    const sequences = await pool.query<{ reset: string }>(`
      select format('select setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
        coalesce(last_value, start_value), last_value is not null) as reset from pg_sequences`);
    const reusable = new Reusable(
      pool,
      tables.rows,
      sequences.rows.map(({ reset }) => `${reset};`).join('\n'),
    );
    await reusable.#note();
    return reusable;
  }

  /**
   * Makes it what its template is again; false where it cannot be, as the test changed the schema.
   * @throws where the test left connections open: what goes on there would write into the next test's rows.
   */
  async reset(closingMs = CLOSING_MS): Promise<boolean> {
    await this.#untilAlone(closingMs);
    const { rows } = await this.#pool.query<{ catalogs: string; changed: boolean }>(`
      select ${COUNTED} as catalogs, ${CATALOGS.map((catalog) => `exists (select from ${catalog} where ${this.#written()})`).join(' or ')} as changed`);
    if (rows[0]?.changed !== false || rows[0].catalogs !== this.#catalogs) return false;
    await this.#pool.query(`
      begin;
      set local session_replication_role = replica;
      ${this.#tables.map((table) => this.#restored(table)).join('\n')}
      ${this.#sequences}
      commit`);
    await this.#note();
    return true;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #restored(table: Table): string {
    const name = nameOf(table);
    if (!table.filled) return `delete from ${name};`;
    const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ');
    return `delete from ${name} ${table.keyed ? `where ${this.#written()}` : ''};
      insert into ${name} (${columns}) overriding system value select ${columns} from ${keptOf(table)}
      on conflict do nothing;`;
  }

  /** Whether a row was written since the database was lent. */
  #written(): string {
    return `age(xmin) <= age('${this.#since}'::xid)`;
  }

  async #untilAlone(withinMs: number): Promise<void> {
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

  async #note(): Promise<void> {
    const { rows } = await this.#pool.query<{ since: string; catalogs: string }>(
      `select (pg_snapshot_xmax(pg_current_snapshot())::text::numeric % 4294967296)::text as since, ${COUNTED} as catalogs`,
    );
    this.#since = rows[0]?.since ?? '';
    this.#catalogs = rows[0]?.catalogs ?? '';
  }
}

const COUNTED = `concat_ws(' ', ${CATALOGS.map((catalog) => `(select count(*) from ${catalog})`).join(', ')})`;

function nameOf({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

function keptOf({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${KEPT}.${pg.escapeIdentifier(`${schema}.${name}`)}`;
}
