import { type RawBuilder, sql } from 'kysely';

const MARK = /^\/\* prepared as ([a-z-]{1,40}) \*\//;

/**
 * Begins a statement that each connection prepares once, under a name of its own, because planning it costs more than
 * running it. Only for statements whose text never varies (lists are one array parameter), whose plan does not depend
 * on their values, and which name their columns: a plan outlives a migration that adds one.
 */
export function prepared(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared as ${name} */`);
}

/** The name that a statement is to be prepared under; undefined for most. */
export function preparedName(text: string): string | undefined {
  return MARK.exec(text)?.[1];
}
