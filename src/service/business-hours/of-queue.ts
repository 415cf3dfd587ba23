import { sql } from 'kysely';

import type { Hours } from '../../platform/working-time.ts';
import type { ServiceDb } from '../handler.ts';

/** Returns the business hours of a queue: its own, or the workspace's; undefined: it works around the clock. */
export async function hoursOf(
  db: ServiceDb,
  workspaceId: string,
  queueId: string,
): Promise<Hours | undefined> {
  const { rows } = await sql<Hours>`
    select h.time_zone as "timeZone", h.days, h.holidays from queue q
    join business_hours h on h.workspace_id = q.workspace_id
      and case when q.business_hours_id is null then h.is_default else h.id = q.business_hours_id end
    where q.workspace_id = ${workspaceId} and q.id = ${queueId}`.execute(db);
  return rows[0];
}
