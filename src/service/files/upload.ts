import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import { sql } from 'kysely';
import type { z } from 'zod';

import {
  type File,
  type fileUploadQuery,
  ID_PREFIXES,
  type ticketFileUploadQuery,
} from '../../contract/index.ts';
import { requireAccess } from '../access/ticket-access.ts';
import { writeWithEvents } from '../delivery/store.ts';
import type { Caller, ServiceDb, Tools } from '../handler.ts';
import { found } from '../problem.ts';
import { noSuch, requireWorkspace } from '../references.ts';
import { ticketNamed } from '../tickets/find.ts';
import { addAlone, addToMessage, addToTicket, type NewFile } from './add.ts';
import { fileType, HEAD_BYTES } from './file-type.ts';
import { cleanName } from './name.ts';
import { receiveFile } from './receive.ts';
import { fileRecords } from './records.ts';
import { requireFree, type Room, roomOf, tooLarge, type WorkspaceRoom } from './room.ts';
import type { FileStorage, Written } from './storage.ts';

export interface Upload {
  caller: Caller;
  /** The ticket's id or reference; absent for a ticket that does not exist yet. */
  ticket: string | undefined;
  query: z.output<typeof ticketFileUploadQuery> | z.output<typeof fileUploadQuery>;
  body: IncomingMessage;
  now: Date;
}

export interface FileStore {
  db: ServiceDb;
  storage: FileStorage;
  /** Bytes of one file, at most. */
  limit: number;
  workspaceRoom: WorkspaceRoom;
  tools: Pick<Tools, 'newId'>;
}

interface Received extends Written {
  name: string;
  head: Buffer;
}

/** Bytes of a multipart body besides its file, at most. */
const FORM_BYTES = 16 * 1024;

/**
 * Stores the file of a request. The bytes of a large one are written outside of a transaction while they arrive; the file
 * itself, in a short one, when they are complete.
 * @throws 400 for a body without a complete file, 404, 413 and 422 by the limits; then nothing is stored.
 */
export async function uploadFile(store: FileStore, upload: Upload): Promise<File> {
  const { db, storage, limit, tools } = store;
  const { caller, query, body, now } = upload;
  const length = Math.max(0, Number(body.headers['content-length'] ?? 0) - FORM_BYTES);
  const { stored: before, ...target } = await admit(store, upload, length);
  const { workspaceId, ticketId, authorId, key } = target;
  if (before !== null) {
    body.resume();
    return found((await fileRecords(db, [workspaceId], [before]))[0]);
  }
  const file = await receiveFile(body, async (name, stream): Promise<Received> => {
    const start: Buffer[] = [];
    const bytes = limited(stream, limit, start);
    const content = await storage.write(workspaceId, bytes, now);
    store.workspaceRoom.added(workspaceId, content.size);
    return { ...content, name, head: Buffer.concat(start) };
  });
  const { messageId = null, attach = null } = 'messageId' in query || 'attach' in query ? query : {};
  const added: NewFile = {
    row: {
      ...{ workspace_id: workspaceId, id: tools.newId(ID_PREFIXES.file), ticket_id: ticketId },
      ...{ ticket_message_id: messageId, attached_at: messageId || attach ? now : null, hash: file.hash },
      ...{ size: file.size, name: cleanName(file.name), ...fileType(file.head) },
      ...{ author_id: authorId, key, created_at: now },
    },
    store: file.store,
    room: roomOf({ ...target, size: file.size }),
  };
  const context = { newId: tools.newId, now, caller };
  const { file: record, stored } =
    ticketId !== null && messageId !== null
      ? await addToMessage(db, context, { workspaceId, ticketId, messageId }, added)
      : await writeWithEvents(db, context, (tx, outbox) =>
          ticketId === null
            ? addAlone(tx, added)
            : addToTicket(tx, { caller, now, outbox }, ticketId, attach ?? false, added),
        );
  return found(stored === null ? (record ?? undefined) : (await fileRecords(db, [workspaceId], [stored]))[0]);
}

interface Target {
  workspaceId: string;
  /** Null: only the workspace is known yet. */
  ticketId: string | null;
  authorId: string | null;
  key: string | null;
}

/**
 * Returns what an upload is for, and the file that an earlier one stored under its key; 404, 403, 413 or 422 before any
 * byte is read.
 * @param size what the body says about itself: enough to refuse it early, never to accept it.
 */
async function admit(
  { db, limit, workspaceRoom }: FileStore,
  { caller, ticket, query, now }: Upload,
  size: number,
): Promise<Target & Pick<Room, 'stored'>> {
  const named =
    ticket === undefined ? undefined : found(await ticketNamed(db, caller, ticket, query.workspaceId));
  const home = named ? caller.workspaceId : requireWorkspace(caller, query.workspaceId);
  const wanted = named
    ? sql`ticket t where t.workspace_id = any(${named.workspaceIds}::text[]) and t.id = ${named.id}`
    : sql`(select ${home}::text as workspace_id, null::text as id) t`;
  const authorIn = (workspaceId: string) =>
    query.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  const key = ('key' in query ? query.key : null) ?? null;
  const place = { workspaceId: sql<string>`t.workspace_id`, ticketId: named ? sql<string>`t.id` : null };
  const { rows } = await sql<Room & { workspace_id: string; id: string | null; knows_author: boolean }>`
    select t.workspace_id, t.id, room.*, ${query.authorId ?? null}::text is null or exists (
      select from person p where p.workspace_id = t.workspace_id and p.id = ${query.authorId ?? null}
        and p.erased_at is null) as knows_author
    from (select * from ${wanted} limit 1) t
    cross join lateral ${roomOf({ ...place, authorId: authorIn(home), key, size })} room`.execute(db);
  const { workspace_id: workspaceId, id: ticketId, stored, knows_author, ...room } = found(rows[0]);
  if (ticketId !== null) await requireAccess(db, caller, { workspaceId, id: ticketId }, 'participant');
  if (size > limit) throw tooLarge(limit);
  if (stored === null) {
    requireFree(room);
    if (!knows_author) throw noSuch('person', query.authorId ?? '', 'authorId');
    await workspaceRoom.require(workspaceId, size, now);
  }
  return { workspaceId, ticketId, authorId: authorIn(workspaceId), key, stored };
}

/** Passes bytes on up to a limit, and keeps those at the start. */
async function* limited(stream: Readable, limit: number, start: Buffer[]): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (size < HEAD_BYTES) start.push(Buffer.from(piece.subarray(0, HEAD_BYTES - size)));
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
    yield piece;
  }
}
