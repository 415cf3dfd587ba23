import { sql } from 'kysely';

import type { PersonRole } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';

/** An account in chat. */
interface Account {
  chatUserId: string;
  chatTeamId?: string | null | undefined;
}

/** A user who has one of the identities. */
export interface Known {
  id: string;
  role: PersonRole;
  email: string | null;
  is_bot: boolean;
  /** How many of the accounts are this user's. */
  has: number;
}

/** Serializes writes with a common identity. Sorted, so that two calls with several of them cannot deadlock. */
export async function lockIdentities(
  tx: ServiceTx,
  workspaceId: string,
  email: string | null | undefined,
  accounts: readonly Account[],
): Promise<void> {
  const identities = accounts.map((account) => `chat ${account.chatTeamId ?? ''} ${account.chatUserId}`);
  if (email) identities.push(`email ${email.toLowerCase()}`);
  for (const identity of [...new Set(identities)].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${`user ${workspaceId} ${identity}`}, 0))`.execute(
      tx,
    );
}

/** Returns the users with an e-mail address or one of these chat accounts. */
export async function peopleWith(
  tx: ServiceTx,
  workspaceId: string,
  email: string | null | undefined,
  accounts: readonly Account[],
): Promise<Known[]> {
  const known = new Map<string, Known>();
  const people = tx
    .selectFrom('person as p')
    .select(['p.id', 'p.role', 'p.email', 'p.is_bot'])
    .where('p.workspace_id', '=', workspaceId);
  if (email)
    for (const row of await people
      .where(sql<string>`lower(p.email)`, '=', sql<string>`lower(${email})`)
      .execute())
      known.set(row.id, { ...row, has: 0 });
  for (const { chatUserId, chatTeamId } of accounts) {
    const row = await people
      .innerJoin('chat_user as c', (join) =>
        join.onRef('c.workspace_id', '=', 'p.workspace_id').onRef('c.person_id', '=', 'p.id'),
      )
      .where('c.chat_user_id', '=', chatUserId)
      .where(sql<string>`coalesce(c.chat_team_id, '')`, '=', chatTeamId ?? '')
      .executeTakeFirst();
    if (row) known.set(row.id, { ...row, has: (known.get(row.id)?.has ?? 0) + 1 });
  }
  return [...known.values()];
}
