import { createHash } from 'node:crypto';

import type { Selectable } from 'kysely';

import type { Db, Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import type { BridgeTables, LinkCodeTable } from '../schema/tables.ts';

/** How long a code may be used. */
export const CODE_LIVES_MS = 15 * 60 * 1000;

export type LinkCode = Selectable<LinkCodeTable>;

/** Stores a person's code in place of the one before: its fingerprint alone, so nobody can read it from the database. */
export async function storeCode(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  { team, user }: { team: string; user: string },
  code: string,
): Promise<void> {
  const now = clock.now();
  const values = {
    code_hash: hashOf(code),
    created_at: now,
    expires_at: new Date(now.getTime() + CODE_LIVES_MS),
  };
  await database.db
    .insertInto('link_code')
    .values({ team_id: team, chat_user_id: user, message_id: null, ...values })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'chat_user_id']).where('message_id', 'is', null).doUpdateSet(values),
    )
    .execute();
}

/** The codes that may be used now, and those whose link the team was not told of yet, oldest first; mostly none. */
export async function openCodes({
  database,
  clock,
}: Pick<Bridge, 'database' | 'clock'>): Promise<LinkCode[]> {
  return database.db
    .selectFrom('link_code')
    .selectAll()
    .where((is) => is.or([is('expires_at', '>', clock.now()), is('message_id', 'is not', null)]))
    .orderBy('created_at')
    .execute();
}

/** The one of some codes that this is. */
export function codeAmong(codes: readonly LinkCode[], code: string): LinkCode | undefined {
  const hash = hashOf(code);
  return codes.find(({ code_hash }) => code_hash === hash);
}

/** Uses a code up, by the note that it stands in. False where it was used or replaced meanwhile. */
export async function spendCode(
  tx: Tx<BridgeTables>,
  { code_hash }: LinkCode,
  messageId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('link_code')
    .set({ message_id: messageId })
    .where('code_hash', '=', code_hash)
    .where('message_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Nothing is left to do for a code that was used up. */
export async function forgetCode(db: Db<BridgeTables>, { code_hash }: LinkCode): Promise<void> {
  await db.deleteFrom('link_code').where('code_hash', '=', code_hash).execute();
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
