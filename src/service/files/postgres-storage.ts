import { createHash } from 'node:crypto';

import { type RawBuilder, sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import { databaseErrorCode } from '../../platform/database/open.ts';
import type { Range } from '../../platform/http/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb } from '../handler.ts';
import type { FileStorage } from './storage.ts';

/**
 * Bytes of a stored chunk; every chunk of a content has them but the last. Stored contents depend on it, so it never
 * changes.
 */
export const CHUNK_BYTES = 512 * 1024;
const UNIQUE_VIOLATION = '23505';
/** Contents removed by one statement: each has up to 200 chunks. */
const REMOVED_AT_ONCE = 20;

/**
 * Stores contents in Postgres, so that one backup has everything. Each chunk is a statement of its own: an upload of a
 * slow client holds neither a connection nor a transaction.
 */
export function createPostgresStorage(db: ServiceDb, newId: NewId): FileStorage {
  return {
    async write(workspaceId, bytes, keptFrom) {
      const key = { workspace_id: workspaceId, id: newId(ID_PREFIXES.fileContent) };
      const hash = createHash('sha256');
      let size = 0;
      let position = 0;
      let held: Buffer | undefined;
      const writeHeld = () =>
        db
          .insertInto('file_chunk')
          .values({
            workspace_id: workspaceId,
            content_id: key.id,
            position: position++,
            bytes: held as Buffer,
          })
          .execute();
      try {
        for await (const chunk of inChunks(bytes)) {
          hash.update(chunk);
          if (held) {
            if (position === 0)
              await db
                .insertInto('file_content')
                .values({ ...key, hash: null, size: 0, used_at: keptFrom })
                .execute();
            await writeHeld();
          }
          size += chunk.length;
          held = chunk;
        }
        const content = { hash: hash.digest('hex'), size };
        held ??= Buffer.alloc(0);
        if (position === 0) {
          return { ...content, store: smallContent(key, content, held, keptFrom) };
        }
        await writeHeld();
        await complete(db, key, content, keptFrom);
        return content;
      } catch (error) {
        if (position > 0) await remove(db, key).catch(() => undefined);
        throw error;
      }
    },

    async *read(workspaceId, hash, range) {
      const content = await db
        .selectFrom('file_content')
        .select(['id', 'size'])
        .where('workspace_id', '=', workspaceId)
        .where('hash', '=', hash)
        .executeTakeFirstOrThrow();
      const { from, to }: Range = range ?? { from: 0, to: content.size - 1 };
      for (let at = Math.floor(from / CHUNK_BYTES); at * CHUNK_BYTES <= to; at++) {
        const { bytes } = await db
          .selectFrom('file_chunk')
          .select('bytes')
          .where('workspace_id', '=', workspaceId)
          .where('content_id', '=', content.id)
          .where('position', '=', at)
          .executeTakeFirstOrThrow();
        const start = at * CHUNK_BYTES;
        yield bytes.subarray(Math.max(0, from - start), to - start + 1);
      }
    },

    async removeUnused(before, signal) {
      for (let total = 0; ;) {
        const { numAffectedRows } = await sql`
          delete from file_content where ctid = any(array(
            select c.ctid from file_content c where c.used_at < ${before} and not exists (
              select from file f where f.workspace_id = c.workspace_id and f.hash = c.hash)
            limit ${REMOVED_AT_ONCE} for update of c skip locked))`.execute(db);
        const removed = Number(numAffectedRows);
        total += removed;
        if (removed < REMOVED_AT_ONCE || signal?.aborted) return total;
      }
    },
  };
}

type Key = { workspace_id: string; id: string };
type Complete = { hash: string; size: number };

/** Stores a content of one chunk with its file; most files are screenshots. */
function smallContent(
  { workspace_id, id }: Key,
  { hash, size }: Complete,
  bytes: Buffer,
  usedAt: Date,
): RawBuilder<unknown> {
  return sql`content as (
      insert into file_content (workspace_id, id, hash, size, used_at)
      select ${workspace_id}, ${id}, ${hash}, ${size}, ${usedAt} from fits
      on conflict (workspace_id, hash) do update set used_at = greatest(file_content.used_at, excluded.used_at)
      returning id
    ), chunk as (
      insert into file_chunk (workspace_id, content_id, position, bytes)
      select ${workspace_id}, ${id}, 0, ${bytes}::bytea from content where id = ${id}
    ),`;
}

/** Gives a content its hash, or removes it if another upload of the same bytes was first. */
async function complete(db: ServiceDb, key: Key, content: Complete, usedAt: Date): Promise<void> {
  for (;;) {
    const stored = await db
      .updateTable('file_content')
      .set({ used_at: sql<Date>`greatest(used_at, ${usedAt})` })
      .where('workspace_id', '=', key.workspace_id)
      .where('hash', '=', content.hash)
      .returning('id')
      .executeTakeFirst();
    if (stored) return remove(db, key);
    try {
      const { numUpdatedRows } = await db
        .updateTable('file_content')
        .set({ ...content, used_at: usedAt })
        .where('workspace_id', '=', key.workspace_id)
        .where('id', '=', key.id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Error('The content was removed while its bytes arrived');
      return;
    } catch (error) {
      if (databaseErrorCode(error) !== UNIQUE_VIOLATION) throw error;
    }
  }
}

async function remove(db: ServiceDb, { workspace_id, id }: Key): Promise<void> {
  await db.deleteFrom('file_content').where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
}

/**
 * Yields the bytes of a stream in chunks of the stored size, in two buffers by turns: a chunk is overwritten when the
 * one after the next is asked for.
 */
async function* inChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunk: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let other: Buffer | undefined;
  let filled = 0;
  for await (const piece of bytes)
    for (let from = 0; from < piece.length;) {
      const copied = piece.copy(chunk, filled, from);
      from += copied;
      filled += copied;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      [chunk, other] = [other ?? Buffer.allocUnsafe(CHUNK_BYTES), chunk];
      filled = 0;
    }
  if (filled > 0) yield chunk.subarray(0, filled);
}
