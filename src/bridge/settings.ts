import type { z } from 'zod';

import type { Db } from '../platform/database/open.ts';
import type { BridgeTables } from './schema/tables.ts';

/** Returns one of the bridge's own settings; undefined if it was never stored, or no longer has this shape. */
export async function readSetting<Schema extends z.ZodType>(
  db: Db<BridgeTables>,
  key: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst();
  const parsed = schema.safeParse(row?.value);
  return parsed.success ? parsed.data : undefined;
}

export async function writeSetting(db: Db<BridgeTables>, key: string, value: unknown): Promise<void> {
  const json = JSON.stringify(value);
  await db
    .insertInto('setting')
    .values({ key, value: json })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
    .execute();
}

/** Returns the stored value, or stores the first one; all processes then read the same. */
export async function settingOr<Schema extends z.ZodType>(
  db: Db<BridgeTables>,
  key: string,
  schema: Schema,
  first: z.output<Schema>,
): Promise<z.output<Schema>> {
  // Stored once and only read after that: writing each time would cost a transaction.
  const stored = await readSetting(db, key, schema);
  if (stored !== undefined) return stored;
  await db
    .insertInto('setting')
    .values({ key, value: JSON.stringify(first) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await readSetting(db, key, schema)) ?? first;
}
