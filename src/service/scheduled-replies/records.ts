import type { Selectable } from 'kysely';

import { type ScheduledReply, ticketFile } from '../../contract/index.ts';
import { fileRecords } from '../file-records/records.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';

export type StoredReply = Selectable<Tables['scheduled_reply']>;

/** Returns one scheduled reply; 404 if there is none. */
export async function scheduledReplyRecord(
  db: ServiceDb,
  workspaceId: string,
  id: string,
): Promise<ScheduledReply> {
  return found((await scheduledReplyRecords(db, [workspaceId], [id]))[0]);
}

/** Scheduled replies by id, in the order of `ids`. */
export async function scheduledReplyRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<ScheduledReply[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('scheduled_reply')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids)
    .execute();
  const files = await fileRecords(
    db,
    workspaceIds,
    rows.flatMap((row) => row.file_ids),
  );
  return inOrder(ids, rows).map((row) => ({
    id: row.id,
    ticketId: row.ticket_id,
    authorId: row.author_id,
    content: row.content,
    files: files
      .filter(({ id, attachedAt }) => row.file_ids.includes(id) && attachedAt === null)
      .map((file) => ticketFile.strip().parse(file)),
    sendAt: iso(row.send_at),
    statusId: row.status_id,
    heldBecause: row.held_because,
    heldDetail: row.held_detail,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }));
}
