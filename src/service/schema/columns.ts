import type { ColumnType } from 'kysely';

/** A column of JSON: written as text, read parsed. */
export type Json<T> = ColumnType<T, string | undefined, string>;
/** A JSON column without a default. */
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface Times {
  created_at: Date;
  updated_at: Date;
}
