import { sql } from 'kysely';

import type { User } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, isoOrNull, jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

const chatUsers = sql<User['chatUsers']>`(
  select coalesce(json_agg(json_build_object(
    'id', c.id, 'chatUserId', c.chat_user_id, 'chatTeamId', c.chat_team_id, 'chatAppId', c.chat_app_id,
    'chatImageUrl', c.chat_image_url, 'chatRealName', c.chat_real_name, 'chatDisplayName', c.chat_display_name,
    'isBot', c.is_bot, 'createdAt', ${jsonInstant('c.created_at')}, 'updatedAt', ${jsonInstant('c.updated_at')},
    'chatApp', case when c.chat_app_id is null then null else json_build_object('appId', c.chat_app_id) end
  ) order by c.id), '[]')
  from chat_user c where c.workspace_id = p.workspace_id and c.person_id = p.id)`;

/** When a person `p` is away: now, or else next. */
const absenceAfter = (now: Date) => sql<User['absence']>`(
  select json_build_object('from', ${jsonInstant('a.from_at')}, 'until', ${jsonInstant('a.until_at')})
  from absence a where a.workspace_id = p.workspace_id and a.person_id = p.id and a.until_at > ${now}
  order by a.from_at limit 1)`;

/** Users by id, in the order of `ids`; `now` decides which absences are over. */
export async function userRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
  now: Date,
): Promise<User[]> {
  const rows = await db
    .selectFrom('person as p')
    .selectAll('p')
    .select([chatUsers.as('chat_users'), absenceAfter(now).as('absence')])
    .where('p.workspace_id', 'in', workspaceIds)
    .where('p.id', 'in', ids.length ? ids : [''])
    .execute();
  const records = rows.map((row): User => ({
    id: row.id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    image: row.image,
    emailVerified: row.email_verified,
    defaultWorkspaceId: row.workspace_id,
    isGuestCreated: row.is_guest_created,
    isBot: row.is_bot,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    idpId: row.idp_id,
    erasedAt: isoOrNull(row.erased_at),
    chatUsers: row.chat_users,
    role: row.role,
    queueIds: row.queue_ids,
    deactivatedAt: isoOrNull(row.deactivated_at),
    absence: row.absence,
  }));
  return inOrder(ids, records);
}
