import { type RawBuilder, sql } from 'kysely';

import type { ParsedQuery } from '../../contract/index.ts';
import { startOfDay } from '../business-hours/working-time.ts';
import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';

/** When the first of a ticket's due times comes, of a ticket `t`; null if it has none. */
export const earliestDue = sql<Date | null>`least(t.first_reply_due_at, t.resolution_due_at, t.due_at)`;

type Due = NonNullable<ParsedQuery<'listTickets'>['due']>;

const DAYS: Record<Exclude<Due, 'overdue'>, number> = { today: 1, week: 7 };

/**
 * Returns the condition of the list's filter `due` on a ticket `t`: open, and due within these times. Days are those of
 * the workspace's default business hours, or else of UTC.
 */
export async function isDue(
  db: ServiceDb,
  workspaceIds: readonly string[],
  due: Due,
  now: Date,
): Promise<RawBuilder<boolean>> {
  const isOpen = sql`t.resolved_at is null and t.closed_at is null`;
  if (due === 'overdue') return sql<boolean>`(${isOpen} and ${earliestDue} < ${now})`;
  const hours = await db
    .selectFrom('business_hours')
    .select('time_zone')
    .where(isOneOf('workspace_id', workspaceIds))
    .where('is_default', '=', true)
    .orderBy('id')
    .executeTakeFirst();
  const end = startOfDay(hours?.time_zone ?? 'UTC', now, DAYS[due]);
  return sql<boolean>`(${isOpen} and ${earliestDue} >= ${now} and ${earliestDue} < ${end})`;
}
