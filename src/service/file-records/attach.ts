import { sql } from 'kysely';

import type { TicketFile } from '../../contract/index.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { unprocessable } from '../problem.ts';
import { ticketFileJson } from './records.ts';
import { requireRoom } from './room.ts';

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
