/** The engine's tables: part of the first step of each program that has an engine. */
export const ENGINE_SQL = new URL('schema.sql', import.meta.url);
