import { createHash } from 'node:crypto';

import { sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import { databaseErrorCode } from '../../platform/database/open.ts';
import type { Range } from '../../platform/http/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb } from '../handler.ts';
import type { FileStorage } from './storage.ts';

/** A content of fewer bytes is one chunk, stored with the others of its request; of a larger one, this is the first. */
const SMALL_BYTES = 512 * 1024;
/** Bytes of the other chunks, at least: a commit with more of them would keep the disk from every message. */
const CHUNK_BYTES = 128 * 1024;
/** Chunks of an upload that are stored at the same time: one waits for its commit while the next one arrives. */
const STORED_AT_ONCE = 2;
/** Pieces are merged up to so many bytes: of a client that sends single bytes, half a million would be held. */
const MERGED_BYTES = 4 * 1024;
/** Chunks that are read by one statement. */
const READ_AT_ONCE = 4;
const UNIQUE_VIOLATION = '23505';
/** Contents removed by one statement: each has up to 800 chunks. */
const REMOVED_AT_ONCE = 5;

/**
 * Stores contents in Postgres, so that one backup has everything. Each chunk is a statement of its own: an upload of a
 * slow client holds neither a connection nor a transaction.
 */
export function createPostgresStorage(db: ServiceDb, newId: NewId): FileStorage {
  return {
    async write(workspaceId, bytes, keptFrom, allHeld) {
      const key = { workspace_id: workspaceId, id: newId(ID_PREFIXES.fileContent) };
      const hash = createHash('sha256');
      let held: Buffer[] = [];
      let heldBytes = 0;
      let storedBytes = 0;
      let isBegun = false as boolean;
      const storing: Promise<unknown>[] = [];
      const storeHeld = async () => {
        if (!isBegun) {
          isBegun = true;
          await db
            .insertInto('file_content')
            .values({ ...key, hash: null, size: 0, used_at: keptFrom })
            .execute();
        }
        const chunk = { workspace_id: workspaceId, content_id: key.id, position: storedBytes };
        const stored = db
          .insertInto('file_chunk')
          .values({ ...chunk, bytes: Buffer.concat(held) })
          .execute();
        // `storing` is awaited: this only keeps a failure until then from being an unhandled one.
        stored.catch(() => undefined);
        storing.push(stored);
        storedBytes += heldBytes;
        held = [];
        allHeld?.add(-heldBytes);
        heldBytes = 0;
        if (storing.length >= STORED_AT_ONCE) await storing.shift();
      };
      try {
        for await (const piece of bytes) {
          hash.update(piece);
          const last = held.at(-1);
          if (last && last.length + piece.length <= MERGED_BYTES)
            held.splice(-1, 1, Buffer.concat([last, piece]));
          else held.push(piece);
          heldBytes += piece.length;
          allHeld?.add(piece.length);
          const isEnough = isBegun || allHeld?.isFull === true;
          if (heldBytes >= (isEnough ? CHUNK_BYTES : SMALL_BYTES)) await storeHeld();
        }
        const content = { hash: hash.digest('hex'), size: storedBytes + heldBytes };
        if (!isBegun && (heldBytes === 0 || allHeld?.isFull !== true)) return { ...content, held };
        if (heldBytes > 0) await storeHeld();
        await Promise.all(storing);
        await complete(db, key, content, keptFrom);
        return content;
      } catch (error) {
        await Promise.allSettled(storing);
        allHeld?.add(-heldBytes);
        if (isBegun) await remove(db, key).catch(() => undefined);
        throw error;
      }
    },

    async keep(workspaceId, written, keptFrom) {
      const contents = new Map(
        written.flatMap(({ hash, size, held }) =>
          held ? [[hash, { id: newId(ID_PREFIXES.fileContent), hash, size, held }]] : [],
        ),
      );
      // In the order of their hashes: two statements with the same contents would wait for each other.
      const sorted = [...contents.values()].toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
      if (sorted.length > 0) await storeSmall(db, workspaceId, sorted, keptFrom);
    },

    async *read(workspaceId, hash, range) {
      const content = await db
        .selectFrom('file_content')
        .select(['id', 'size'])
        .where('workspace_id', '=', workspaceId)
        .where('hash', '=', hash)
        .executeTakeFirstOrThrow();
      const { from, to }: Range = range ?? { from: 0, to: content.size - 1 };
      const chunks = db
        .selectFrom('file_chunk')
        .where('workspace_id', '=', workspaceId)
        .where('content_id', '=', content.id);
      for (let at = from; at <= to;) {
        const first = chunks
          .where('position', '<=', at)
          .select(({ fn }) => fn.max('position').as('position'));
        const found = await chunks
          .select(['position', 'bytes'])
          .where('position', '>=', first)
          .where('position', '<=', to)
          .orderBy('position')
          .limit(READ_AT_ONCE)
          .execute();
        if (found.length === 0) throw new Error('The content was removed while it was read');
        for (const { position, bytes } of found) {
          const end = position + bytes.length;
          if (position > at || end <= at)
            throw new Error(`Byte ${at} of the content ${content.id} is missing`);
          yield bytes.subarray(at - position, to - position + 1);
          at = end;
        }
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

/**
 * Stores contents of one chunk; most files are screenshots. Their bytes are one parameter, which is cut apart: pg
 * copies what it has of a statement for each further one.
 */
async function storeSmall(
  db: ServiceDb,
  workspaceId: string,
  contents: readonly (Complete & { id: string; held: readonly Buffer[] })[],
  usedAt: Date,
): Promise<void> {
  let at = 1;
  const rows = contents.map(({ id, hash, size }) => ({ id, hash, size, at: (at += size) - size }));
  const bytes = Buffer.concat(contents.flatMap(({ held }) => held));
  const row = sql`json_to_recordset(${JSON.stringify(rows)}::json) c(id text, hash text, size integer, at integer)`;
  await sql`
    with content as (
      insert into file_content (workspace_id, id, hash, size, used_at)
      select ${workspaceId}, c.id, c.hash, c.size, ${usedAt} from ${row}
      on conflict (workspace_id, hash) do update set used_at = greatest(file_content.used_at, excluded.used_at)
      returning id
    )
    insert into file_chunk (workspace_id, content_id, position, bytes)
    select ${workspaceId}, c.id, 0, substr(${bytes}::bytea, c.at, c.size) from ${row} join content using (id)`.execute(
    db,
  );
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
