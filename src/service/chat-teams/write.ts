import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import { isOwnGuest, isUntrusted } from './trust.ts';

export interface TeamChange {
  name?: string | null | undefined;
  organisationId?: string | null | undefined;
  isTrusted?: boolean | null | undefined;
}

/**
 * Adds or changes a Slack workspace or organisation. If it is not trusted any more, accounts of untrusted workspaces
 * are taken from all users but their own guests, with the sign-in accounts and sessions that came from them, and the
 * programs that act as these users.
 */
export async function writeTeam(tx: ServiceTx, now: Date, id: string, change: TeamChange): Promise<void> {
  const { name, organisationId, isTrusted } = change;
  await tx
    .insertInto('chat_team')
    .values({
      id,
      name: name ?? null,
      organisation_id: organisationId ?? null,
      trusted: isTrusted ?? false,
      created_at: now,
      updated_at: now,
    })
    .onConflict((known) =>
      known.column('id').doUpdateSet({
        ...(name && { name }),
        ...(organisationId && { organisation_id: organisationId }),
        ...(typeof isTrusted === 'boolean' && { trusted: isTrusted }),
        updated_at: now,
      }),
    )
    .execute();
  if (isTrusted === false) await takeAccounts(tx);
}

/** Takes the accounts of untrusted Slack workspaces from all users who are not guests of one. */
async function takeAccounts(tx: ServiceTx): Promise<void> {
  // A bare guest of a formerly trusted workspace keeps the account: it was matched to nobody else.
  await sql`delete from session s using identity i, person p
    where i.workspace_id = s.workspace_id and i.person_id = s.person_id and s.identity_id = i.id and ${isUntrusted('i.team_id')}
      and p.workspace_id = i.workspace_id and p.id = i.person_id and not ${isOwnGuest}`.execute(tx);
  await sql`delete from oauth_grant g using identity i, person p
    where i.workspace_id = g.workspace_id and i.person_id = g.person_id and ${isUntrusted('i.team_id')}
      and p.workspace_id = i.workspace_id and p.id = i.person_id and not ${isOwnGuest}`.execute(tx);
  await sql`delete from identity i using person p
    where ${isUntrusted('i.team_id')}
      and p.workspace_id = i.workspace_id and p.id = i.person_id and not ${isOwnGuest}`.execute(tx);
  await sql`delete from chat_user a using person p
    where ${isUntrusted('a.chat_team_id')}
      and p.workspace_id = a.workspace_id and p.id = a.person_id and not ${isOwnGuest}`.execute(tx);
}
