import { type RawBuilder, sql } from 'kysely';

import { LIMITS } from '../../contract/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import { found, ServiceProblem, unprocessable } from '../problem.ts';

/** Limits that are settings; bytes. */
export interface FileLimits {
  file: number;
  workspace: number;
}

export const DEFAULT_FILE_LIMITS: FileLimits = { file: 100 * 1024 ** 2, workspace: 50 * 1024 ** 3 };

export function tooLarge(limit: number): ServiceProblem {
  return new ServiceProblem(
    'PAYLOAD_TOO_LARGE',
    `This is more than ${inUnits(limit)}, the limit of an upload. Send a smaller file, or a link to it.`,
  );
}

/** The parents whose file limits apply; ids as values or columns. */
interface Wanted {
  workspaceId: string | RawBuilder<string>;
  /** Null: the author's files without a ticket, which have the same limits. */
  ticketId: string | RawBuilder<string> | null;
  authorId: string | null;
  /** Identify the uploads on their ticket. */
  keys?: readonly string[];
  /** Number of files; default 1. */
  count?: number;
  /** Bytes of all of them; 0 where they are not known yet. */
  size: number;
}

/** Whether there is room for more files. */
export interface Room {
  /** The files that earlier uploads stored under the keys: then nothing more is stored. */
  stored: { key: string; id: string }[] | null;
  files: number;
  /** The limit that the file would exceed. */
  full: 'files' | 'ticket' | null;
}

/** Returns a relation with one row, the room of a ticket. It is exact where the ticket was locked before. */
export function roomOf(wanted: Wanted): RawBuilder<Room> {
  const { workspaceId, ticketId, authorId, keys = [], count = 1, size } = wanted;
  const { ofTicket, ticketBytes } = LIMITS.files;
  return sql<Room>`(
    select stored, files, case when files + ${count} > ${sql.lit(ofTicket)} then 'files'
      when bytes + ${size} > ${sql.lit(ticketBytes)} then 'ticket' end as full
    from (
      select count(*) as files, coalesce(sum(size), 0) as bytes,
        (select json_agg(json_build_object('key', key, 'id', id)) from file
          where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and key = any(${keys}::text[])) as stored
      from file where workspace_id = ${workspaceId} and ${
        ticketId === null
          ? sql`attached_at is null and ticket_id is null and author_id is not distinct from ${authorId}`
          : sql`ticket_id = ${ticketId}`
      }) counted)`;
}

/** Throws 422 if there is no room. */
export function requireFree({ files, full }: Pick<Room, 'files' | 'full'>): void {
  const { ofTicket, ticketBytes } = LIMITS.files;
  if (full === null) return;
  const problems = {
    files: `This ticket has ${files} files; at most ${ofTicket} are kept. Delete some first`,
    ticket: `The files of this ticket would be larger than ${inUnits(ticketBytes)} together. Delete some first`,
  };
  throw unprocessable('file', problems[full]);
}

/** Throws 422 unless a ticket, which is locked, has room for one more file. */
export async function requireRoom(tx: ServiceTx, wanted: Wanted): Promise<void> {
  const { rows } = await sql<Room>`select * from ${roomOf(wanted)} room`.execute(tx);
  requireFree(found(rows[0]));
}

/** Milliseconds for which what a workspace has is not read again. */
const KNOWN_MS = 60_000;

/**
 * The bytes of each workspace. Their sum takes the longer the more files there are: it is read once a minute, and what
 * this process stores is added meanwhile. Files that other processes store in that minute may exceed the limit.
 */
export class WorkspaceRoom {
  readonly #db: ServiceDb;
  readonly #limit: number;
  readonly #known = new Map<string, { bytes: number; readAt: number }>();

  constructor(db: ServiceDb, limit: number) {
    this.#db = db;
    this.#limit = limit;
  }

  /** Throws 422 unless a workspace has room for so many more bytes. */
  async require(workspaceId: string, size: number, now: Date): Promise<void> {
    const known = this.#known.get(workspaceId);
    const isRecent = known && now.getTime() - known.readAt < KNOWN_MS;
    if (isRecent && known.bytes + size <= this.#limit) return;
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(sum(size), 0)::bigint as bytes from file_content where workspace_id = ${workspaceId}`.execute(
      this.#db,
    );
    const { bytes } = found(rows[0]);
    this.#known.set(workspaceId, { bytes, readAt: now.getTime() });
    if (bytes + size > this.#limit)
      throw unprocessable(
        'file',
        `The files of this workspace would be larger than ${inUnits(this.#limit)} together. Delete some, or raise FILES_GIGABYTES`,
      );
  }

  added(workspaceId: string, size: number): void {
    const known = this.#known.get(workspaceId);
    if (known) known.bytes += size;
  }
}

function inUnits(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes >= 1024 ? `${Math.floor(megabytes / 1024)} GB` : `${Math.floor(megabytes)} MB`;
}
