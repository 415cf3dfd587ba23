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
 * Returns the condition of the list's filter `due` on a ticket `t`; that it is open is another one. Days are those of the
 * query's time zone, or else of the workspace's default business hours, or of UTC.
 */
export async function isDue(
  db: ServiceDb,
  workspaceIds: readonly string[],
  { due, timeZone }: { due: Due; timeZone?: string | null | undefined },
  now: Date,
): Promise<RawBuilder<boolean>> {
  if (due === 'overdue') return sql<boolean>`${earliestDue} < ${now}`;
  const hours = timeZone
    ? { time_zone: timeZone }
    : await db
        .selectFrom('business_hours')
        .select('time_zone')
        .where(isOneOf('workspace_id', workspaceIds))
        .where('is_default', '=', true)
        .orderBy('id')
        .executeTakeFirst();
  const end = startOfDay(hours?.time_zone ?? 'UTC', now, DAYS[due]);
  return sql<boolean>`(${earliestDue} >= ${now} and ${earliestDue} < ${end})`;
}
