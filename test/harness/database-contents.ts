import type pg from 'pg';

/**
 * Everything that programs make in a database, in an order that does not change: schemas, extensions, functions,
 * columns, and the rows of every table. For comparing a small database with itself.
 */
export async function databaseContents(client: pg.Client): Promise<string[]> {
  const own = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;
  const { rows } = await client.query<{ line: string }>(`
    select 'schema ' || n.nspname as line from pg_namespace n where ${own}
    union all
    select 'extension ' || extname from pg_extension
    union all
    select 'function ' || p.oid::regprocedure || p.prosrc from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace where ${own}
    union all
    select 'relation ' || c.relkind::text || ' ' || n.nspname || '.' || c.relname from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where ${own}
    union all
    select 'column ' || a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where ${own} and a.attnum > 0 and not a.attisdropped
    union all
    select 'rows ' || c.oid::regclass || ' ' || query_to_xml('select * from ' || c.oid::regclass || ' x order by x::text', true, false, '')::text
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and c.relkind = 'r'
    order by line`);
  return rows.map(({ line }) => line);
}
