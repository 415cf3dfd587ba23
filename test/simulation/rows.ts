import pg from 'pg';

/** What a statement selects in a database of the simulation, over a connection of its own. */
export async function rowsOf<Row extends object>(
  { url }: { url: string },
  select: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(select, [...values])).rows;
  } finally {
    await client.end();
  }
}
