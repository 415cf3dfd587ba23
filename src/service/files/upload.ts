import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';

import {
  type File,
  ID_PREFIXES,
  LIMITS,
  type messageFilesUploadQuery,
  type ticketFileUploadQuery,
} from '../../contract/index.ts';
import { requireAccess } from '../access/ticket-access.ts';
import { writeWithEvents } from '../delivery/store.ts';
import type { Caller, ServiceDb, Tools } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { found, malformed, ServiceProblem } from '../problem.ts';
import { noSuch, requireWorkspace } from '../references.ts';
import { ticketNamed } from '../tickets/find.ts';
import { isFileVisibleTo } from './access.ts';
import { addAlone, addToMessage, addToTicket, type NewFiles } from './add.ts';
import { fileType, HEAD_BYTES } from './file-type.ts';
import { cleanName } from './name.ts';
import { type Part, receiveFiles } from './receive.ts';
import { fileRecords } from '../file-records/records.ts';
import { requireFree, type Room, roomOf, tooLarge, type WorkspaceRoom } from '../file-records/room.ts';
import type { FileStorage, Written } from './storage.ts';
import type { UploadPlaces } from './upload-places.ts';
import type { ServiceEngine } from '../work.ts';

interface Upload<Query> {
  caller: Caller;
  query: Query;
  body: IncomingMessage;
  now: Date;
}

export interface TicketUpload extends Upload<z.output<typeof ticketFileUploadQuery>> {
  /** The ticket's id or reference; absent for a ticket that does not exist yet. */
  ticket: string | undefined;
}

export interface MessageUpload extends Upload<z.output<typeof messageFilesUploadQuery>> {
  messageId: string;
}

export interface FileStore {
  db: ServiceDb;
  engine: ServiceEngine;
  storage: FileStorage;
  /** Bytes of the files of a request, at most. */
  limit: number;
  workspaceRoom: WorkspaceRoom;
  places: UploadPlaces;
  tools: Pick<Tools, 'newId'>;
}

interface Received extends Written {
  /** The id of the file that it becomes. */
  id: string;
  key: string | null;
  name: string;
  head: Buffer;
}

/** Bytes of a multipart body besides its files, at most. */
const FORM_BYTES = 16 * 1024;

/**
 * Stores the file of a request for a ticket. Its bytes are written outside of the transaction of the file itself, which
 * is short; those of a large one while they arrive.
 * @throws 400 for a body without a complete file, 404, 409 for the key of a file that the caller may not see, 413 and 422
 * by the limits; then no file is stored, and what is stored of its bytes is removed in time.
 */
export function uploadFile(store: FileStore, upload: TicketUpload): Promise<File> {
  return withUploadPlace(store, upload.caller, () => uploadOne(store, upload));
}

/** Runs an upload in its place among the others. */
async function withUploadPlace<Result>(
  { places }: FileStore,
  caller: Caller,
  upload: () => Promise<Result>,
): Promise<Result> {
  const place = places.enter(caller);
  try {
    return await upload();
  } finally {
    place.leave();
  }
}

async function uploadOne(store: FileStore, upload: TicketUpload): Promise<File> {
  const { db, engine, tools } = store;
  const { caller, ticket, query, body, now } = upload;
  const named =
    ticket === undefined ? undefined : found(await ticketNamed(db, caller, ticket, query.workspaceId));
  const home = named ? caller.workspaceId : requireWorkspace(caller, query.workspaceId);
  const at = named
    ? sql`ticket t where t.workspace_id = any(${named.workspaceIds}::text[]) and t.id = ${named.id}`
    : sql`(select ${home}::text as workspace_id, null::text as id) t`;
  const key = query.key ?? null;
  const place = { at, home, isNew: !named, keys: key === null ? [] : [key] };
  const { stored, ...target } = await admit(store, upload, place);
  const { workspaceId, ticketId } = target;
  if (stored) {
    body.resume();
    return found((await storedFiles(store, caller, workspaceId, stored))[0]);
  }
  const received = await receive(store, workspaceId, upload, 1);
  const files = newFiles(
    target,
    received.map((one) => ({ ...one, key })),
    { now, messageId: null, attach: query.attach ?? false },
  );
  const { added, stored: storedMeanwhile } = await writeWithEvents(
    engine,
    { newId: tools.newId, now, caller },
    (tx, outbox) =>
      ticketId === null
        ? addAlone(tx, files)
        : addToTicket(tx, { caller, now, outbox }, ticketId, query.attach ?? false, files),
  );
  return found((added ?? (await storedFiles(store, caller, workspaceId, storedMeanwhile)))[0]);
}

/**
 * Stores the files of a request for a message, as `uploadFile` does, and returns them in the order of its parts. The name
 * of a part is the key of its file, unless it is `file`: for one that was uploaded before, the stored one is returned.
 * @throws 409 for a deleted message, and for the key of a file that the caller may not see.
 */
export function uploadMessageFiles(store: FileStore, upload: MessageUpload): Promise<File[]> {
  return withUploadPlace(store, upload.caller, () => uploadSeveral(store, upload));
}

async function uploadSeveral(store: FileStore, upload: MessageUpload): Promise<File[]> {
  const { engine, tools } = store;
  const { caller, messageId, now } = upload;
  const at = sql`ticket_message m join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
    where m.workspace_id = any(${caller.workspaceIds}::text[]) and m.id = ${messageId}`;
  const target = await admit(store, upload, { at, home: caller.workspaceId, isNew: false, keys: [] });
  const { workspaceId } = target;
  const received = await receive(store, workspaceId, upload, LIMITS.files.ofRequest);
  const keys = received.flatMap(({ key }) => key ?? []);
  if (new Set(keys).size < keys.length)
    throw malformed([{ path: 'file', message: 'Two files have the same key, the name of their part' }]);
  const records = new Map<Received, File>();
  for (let left = received; left.length > 0;) {
    const files = newFiles(target, left, { now, messageId, attach: true });
    const { stored, added } = await writeWithEvents(
      engine,
      { newId: tools.newId, now, caller },
      (tx, outbox) => addToMessage(tx, { caller, now, outbox }, messageId, files),
    );
    const idOf = (one: Received) => (stored ? stored.find(({ key }) => key === one.key)?.id : one.id);
    const read = added ?? (await storedFiles(store, caller, workspaceId, stored));
    for (const one of left) {
      const record = read.find(({ id }) => id === idOf(one));
      if (record) records.set(one, record);
    }
    left = left.filter((one) => !records.has(one));
  }
  return received.map((one) => found(records.get(one)));
}

/**
 * Returns the files that earlier uploads stored under their keys; 409 if the caller may not see one, such as a file of an
 * internal note: their own is not stored, and they learn nothing of the other.
 */
async function storedFiles(
  { db }: FileStore,
  caller: Caller,
  workspaceId: string,
  stored: Room['stored'],
): Promise<File[]> {
  const ids = stored?.map(({ id }) => id) ?? [];
  const hidden = await db
    .selectFrom('file as f')
    .select('f.id')
    .where('f.workspace_id', '=', workspaceId)
    .where(isOneOf('f.id', ids))
    .where(sql<boolean>`not ${isFileVisibleTo(caller)}`)
    .executeTakeFirst();
  if (hidden) throw keyTaken();
  return fileRecords(db, [workspaceId], ids);
}

function keyTaken(): ServiceProblem {
  const message = 'Another file of this ticket has this key. Upload yours with another key, or without one.';
  return new ServiceProblem('CONFLICT', message, [{ path: 'key', message }]);
}

interface Target {
  workspaceId: string;
  /** Null: only the workspace is known yet. */
  ticketId: string | null;
  authorId: string | null;
}

interface Place {
  /** A relation with the ticket as `t`. */
  at: RawBuilder<unknown>;
  /** The ticket does not exist yet. */
  isNew: boolean;
  /** The workspace of an author who is not named. */
  home: string;
  /** Ids of files that may already be stored. */
  keys: readonly string[];
}

/**
 * Returns what an upload is for, and the files that earlier ones stored under its keys; 404, 403, 413 or 422 before any
 * byte is read. What the body says of its size is enough to refuse it early, never to accept it.
 */
async function admit(
  { db, limit, workspaceRoom }: FileStore,
  { caller, query, body, now }: Upload<{ authorId?: string | null | undefined }>,
  { at, isNew, home, keys }: Place,
): Promise<Target & Pick<Room, 'stored'>> {
  const size = Math.max(0, Number(body.headers['content-length'] ?? 0) - FORM_BYTES);
  const authorIn = (workspaceId: string) =>
    query.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  const place = { workspaceId: sql<string>`t.workspace_id`, ticketId: isNew ? null : sql<string>`t.id` };
  const { rows } = await sql<Room & { workspace_id: string; id: string | null; knows_author: boolean }>`
    select t.workspace_id, t.id, room.*, ${query.authorId ?? null}::text is null or exists (
      select from person p where p.workspace_id = t.workspace_id and p.id = ${query.authorId ?? null}
        and p.erased_at is null) as knows_author
    from (select t.workspace_id, t.id from ${at} limit 1) t
    cross join lateral ${roomOf({ ...place, authorId: authorIn(home), keys, size })} room`.execute(db);
  const { workspace_id: workspaceId, id: ticketId, stored, knows_author, ...room } = found(rows[0]);
  if (ticketId !== null) await requireAccess(db, caller, { workspaceId, id: ticketId }, 'participant');
  if (size > limit) throw tooLarge(limit);
  if (!stored) {
    requireFree(room);
    if (!knows_author) throw noSuch('person', query.authorId ?? '', 'authorId');
    await workspaceRoom.require(workspaceId, size, now);
  }
  return { workspaceId, ticketId, authorId: authorIn(workspaceId), stored };
}

/** Receives up to `most` files, which together may have as many bytes as one, and stores their bytes. */
async function receive(
  { storage, limit, workspaceRoom, places, tools }: FileStore,
  workspaceId: string,
  { body, now }: Pick<Upload<unknown>, 'body' | 'now'>,
  most: number,
): Promise<Received[]> {
  let total = 0;
  /** Passes bytes on, and keeps those at the start. */
  async function* limited(stream: Readable, start: Buffer[]): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const piece of stream as AsyncIterable<Buffer>) {
      if (size < HEAD_BYTES) start.push(Buffer.from(piece.subarray(0, HEAD_BYTES - size)));
      size += piece.length;
      total += piece.length;
      if (total > limit) throw tooLarge(limit);
      yield piece;
    }
  }
  /** Bytes of small files that wait for the other files of their request. */
  let waiting = 0;
  const store = async ({ field, name, stream }: Part) => {
    const id = tools.newId(ID_PREFIXES.file);
    if (field.length > LIMITS.shortText)
      throw malformed([{ path: 'file', message: 'The key, the name of the part, is too long' }]);
    const start: Buffer[] = [];
    const written = await storage.write(workspaceId, limited(stream, start), now, places.held);
    if (written.held) waiting += written.size;
    workspaceRoom.added(workspaceId, written.size);
    const key = field === '' || field === 'file' ? null : field;
    return { ...written, id, key, name, head: Buffer.concat(start) };
  };
  try {
    const received = await receiveFiles(body, most, store);
    await storage.keep(workspaceId, received, now);
    return received;
  } finally {
    places.held.add(-waiting);
  }
}

function newFiles(
  { workspaceId, ticketId, authorId }: Target,
  received: readonly Received[],
  { now, messageId, attach }: { now: Date; messageId: string | null; attach: boolean },
): NewFiles {
  const rows = received.map(({ id, key, name, head, hash, size }) => {
    const facts = fileType(head);
    return {
      workspace_id: workspaceId,
      id,
      ticket_id: ticketId,
      ticket_message_id: messageId,
      attached_at: attach ? now : null,
      hash,
      size,
      name: cleanName(name, facts.type),
      ...facts,
      author_id: authorId,
      key,
      created_at: now,
    };
  });
  return {
    rows,
    room: roomOf({
      workspaceId,
      ticketId,
      authorId,
      keys: rows.flatMap(({ key }) => key ?? []),
      count: rows.length,
      size: rows.reduce((sum, row) => sum + row.size, 0),
    }),
  };
}
