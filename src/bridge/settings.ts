import type { z } from 'zod';

import type { Db } from '../platform/database/open.ts';
import type { BridgeTables } from './schema/tables.ts';

/** One of the bridge's own settings; undefined where it was never stored, or is no longer of this shape. */
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

/** The stored value, or the first one, made by whichever process comes first: all read the same afterwards. */
export async function settingOr<Schema extends z.ZodType>(
  db: Db<BridgeTables>,
  key: string,
  schema: Schema,
  first: z.output<Schema>,
): Promise<z.output<Schema>> {
  // Stored once and read ever after: a write of each read would cost a transaction.
  const stored = await readSetting(db, key, schema);
  if (stored !== undefined) return stored;
  await db
    .insertInto('setting')
    .values({ key, value: JSON.stringify(first) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await readSetting(db, key, schema)) ?? first;
}
