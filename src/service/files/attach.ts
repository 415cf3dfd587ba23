import { sql } from 'kysely';

import type { TicketFile } from '../../contract/index.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { unprocessable } from '../problem.ts';
import { addTicketEvent } from '../tickets/events.ts';
import { nextStamp, type StoredTicket, keyOf } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/records.ts';
import { ticketFileJson } from '../file-records/records.ts';
import { requireRoom } from '../file-records/room.ts';

interface Place {
  workspaceId: string;
  ticketId: string;
  /** Null: the ticket itself. */
  messageId: string | null;
}

/**
 * Attaches uploaded files to a new ticket or message; 422 for one that is unknown, already attached, on another ticket,
 * or uploaded by another person than the signed-in one, or than a key that has queues.
 */
async function attachFiles(
  tx: ServiceTx,
  { session, queueIds, personId }: Caller,
  { workspaceId, ticketId, messageId }: Place,
  ids: readonly string[],
  now: Date,
): Promise<TicketFile[]> {
  const wanted = [...new Set(ids)];
  const { rows } = await sql<{ file: TicketFile }>`
    update file x set ticket_id = ${ticketId}, ticket_message_id = ${messageId}, attached_at = ${now}
    where x.workspace_id = ${workspaceId} and x.id = any(${wanted}::text[]) and x.attached_at is null
      and (x.ticket_id is null or x.ticket_id = ${ticketId}) and ${session || queueIds ? sql`x.author_id = ${personId}` : sql`true`}
    returning ${ticketFileJson} as file`.execute(tx);
  const files = rows.map(({ file }) => file).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const missing = wanted.find((id) => !files.some((file) => file.id === id));
  if (missing !== undefined)
    throw unprocessable('fileIds', `"${missing}" is no uploaded file of yours that can be attached here`);
  return files;
}

/** Attaches the files of a new record, and adds them to it and to its event. */
export async function attachToNew(
  tx: ServiceTx,
  caller: Caller,
  place: Place & { record: { id: string; files?: TicketFile[] | undefined } },
  ids: readonly string[] | null | undefined,
  { now, outbox }: { now: Date; outbox: Outbox },
): Promise<void> {
  if (!ids?.length) return;
  const { record } = place;
  const files = await attachFiles(tx, caller, place, ids, now);
  await requireRoom(tx, { ...place, authorId: null, size: 0 });
  record.files = files;
  for (const { data } of outbox.events) if (data.id === record.id) data.files = files;
}

/** Runs a change of a ticket's own files, with its event. */
export async function changeTicketFiles<Result>(
  tx: ServiceTx,
  { caller, now, outbox }: { caller: Caller; now: Date; outbox: Outbox },
  locked: StoredTicket,
  change: () => Promise<Result>,
): Promise<Result> {
  const key = keyOf(locked);
  const before = await ticketDetail(tx, key, now);
  const changed = await change();
  const stamp = nextStamp(locked, now);
  await tx
    .updateTable('ticket')
    .set({ stamped_at: stamp, updated_at: stamp })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .execute();
  addTicketEvent(outbox, caller, key.workspaceId, before, await ticketDetail(tx, key, now));
  return changed;
}
