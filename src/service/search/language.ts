import { sql } from 'kysely';

import { transaction } from '../../platform/database/open.ts';
import { enqueue, type Jobs, type NewJob } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';

/** Rebuilds the built-in index in batches after its language was changed. */
export const INDEX_QUEUE = 'search-index';

const TICKETS_AT_ONCE = 200;
const DEFAULT_LANGUAGE = 'english';
/** Indexes every word unchanged. */
const ANY_LANGUAGE = 'simple';

interface IndexJob {
  language: string;
  /** The last ticket done; initially empty. */
  workspaceId: string;
  ticketId: string;
}

function indexJob(job: IndexJob): NewJob {
  return { queue: INDEX_QUEUE, orderingKey: 'all', payload: { ...job } };
}

export function workIndex(jobs: Jobs<Tables>): void {
  const { db } = jobs.database;
  jobs.work<IndexJob>({
    queue: INDEX_QUEUE,
    concurrency: 1,
    handle: (job) =>
      transaction(db, async (tx) => {
        const { language, workspaceId, ticketId } = job.payload;
        const { rows } = await sql<{ workspace_id: string; id: string }>`
          select workspace_id, id, index_ticket(workspace_id, id) from (
            select workspace_id, id from ticket where (workspace_id, id) > (${workspaceId}, ${ticketId})
            order by workspace_id, id limit ${TICKETS_AT_ONCE}) next
          order by workspace_id, id`.execute(tx);
        const last = rows.at(-1);
        await job.complete(tx);
        if (last)
          await enqueue(tx, [indexJob({ language, workspaceId: last.workspace_id, ticketId: last.id })]);
        else {
          // The index that AI agents search for answers, updated by its trigger.
          await sql`update knowledge_base_document set title = title`.execute(tx);
          // Unless it was changed again meanwhile: then another rebuild is queued.
          await tx
            .updateTable('search_setting')
            .set({ indexed_language: language })
            .where('language', '=', language)
            .execute();
        }
      }),
  });
}

/** Sets the language of the index; if it changes, the index is rebuilt in the background. */
export async function startIndex(db: ServiceDb, wanted: string = DEFAULT_LANGUAGE, log: Log): Promise<void> {
  await transaction(db, async (tx) => {
    const { rows } = await sql`select 1 from pg_ts_config where cfgname = ${wanted}`.execute(tx);
    if (rows.length === 0)
      log.warn({ language: wanted }, 'this Postgres does not know the language of the search');
    const language = rows.length > 0 ? wanted : ANY_LANGUAGE;
    const setting = await tx.selectFrom('search_setting').selectAll().forUpdate().executeTakeFirstOrThrow();
    if (setting.language === language && setting.indexed_language === language) return;
    await tx.updateTable('search_setting').set({ language, indexed_language: null }).execute();
    await enqueue(tx, [indexJob({ language, workspaceId: '', ticketId: '' })]);
  });
}
