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
import { conflict, found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { lockTicket, lockTicketNamed, nextStamp } from '../tickets/find.ts';
import { changeTicketFiles } from './attach.ts';
import { fileJson, ticketFileJson } from './records.ts';
import { requireFree, type Room } from './room.ts';

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

/** Returns a part of a statement: the files as a relation `added`, if the relation `fits` has a row. */
function adding({ rows }: NewFiles) {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  return sql`added as (
    insert into file (${columns})
    select ${columns} from fits, json_populate_recordset(null::file, ${JSON.stringify(rows)}::json)
    returning *
  )`;
}
const addedFiles = sql`(select json_agg(${fileJson}) from added x)`;

/** Adds files without an event. Throws 422 if there is no room. */
export async function addAlone(tx: ServiceTx, files: NewFiles): Promise<Added> {
  const { rows } = await sql<Room & Added>`
    with room as materialized (select * from ${files.room} room),
    fits as (select from room where stored is null and "full" is null), ${adding(files)}
    select room.*, ${addedFiles} as added from room`.execute(tx);
  const added = found(rows[0]);
  if (added.stored === null) requireFree(added);
  return added;
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
 * Adds files to a message, with the message's event. Throws 403, 404, 409 for a deleted message, and 422 if there is no
 * room.
 *
 * One statement, whose part `stamped` locks the ticket. What the statement saw before it had the lock may be outdated, so
 * it does nothing if the ticket was written meanwhile; then it is repeated with the ticket locked before.
 */
export async function addToMessage(
  db: ServiceDb,
  context: Context,
  place: Place,
  files: NewFiles,
): Promise<Added> {
  const { caller } = context;
  const { workspaceId, ticketId, messageId } = place;
  await requireReadable(db, caller, messageId);
  await requireAccess(db, caller, { workspaceId, id: ticketId }, 'team');
  const added = await again(() => addUnlessOutdated(db, context, place, files));
  if (added) return added;
  return transaction(db, async (tx) => {
    await lockTicket(tx, { workspaceId, id: ticketId });
    const addedNow = await addUnlessOutdated(tx, context, place, files);
    if (!addedNow) throw new Error(`the ticket ${ticketId} was written while it was locked`);
    return addedNow;
  });
}

/** Returns undefined, and has done nothing, if the ticket was written after the statement began. */
async function addUnlessOutdated(
  db: ServiceDb,
  { newId, now, caller }: Context,
  { workspaceId, messageId }: Place,
  added: NewFiles,
): Promise<Added | undefined> {
  const files = sql`(select json_agg(${ticketFileJson} order by x.id) from (
    select * from file f where f.workspace_id = m.workspace_id and f.ticket_message_id = m.id
    union all select * from added) x)`;
  const { rows } = await sql<Room & Added & { is_deleted: boolean }>`
    with target as (
      select t.workspace_id, t.id, t.stamped_at, m.deleted_at is not null as is_deleted
      from ticket_message m join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
      where m.workspace_id = ${workspaceId} and m.id = ${messageId}
    ), room as materialized (select * from ${added.room} room),
    stamped as (
      update ticket t set stamped_at = greatest(${now}::timestamptz, t.stamped_at + interval '1 millisecond')
      from target x, room
      where t.workspace_id = x.workspace_id and t.id = x.id and t.stamped_at = x.stamped_at and not x.is_deleted
        and room.stored is null and room."full" is null
      returning t.*
    ), fits as (select from stamped), ${adding(added)}, message as (
      update ticket_message m set updated_at = t.stamped_at from stamped t
      where m.workspace_id = t.workspace_id and m.id = ${messageId}
      returning m.*
    ), ${withEvent('updated', caller, { files })}, written_event as (
      select ${newId(ID_PREFIXES.event)} as id, event, null::text as webhook_id from record
    ), ${deliveries({ newId, now, caller })}
    select x.is_deleted, room.*, ${addedFiles} as added,
      (select ${enqueueing([], 'attempt')} where exists (select from attempt))
    from target x cross join room`.execute(db);
  const row = found(rows[0]);
  if (row.is_deleted) throw conflict('This message was deleted.');
  if (row.stored === null) requireFree(row);
  return row.stored === null && row.added === null ? undefined : row;
}
