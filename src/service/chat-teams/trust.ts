import { type RawBuilder, sql } from 'kysely';

import type { ServiceDb, ServiceTx } from '../handler.ts';

/** An account's Slack workspace, and the organisation of that, if it is known. */
export interface AccountTeam {
  teamId: string;
  enterpriseId?: string | undefined;
}

/**
 * Returns whether a Slack workspace is trusted, by itself or by its organisation; `unlisted` if the service knows of no
 * Slack workspace at all, because no bridge has named one yet.
 */
export async function trustOf(
  db: ServiceDb | ServiceTx,
  { teamId, enterpriseId }: AccountTeam,
): Promise<'trusted' | 'not trusted' | 'unlisted'> {
  const { rows } = await sql<{ listed: boolean; trusted: boolean }>`
    select exists (select from chat_team) as listed,
      exists (select from chat_team t where t.trusted and t.id in (${teamId}, ${enterpriseId ?? teamId},
        (select o.organisation_id from chat_team o where o.id = ${teamId}))) as trusted`.execute(db);
  const [row] = rows;
  if (row?.trusted) return 'trusted';
  return row?.listed ? 'not trusted' : 'unlisted';
}

/** Returns a condition that a `team` column names a Slack workspace that is known not to be trusted. */
export function isUntrusted(team: string): RawBuilder<boolean> {
  const column = sql.ref(team);
  return sql<boolean>`(${column} is not null and exists (select from chat_team)
    and not exists (select from chat_team t where t.trusted and t.id in (${column},
      (select o.organisation_id from chat_team o where o.id = ${column}))))`;
}

/**
 * Returns a condition that a person `p` is a guest of an untrusted Slack workspace and nothing else: without an
 * address, a role, and an account of a trusted one.
 */
export const isOwnGuest: RawBuilder<boolean> = sql<boolean>`(p.email is null and p.role = 'requester' and p.is_guest_created
  and not exists (select from chat_user c where c.workspace_id = p.workspace_id and c.person_id = p.id
    and not ${isUntrusted('c.chat_team_id')}))`;
