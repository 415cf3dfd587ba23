import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';

/** Takes the scheduled replies of locked tickets along to another one, with the files that they will attach. */
export async function moveScheduledReplies(
  tx: ServiceTx,
  workspaceId: string,
  from: readonly string[],
  to: string,
): Promise<void> {
  const { rows: moved } = await sql<{ fileIds: string[] }>`
    update scheduled_reply set ticket_id = ${to}
    where workspace_id = ${workspaceId} and ticket_id = any(${[...from]}::text[])
    returning file_ids as "fileIds"`.execute(tx);
  const fileIds = moved.flatMap((reply) => reply.fileIds);
  if (fileIds.length === 0) return;
  await sql`
    update file set ticket_id = ${to}
    where workspace_id = ${workspaceId} and attached_at is null and ticket_id is not null
      and id = any(${fileIds}::text[])`.execute(tx);
}
