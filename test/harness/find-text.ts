import { connected } from './schema.ts';
import { type Finding, textInTables } from './text-in-tables.ts';

/**
 * Searches a database as `textInTables` does, over a connection for the running test.
 * @param except columns that are not searched.
 */
export async function findText(
  databaseUrl: string,
  schemas: readonly string[],
  texts: readonly string[],
  except: readonly Finding[] = [],
): Promise<Finding[]> {
  return textInTables(await connected(databaseUrl), schemas, texts, except);
}
