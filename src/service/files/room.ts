import { sql } from 'kysely';

import { LIMITS } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { ServiceProblem, unprocessable } from '../problem.ts';

/** Limits that are settings; bytes. */
export interface FileLimits {
  file: number;
  workspace: number;
}

export const DEFAULT_FILE_LIMITS: FileLimits = { file: 100 * 1024 ** 2, workspace: 50 * 1024 ** 3 };

export function tooLarge(limit: number): ServiceProblem {
  return new ServiceProblem(
    'PAYLOAD_TOO_LARGE',
    `The file is larger than ${inUnits(limit)}, the limit for one file. Send a smaller one, or a link to it.`,
  );
}

interface Wanted {
  workspaceId: string;
  /** Null: the author's files without a ticket, which have the same limits. */
  ticketId: string | null;
  authorId: string | null;
  /** Identifies the upload on its ticket. */
  key?: string | null;
  /** Bytes; 0 where they are not known yet. */
  size: number;
}

/**
 * Throws 422 unless a ticket has room for one more file, and its workspace, too, if its limit is given; files that arrive
 * at the same moment may exceed that one a little.
 * @returns the id of the file that an earlier upload stored under the key: then nothing more is stored.
 */
export async function requireRoom(
  db: ServiceDb,
  { workspaceId, ticketId, authorId, key = null, size }: Wanted,
  workspaceLimit?: number,
): Promise<string | undefined> {
  const ofWorkspace =
    workspaceLimit === undefined
      ? sql`0`
      : sql`(select coalesce(sum(size), 0)::bigint from file_content where workspace_id = ${workspaceId})`;
  const { rows } = await sql<{ stored: string | null; count: number; bytes: number; in_workspace: number }>`
    select count(*) as count, coalesce(sum(size), 0)::bigint as bytes, ${ofWorkspace} as in_workspace,
      (select id from file where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and key = ${key}) as stored
    from file where workspace_id = ${workspaceId} and ${
      ticketId === null
        ? sql`attached_at is null and ticket_id is null and author_id is not distinct from ${authorId}`
        : sql`ticket_id = ${ticketId}`
    }`.execute(db);
  const { stored = null, count = 0, bytes = 0, in_workspace: inWorkspace = 0 } = rows[0] ?? {};
  if (stored !== null) return stored;
  const { ofTicket, ticketBytes } = LIMITS.files;
  if (count >= ofTicket)
    throw unprocessable(
      'file',
      `This ticket has ${count} files; at most ${ofTicket} are kept. Delete some first`,
    );
  if (bytes + size > ticketBytes)
    throw unprocessable(
      'file',
      `The files of this ticket would be larger than ${inUnits(ticketBytes)} together. Delete some first`,
    );
  if (workspaceLimit !== undefined && inWorkspace + size > workspaceLimit)
    throw unprocessable(
      'file',
      `The files of this workspace would be larger than ${inUnits(workspaceLimit)} together. Delete some, or raise FILES_GIGABYTES`,
    );
  return undefined;
}

function inUnits(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes >= 1024 ? `${Math.floor(megabytes / 1024)} GB` : `${Math.floor(megabytes)} MB`;
}
