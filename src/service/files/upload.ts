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
import type { Caller, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { rewrite } from '../messages/rewrite.ts';
import { lockMessage } from '../messages/lock.ts';
import { conflict, found, unprocessable } from '../problem.ts';
import { noSuch, requireWorkspace } from '../references.ts';
import { lockTicketNamed, ticketNamed } from '../tickets/find.ts';
import { changeTicketFiles } from './attach.ts';
import { fileType, HEAD_BYTES } from './file-type.ts';
import { cleanName } from './name.ts';
import { receiveFile } from './receive.ts';
import { fileJson, fileRecords } from './records.ts';
import { type FileLimits, requireFree, type Room, roomOf, tooLarge } from './room.ts';
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
  limits: FileLimits;
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
  const { db, storage, limits, tools } = store;
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
    const bytes = limited(stream, limits.file, start);
    const content = await storage.write(workspaceId, bytes, now);
    return { ...content, name, head: Buffer.concat(start) };
  });
  return writeWithEvents(db, { newId: tools.newId, now, caller }, async (tx, outbox) => {
    let record: File | undefined;
    const { messageId = null, attach = null } = 'messageId' in query || 'attach' in query ? query : {};
    const insert = async (): Promise<boolean> => {
      // The ticket is locked: no other upload can store one under this key meanwhile.
      const row = {
        ...{ workspace_id: workspaceId, id: tools.newId(ID_PREFIXES.file), ticket_id: ticketId },
        ...{ ticket_message_id: messageId, attached_at: messageId || attach ? now : null, hash: file.hash },
        ...{ size: file.size, name: cleanName(file.name), ...fileType(file.head) },
        ...{ author_id: authorId, key, created_at: now },
      };
      const { rows } = await sql<Room & { file: File | null }>`
        with room as materialized (select * from ${roomOf({ ...target, size: file.size })} room),
        fits as (select from room where stored is null and "full" is null), ${file.store ?? sql``}
        x as (
          insert into file (${sql.join(Object.keys(row).map((column) => sql.ref(column)))})
          select ${sql.join(Object.values(row))} from fits returning *
        )
        select room.*, (select ${fileJson} from x) as file from room`.execute(tx);
      const { file: inserted, stored, ...room } = found(rows[0]);
      if (stored !== null) [record] = await fileRecords(tx, [workspaceId], [stored]);
      else requireFree(room);
      record ??= inserted ?? undefined;
      return stored === null;
    };
    await place(tx, { caller, now, outbox }, { ...upload, ticketId, messageId, attach }, insert);
    return found(record);
  });
}

async function place(
  tx: ServiceTx,
  writing: Parameters<typeof changeTicketFiles>[1],
  to: { ticketId: string | null; messageId: string | null; attach: boolean | null },
  insert: () => Promise<boolean>,
): Promise<void> {
  const { ticketId, messageId, attach } = to;
  if (ticketId === null) {
    await insert();
    return;
  }
  if (messageId !== null) {
    const locked = await lockMessage(tx, writing.caller, messageId);
    if (locked.ticket.id !== ticketId) throw unprocessable('messageId', 'The message is on another ticket');
    if (locked.message.deleted_at !== null) throw conflict('This message was deleted.');
    if (await insert()) await rewrite(tx, writing, locked, 'updated', {});
    return;
  }
  const locked = await lockTicketNamed(tx, writing.caller, ticketId, undefined, 'participant');
  if (attach) await changeTicketFiles(tx, writing, locked, insert);
  else await insert();
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
  { db, limits }: FileStore,
  { caller, ticket, query }: Upload,
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
    cross join lateral ${roomOf({ ...place, authorId: authorIn(home), key, size }, limits.workspace)} room`.execute(
    db,
  );
  const { workspace_id: workspaceId, id: ticketId, stored, knows_author, ...room } = found(rows[0]);
  if (ticketId !== null) await requireAccess(db, caller, { workspaceId, id: ticketId }, 'participant');
  if (size > limits.file) throw tooLarge(limits.file);
  if (stored === null) {
    requireFree(room, limits.workspace);
    if (!knows_author) throw noSuch('person', query.authorId ?? '', 'authorId');
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
