import type pg from 'pg';

/** Where a text was found: `schema.table.column`. */
export type Finding = string;

/**
 * Searches every column of these schemas that may hold text, in any letter case.
 * @param except columns that are not searched.
 */
export async function textInTables(
  client: Pick<pg.Client, 'query'>,
  schemas: readonly string[],
  texts: readonly string[],
  except: readonly Finding[] = [],
): Promise<Finding[]> {
  const { rows: columns } = await client.query<{ schema: string; table: string; column: string }>(
    `select n.nspname as schema, c.relname as table, a.attname as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and n.nspname = any($1) and a.attnum > 0 and not a.attisdropped
       and a.atttypid::regtype::text in ('text', 'text[]', 'json', 'jsonb', 'tsvector')`,
    [schemas],
  );
  if (columns.length === 0) throw new Error(`no columns in ${schemas.join(', ')}`);
  const found: Finding[] = [];
  for (const { schema, table, column } of columns) {
    const name = `${schema}.${table}.${column}`;
    if (except.includes(name)) continue;
    const patterns = texts.map((text) => `%${text}%`);
    const { rowCount } = await client.query(
      `select from "${schema}"."${table}" where "${column}"::text ilike any($1) limit 1`,
      [patterns],
    );
    if (rowCount) found.push(name);
  }
  return found.sort();
}
