import { type Insertable, type RawBuilder, sql } from 'kysely';

import type { File } from '../../contract/index.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { lockMessage } from '../messages/lock.ts';
import { rewriteMessage } from '../messages/rewrite.ts';
import type { Outbox } from '../outbox.ts';
import { conflict, found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { lockTicketNamed, nextStamp } from '../tickets/find.ts';
import { changeTicketFiles } from './change.ts';
import { fileRecords } from '../file-records/records.ts';
import { requireFree, type Room } from '../file-records/room.ts';

/** Files that were received, and whose bytes are stored. */
export interface NewFiles {
  /** At least one; all have the same columns. */
  rows: Insertable<Tables['file']>[];
  room: RawBuilder<Room>;
}

interface Added extends Pick<Room, 'stored'> {
  /** Null: nothing was added, as earlier uploads had `stored` some under their keys. */
  added: File[] | null;
}

/** Adds files without an event. Throws 422 if there is no room. */
export async function addAlone(tx: ServiceTx, files: NewFiles): Promise<Added> {
  const room = await sql<Room>`select * from ${files.room} room`.execute(tx);
  const { stored, ...free } = found(room.rows[0]);
  if (stored !== null) return { stored, added: null };
  requireFree(free);
  await tx.insertInto('file').values(files.rows).execute();
  const [workspaceIds, ids] = [files.rows.map((row) => row.workspace_id), files.rows.map((row) => row.id)];
  return { stored, added: await fileRecords(tx, workspaceIds, ids) };
}

/** Adds files to a ticket; attached ones with the ticket's event. Throws 403, 404, and 422 if there is no room. */
export async function addToTicket(
  tx: ServiceTx,
  writing: { caller: Caller; now: Date; outbox: Outbox },
  ticketId: string,
  attach: boolean,
  files: NewFiles,
): Promise<Added> {
  const locked = await lockTicketNamed(tx, writing.caller, ticketId, undefined, 'participant');
  const add = () => addAlone(tx, files);
  if (attach) return changeTicketFiles(tx, writing, locked, add);
  // There is no event, but the new instant tells `addToMessage` that the ticket was written.
  await tx
    .updateTable('ticket')
    .set({ stamped_at: nextStamp(locked, writing.now) })
    .where('workspace_id', '=', locked.workspace_id)
    .where('id', '=', locked.id)
    .execute();
  return add();
}

/**
 * Adds files to a message, with the message's event. Throws 403, 404, 409 for a deleted message, and 422 if there is no
 * room.
 */
export async function addToMessage(
  tx: ServiceTx,
  writing: { caller: Caller; now: Date; outbox: Outbox },
  messageId: string,
  files: NewFiles,
): Promise<Added> {
  const locked = await lockMessage(tx, writing.caller, messageId);
  if (locked.message.deleted_at !== null) throw conflict('This message was deleted.');
  const added = await addAlone(tx, files);
  if (added.added !== null) await rewriteMessage(tx, writing, locked, 'updated', {});
  return added;
}
