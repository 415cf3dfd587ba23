import { type Insertable, type RawBuilder, sql } from 'kysely';

import { type File, ID_PREFIXES } from '../../contract/index.ts';
import { again, transaction } from '../../platform/database/open.ts';
import { enqueueing } from '../../platform/jobs/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { requireAccess, requireReadable } from '../access/ticket-access.ts';
import { deliveries } from '../delivery/store.ts';
import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import { withEvent } from '../messages/event.ts';
import type { Outbox } from '../outbox.ts';
import { conflict, found, unprocessable } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { lockTicket, lockTicketNamed, nextStamp } from '../tickets/find.ts';
import { changeTicketFiles } from './attach.ts';
import { fileJson, ticketFileJson } from './records.ts';
import { requireFree, type Room } from './room.ts';
import type { Written } from './storage.ts';

/** A file that was received. */
export interface NewFile {
  /** Parts of the statement that store its bytes, as in `Written`. */
  store: Written['store'] | undefined;
  row: Insertable<Tables['file']>;
  room: RawBuilder<Room>;
}

interface Added {
  /** Null: an earlier upload had `stored` one under its key. */
  file: File | null;
  stored: string | null;
}

/** Returns parts of a statement: the file as a relation `added`, if the relation `fits` has a row. */
const adding = ({ row, store }: NewFile) => sql`${store ?? sql``}
  added as (
    insert into file (${sql.join(Object.keys(row).map((column) => sql.ref(column)))})
    select ${sql.join(Object.values(row))} from fits
    returning *
  )`;
const addedFile = sql`(select ${fileJson} from added x)`;

/** Adds a file without an event. Throws 422 if there is no room. */
export async function addAlone(tx: ServiceTx, file: NewFile): Promise<Added> {
  const { rows } = await sql<Room & Added>`
    with room as materialized (select * from ${file.room} room),
    fits as (select from room where stored is null and "full" is null), ${adding(file)}
    select room.*, ${addedFile} as file from room`.execute(tx);
  const added = found(rows[0]);
  if (added.stored === null) requireFree(added);
  return added;
}

/** Adds a file to a ticket; an attached one with the ticket's event. Throws 403, 404, and 422 if there is no room. */
export async function addToTicket(
  tx: ServiceTx,
  writing: { caller: Caller; now: Date; outbox: Outbox },
  ticketId: string,
  attach: boolean,
  file: NewFile,
): Promise<Added> {
  const locked = await lockTicketNamed(tx, writing.caller, ticketId, undefined, 'participant');
  const add = () => addAlone(tx, file);
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

interface Place {
  workspaceId: string;
  ticketId: string;
  messageId: string;
}

interface Context {
  newId: NewId;
  now: Date;
  caller: Caller;
}

/**
 * Adds a file to a message, with the message's event. Throws 403, 404, 409 for a deleted message, and 422 if there is no
 * room or the message is on another ticket.
 *
 * One statement, whose part `stamped` locks the ticket. What the statement saw before it had the lock may be outdated, so
 * it does nothing if the ticket was written meanwhile; then it is repeated with the ticket locked before.
 */
export async function addToMessage(
  db: ServiceDb,
  context: Context,
  place: Place,
  file: NewFile,
): Promise<Added> {
  const { caller } = context;
  const { workspaceId, ticketId, messageId } = place;
  await requireReadable(db, caller, messageId);
  await requireAccess(db, caller, { workspaceId, id: ticketId }, 'team');
  const added = await again(() => addUnlessOutdated(db, context, place, file));
  if (added) return added;
  return transaction(db, async (tx) => {
    await lockTicket(tx, { workspaceId, id: ticketId });
    const addedNow = await addUnlessOutdated(tx, context, place, file);
    if (!addedNow) throw new Error(`the ticket ${ticketId} was written while it was locked`);
    return addedNow;
  });
}

/** Returns undefined, and has done nothing, if the ticket was written after the statement began. */
async function addUnlessOutdated(
  db: ServiceDb,
  { newId, now, caller }: Context,
  { workspaceId, ticketId, messageId }: Place,
  file: NewFile,
): Promise<Added | undefined> {
  const files = sql`(select json_agg(${ticketFileJson} order by x.id) from (
    select * from file f where f.workspace_id = m.workspace_id and f.ticket_message_id = m.id
    union all select * from added) x)`;
  const { rows } = await sql<Room & Added & { ticket_id: string; is_deleted: boolean }>`
    with target as (
      select t.workspace_id, t.id, t.stamped_at, m.deleted_at is not null as is_deleted
      from ticket_message m join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
      where m.workspace_id = ${workspaceId} and m.id = ${messageId}
    ), room as materialized (select * from ${file.room} room),
    stamped as (
      update ticket t set stamped_at = greatest(${now}::timestamptz, t.stamped_at + interval '1 millisecond')
      from target x, room
      where t.workspace_id = x.workspace_id and t.id = x.id and t.stamped_at = x.stamped_at and t.id = ${ticketId}
        and not x.is_deleted and room.stored is null and room."full" is null
      returning t.*
    ), fits as (select from stamped), ${adding(file)}, message as (
      update ticket_message m set updated_at = t.stamped_at from stamped t
      where m.workspace_id = t.workspace_id and m.id = ${messageId}
      returning m.*
    ), ${withEvent('updated', caller, { files })}, written_event as (
      select ${newId(ID_PREFIXES.event)} as id, event, null::text as webhook_id from record
    ), ${deliveries({ newId, now, caller })}
    select x.id as ticket_id, x.is_deleted, room.*, ${addedFile} as file,
      (select ${enqueueing([], 'attempt')} where exists (select from attempt))
    from target x cross join room`.execute(db);
  const row = found(rows[0]);
  if (row.ticket_id !== ticketId) throw unprocessable('messageId', 'The message is on another ticket');
  if (row.is_deleted) throw conflict('This message was deleted.');
  if (row.stored === null) requireFree(row);
  return row.stored === null && row.file === null ? undefined : row;
}
