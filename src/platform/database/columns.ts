import type { ColumnType } from 'kysely';

// The column types of the generated row types (test/row-types.test.ts).

/** A column with a default: optional in an insert. */
export type Generated<Type> =
  Type extends ColumnType<infer Select, infer Insert, infer Update>
    ? ColumnType<Select, Insert | undefined, Update>
    : ColumnType<Type, Type | undefined, Type>;

/** Read as a Date, written as a Date or an ISO 8601 string. */
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

/** Written as text, read parsed. */
export type Json<Type = unknown> = ColumnType<Type, string, string>;
