import { Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { attachmentNamed, rangeOf } from '../../platform/http/index.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { found, notFound, ServiceProblem } from '../problem.ts';
import { isFileVisibleTo } from './access.ts';
import { MAX_PIXELS } from '../file-records/records.ts';
import type { FileStorage } from './storage.ts';
import type { Thumbnails } from './thumbnails.ts';

/** A file may contain anything: no browser may show it as a page of this origin, or guess another type. */
const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-cache',
};

/** Sends a file as a download, or the one range of it that is asked for (RFC 9110, 14). */
export async function sendFile(
  { db, storage }: { db: ServiceDb; storage: FileStorage },
  caller: Caller,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await openedFile(db, caller, id);
  const etag = `"${file.hash}"`;
  reply.headers({ ...SAFE_HEADERS, etag, 'accept-ranges': 'bytes' });
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const { range: asked, 'if-range': ifRange } = request.headers;
  const range = ifRange === undefined || ifRange === etag ? rangeOf(asked, file.size) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw new ServiceProblem('BAD_REQUEST', `The file has ${file.size} bytes. Ask for a range within them.`);
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${file.size}`);
  return reply
    .headers({
      'content-type': file.type === 'text/plain' ? 'text/plain; charset=utf-8' : file.type,
      'content-disposition': attachmentNamed(file.name),
      'content-length': range ? range.to - range.from + 1 : file.size,
    })
    .send(Readable.from(storage.read(file.workspace_id, file.hash, range), { objectMode: false }));
}

/** Sends the small copy of an image; 404 if it has none. */
export async function sendThumbnail(
  { db, thumbnails }: { db: ServiceDb; thumbnails: Thumbnails },
  caller: Caller,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await openedFile(db, caller, id);
  const pixels = (file.width ?? 0) * (file.height ?? 0);
  if (pixels === 0 || pixels > MAX_PIXELS) throw notFound();
  const etag = `"${file.hash}-640"`;
  reply.headers({ ...SAFE_HEADERS, etag, 'cache-control': 'private, max-age=3600' });
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const bytes = await thumbnails.of(file);
  if (!bytes) throw notFound();
  return reply.type('image/webp').header('content-disposition', 'inline').send(bytes);
}

async function openedFile(db: ServiceDb, caller: Caller, id: string) {
  const file = found(
    await db
      .selectFrom('file as f')
      .selectAll('f')
      .where('f.workspace_id', 'in', caller.workspaceIds)
      .where('f.id', '=', id)
      .where(isFileVisibleTo(caller))
      .executeTakeFirst(),
  );
  if (file.ticket_id !== null) await caller.noteOpened?.(db, [file.ticket_id]);
  return file;
}

function matches(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
