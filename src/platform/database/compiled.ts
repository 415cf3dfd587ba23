import type { Compilable, CompiledQuery } from 'kysely';

import type { Db } from './open.ts';

/**
 * Compiles one of the few statements that nearly every request runs only once, because building its text took longer
 * than running it. `build` is called with placeholder values; the values of a call come in the order in which `build`
 * used its own. A list must be a single value (`any`), or the text would differ.
 */
export function compiledOnce<Tables, Row>(
  build: (db: Db<Tables>) => Compilable<Row>,
): (db: Db<Tables>, ...parameters: readonly unknown[]) => Promise<Row[]> {
  let statement: CompiledQuery<Row> | undefined;
  return async (db, ...parameters) => {
    statement ??= build(db).compile();
    const { rows } = await db.executeQuery<Row>({ ...statement, parameters });
    return rows;
  };
}
