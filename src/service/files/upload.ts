import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

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
import { requireIds, requireWorkspace } from '../references.ts';
import { lockTicketNamed, ticketNamed } from '../tickets/find.ts';
import { changeTicketFiles } from './attach.ts';
import { fileType, HEAD_BYTES } from './file-type.ts';
import { cleanName } from './name.ts';
import { receiveFile } from './receive.ts';
import { fileJson, fileRecords } from './records.ts';
import { type FileLimits, requireRoom, tooLarge } from './room.ts';
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
  const { workspaceId, ticketId } = await targetOf(db, upload);
  const authorId = query.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  // What the body says about its own length is enough to refuse it early, never to accept it.
  const length = Number(body.headers['content-length'] ?? 0) - FORM_BYTES;
  const key = ('key' in query ? query.key : null) ?? null;
  if (length > limits.file) throw tooLarge(limits.file);
  const wanted = { workspaceId, ticketId, authorId, key, size: Math.max(0, length) };
  const before = await requireRoom(db, wanted, limits.workspace);
  if (before !== undefined) {
    body.resume();
    return found((await fileRecords(db, [workspaceId], [before]))[0]);
  }
  if (query.authorId) await requireIds(db, 'person', workspaceId, [query.authorId], 'authorId');
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
      const stored = await requireRoom(tx, { ...wanted, size: file.size });
      if (stored !== undefined) {
        [record] = await fileRecords(tx, [workspaceId], [stored]);
        return false;
      }
      await file.store?.(tx);
      ({ file: record } = await tx
        .with('x', (inserted) =>
          inserted
            .insertInto('file')
            .values({
              ...{ workspace_id: workspaceId, id: tools.newId(ID_PREFIXES.file) },
              ...{ ticket_id: ticketId, ticket_message_id: messageId },
              ...{ attached_at: messageId || attach ? now : null, hash: file.hash, size: file.size },
              ...{
                name: cleanName(file.name),
                ...fileType(file.head),
                author_id: authorId,
                key,
                created_at: now,
              },
            })
            .returningAll(),
        )
        .selectFrom('x')
        .select(fileJson.as('file'))
        .executeTakeFirstOrThrow());
      return true;
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

/** The ticket, or only the workspace, of an upload; 404 or 403 before any byte is read. */
async function targetOf(
  db: ServiceDb,
  { caller, ticket, query }: Upload,
): Promise<{ workspaceId: string; ticketId: string | null }> {
  if (ticket === undefined)
    return { workspaceId: requireWorkspace(caller, query.workspaceId), ticketId: null };
  const named = found(await ticketNamed(db, caller, ticket, query.workspaceId));
  const row = found(
    await db
      .selectFrom('ticket')
      .select(['workspace_id', 'id'])
      .where('workspace_id', 'in', named.workspaceIds)
      .where('id', '=', named.id)
      .executeTakeFirst(),
  );
  await requireAccess(db, caller, { workspaceId: row.workspace_id, id: row.id }, 'participant');
  return { workspaceId: row.workspace_id, ticketId: row.id };
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
