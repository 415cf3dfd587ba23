import type { Compilable, CompiledQuery } from 'kysely';

import type { Db } from './open.ts';

/**
 * One of the few statements that nearly every request makes: its text is built the first time and kept, which took
 * longer than running it. `build` is called with whatever values; those of a call come in the order in which `build`
 * named its own, of which a list must be one value (`any`), or the text would differ.
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
