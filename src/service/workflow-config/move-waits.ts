import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';

/** Lets steps that wait for replies on merged tickets wait for those on the one where they are written from now on. */
export async function moveWaits(
  tx: ServiceTx,
  workspaceId: string,
  merged: readonly string[],
  into: string,
): Promise<void> {
  await sql`
    update workflow_wait set ticket_id = ${into}
    where workspace_id = ${workspaceId} and ticket_id = any(${[...merged]}::text[]) and event = 'reply'`.execute(
    tx,
  );
}

/** Lets those wait on their ticket again whose runs are of tickets that get their own replies again. */
export async function moveWaitsBack(
  tx: ServiceTx,
  workspaceId: string,
  { from, merged, to }: { from: string; merged: readonly string[]; to: string },
): Promise<void> {
  await sql`
    update workflow_wait w set ticket_id = ${to} from workflow_run r
    where w.workspace_id = ${workspaceId} and w.ticket_id = ${from} and w.event = 'reply'
      and r.workspace_id = w.workspace_id and r.id = w.run_id and r.ticket_id = any(${[...merged]}::text[])`.execute(
    tx,
  );
}
