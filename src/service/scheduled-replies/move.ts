import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';

/** Takes the scheduled replies of locked tickets along to another one, with the files that they will attach. */
export async function moveScheduledReplies(
  tx: ServiceTx,
  workspaceId: string,
  from: readonly string[],
  to: string,
): Promise<void> {
  await sql`
    with moved as (
      update scheduled_reply set ticket_id = ${to}
      where workspace_id = ${workspaceId} and ticket_id = any(${[...from]}::text[])
      returning file_ids
    )
    update file set ticket_id = ${to}
    where workspace_id = ${workspaceId} and attached_at is null and ticket_id is not null
      and id in (select unnest(file_ids) from moved)`.execute(tx);
}
