import { sql } from 'kysely';

import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import type { ServiceDb } from '../handler.ts';
import type { FileStorage } from './storage.ts';

/** A file that is not attached to anything is kept a day, and as long as a draft or a scheduled reply names it. */
const WAITING_MS = 86_400_000;
/** An upload stores its bytes before its file, and takes a quarter of an hour at most. */
const UNUSED_MS = 60 * 60 * 1000;

/**
 * Removes files that were never attached and are in no draft or scheduled reply, and contents that no file has any
 * more.
 */
export async function pruneFiles(
  db: ServiceDb,
  storage: FileStorage,
  now: Date,
  signal?: AbortSignal,
): Promise<{ files: number; contents: number }> {
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const waiting = sql`attached_at is null and created_at < ${ago(WAITING_MS)}
    and not exists (select from ticket_draft d where d.workspace_id = file.workspace_id
      and d.ticket_id = file.ticket_id and file.id = any(d.file_ids))
    and not exists (select from scheduled_reply r where r.workspace_id = file.workspace_id
      and r.author_id = file.author_id and file.id = any(r.file_ids))`;
  const files = await deleteInBatches(db, 'file', waiting, signal);
  return { files, contents: await storage.removeUnused(ago(UNUSED_MS), signal) };
}
