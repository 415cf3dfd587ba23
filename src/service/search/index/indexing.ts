import { type RawBuilder, sql } from 'kysely';

import { transaction } from '../../../platform/database/open.ts';
import type { Running } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import { startRepeating } from '../../../platform/repeating.ts';
import type { ServiceDb, ServiceTx } from '../../handler.ts';
import { indexDocuments } from './documents.ts';
import type { TextKey } from './texts.ts';
import { indexTexts } from './write.ts';

/** Texts that a transaction indexes itself: whoever renames a person does not wait for a thousand tickets. */
const AT_ONCE = 200;
const EVERY_MS = 1_000;

/**
 * Indexes what this transaction wrote. Every transaction that writes tickets, messages or what is found of them calls
 * it last; triggers mark what that is. What it leaves, or forgets, `startIndexing` indexes.
 * @param most texts, newest tickets first; Infinity for all of them.
 */
export async function indexWritten(tx: ServiceTx, most = AT_ONCE): Promise<void> {
  const marks = await takeMarks(
    tx,
    sql`where transaction_id = pg_current_xact_id_if_assigned()::text::bigint
      order by message_id = '' desc, ticket_id desc limit ${Number.isFinite(most) ? most : null}`,
  );
  await indexTexts(tx, unique(marks));
}

/**
 * Indexes some of what committed transactions left to index; returns whether there may be more.
 * @param waits for what another process is about to index, too.
 */
export async function indexLeft(db: ServiceDb, { waits = false } = {}): Promise<boolean> {
  return transaction(db, async (tx) => {
    const others = sql`limit ${AT_ONCE} for update ${waits ? sql`` : sql`skip locked`}`;
    const marks = await takeMarks(tx, others);
    await indexTexts(tx, unique(marks));
    const documents = await indexDocuments(tx);
    return marks.length > 0 || documents > 0;
  });
}

/** Takes marks, and locks their tickets in the order of their ids (see `lockTexts`). */
async function takeMarks(tx: ServiceTx, which: RawBuilder<unknown>): Promise<TextKey[]> {
  const { rows } = await sql<TextKey>`
    with taken as (
      delete from search_mark where ctid in (select ctid from search_mark ${which})
      returning workspace_id, ticket_id, message_id)
    select taken.*, (select t.id from ticket t
      where t.workspace_id = taken.workspace_id and t.id = taken.ticket_id for no key update) as locked
    from (select * from taken order by workspace_id, ticket_id) taken`.execute(tx);
  return rows;
}

function unique(keys: readonly TextKey[]): TextKey[] {
  const byName = new Map(
    keys.map((key): [string, TextKey] => [`${key.workspace_id} ${key.ticket_id} ${key.message_id}`, key]),
  );
  return [...byName.values()];
}

/** Indexes what is left in the background until it is stopped; what fails is repeated. */
export function startIndexing({
  db,
  log,
  everyMs = EVERY_MS,
}: {
  db: ServiceDb;
  log: Log;
  everyMs?: number | undefined;
}): Running {
  return startRepeating({ work: () => indexLeft(db), everyMs, log, failed: 'could not index words' });
}
