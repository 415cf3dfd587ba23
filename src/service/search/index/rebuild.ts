import { sql } from 'kysely';
import { z } from 'zod';

import { transaction } from '../../../platform/database/open.ts';
import { type NewWork, workFor, workKind } from '../../../platform/engine/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { ServiceDb, ServiceTx } from '../../handler.ts';
import { CLASSES, type ServiceEngine } from '../../work.ts';
import { READER_VERSION } from '../reader.ts';
import { indexDocuments } from './documents.ts';
import type { TextKey } from './texts.ts';
import { indexTexts, lockTexts } from './write.ts';

const TICKETS_AT_ONCE = 50;
const MESSAGES_AT_ONCE = 200;
const DEFAULT_LANGUAGE = 'english';
/** Indexes every word unchanged. */
const ANY_LANGUAGE = 'simple';

const PlaceBody = z.object({ workspaceId: z.string(), ticketId: z.string() });
type Place = z.infer<typeof PlaceBody>;

const RebuildBody = z.object({
  language: z.string(),
  /** The version of the reader that it indexes with. */
  reader: z.number(),
  /** The last ticket done; the newest ones are done first. Null at the start. */
  after: PlaceBody.nullable(),
});
/** Indexes everything again, in batches: after the language or the reader of words changed, and after an upgrade. */
const REBUILD = workKind('search-index', CLASSES.searchIndex, RebuildBody);

function rebuildWork(body: z.infer<typeof RebuildBody>): NewWork {
  return workFor(REBUILD, 'all', body);
}

export function workIndex(engine: ServiceEngine): void {
  engine.handle(REBUILD, {
    work: async ({ body: { language, reader, after } }) => ({
      outcome: 'indexed',
      write: async (tx) => {
        const last = await indexNext(tx, after);
        if (last) {
          tx.plan.add(rebuildWork({ language, reader, after: last }));
          return;
        }
        await sql`update knowledge_base_document set words = null`.execute(tx);
        // Unless it was changed again meanwhile: then another rebuild is planned.
        await tx
          .updateTable('search_setting')
          .set({ indexed_language: language, reader_version: reader })
          .where('language', '=', language)
          .execute();
      },
    }),
  });
}

/** Indexes some tickets with all of their messages; returns the last of them, or null if there are no more. */
async function indexNext(tx: ServiceTx, after: Place | null): Promise<Place | null> {
  const { rows: tickets } = await sql<TextKey>`
    select workspace_id, id as ticket_id, '' as message_id from ticket
    where ${after ? sql`(workspace_id, id) < (${after.workspaceId}, ${after.ticketId})` : sql`true`}
    order by workspace_id desc, id desc limit ${TICKETS_AT_ONCE}`.execute(tx);
  const last = tickets.at(-1);
  if (!last) return null;
  await lockTexts(tx, tickets);
  await indexTexts(tx, tickets);
  const asked = sql`select * from unnest(${tickets.map((key) => key.workspace_id)}::text[],
    ${tickets.map((key) => key.ticket_id)}::text[])`;
  for (let from = { ticket_id: '', message_id: '' }; ;) {
    // Rows of messages that are no longer there go with the others.
    const { rows: messages } = await sql<TextKey>`
      select workspace_id, ticket_id, message_id from (
        select workspace_id, ticket_id, id as message_id from ticket_message where (workspace_id, ticket_id) in (${asked})
        union
        select workspace_id, ticket_id, message_id from ticket_word
        where (workspace_id, ticket_id) in (${asked}) and message_id <> ''
      ) known
      where (ticket_id, message_id) > (${from.ticket_id}, ${from.message_id})
      order by ticket_id, message_id, workspace_id limit ${MESSAGES_AT_ONCE}`.execute(tx);
    const end = messages.at(-1);
    if (!end) break;
    await indexTexts(tx, messages);
    from = end;
  }
  return { workspaceId: last.workspace_id, ticketId: last.ticket_id };
}

/** Indexes everything again at once: for tests and measurements, and whoever filled the tables past the triggers. */
export async function rebuildIndex(db: ServiceDb): Promise<void> {
  let after: Place | null = null;
  do after = await transaction(db, (tx) => indexNext(tx, after));
  while (after);
  await sql`update knowledge_base_document set words = null`.execute(db);
  while ((await transaction(db, indexDocuments)) > 0);
}

/**
 * Sets the language of the index. If it changes, or this version reads words in another way than the one that wrote the
 * index, everything is indexed again in the background.
 */
export async function startIndex(
  engine: ServiceEngine,
  wanted: string = DEFAULT_LANGUAGE,
  log: Log,
): Promise<void> {
  await engine.transaction(async (tx) => {
    const { rows } = await sql`select 1 from pg_ts_config where cfgname = ${wanted}`.execute(tx);
    if (rows.length === 0)
      log.warn({ language: wanted }, 'this Postgres does not know the language of the search');
    const language = rows.length > 0 ? wanted : ANY_LANGUAGE;
    const setting = await tx.selectFrom('search_setting').selectAll().forUpdate().executeTakeFirstOrThrow();
    if (
      setting.language === language &&
      setting.indexed_language === language &&
      setting.reader_version === READER_VERSION
    )
      return;
    await tx.updateTable('search_setting').set({ language, indexed_language: null }).execute();
    tx.plan.add(rebuildWork({ language, reader: READER_VERSION, after: null }));
  });
}
