import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** The fields whose changes are announced: each by direct message (B43), or in the thread (B30). */
const TOLD = ['assigneeId', 'statusId', 'priority', 'queueId', 'dueAt', 'snoozeUntil', 'title'] as const;
type ToldField = (typeof TOLD)[number];

/** Records who changes fields of a ticket; fields that are not announced are ignored. */
export async function noteActs(
  { clock }: Pick<Bridge, 'clock'>,
  db: Db<BridgeTables>,
  ticketId: string,
  values: Readonly<Record<string, unknown>>,
  { user, inChat }: { user: string | null; inChat: boolean },
): Promise<void> {
  const rows = TOLD.filter((field) => values[field] !== undefined).map((field) => ({
    ticket_id: ticketId,
    field,
    value: JSON.stringify(values[field]),
    in_chat: inChat,
    user_id: user,
    at: clock.now(),
  }));
  if (rows.length === 0) return;
  await db
    .insertInto('ticket_change')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['ticket_id', 'field', 'value', 'in_chat'])
        .doUpdateSet({ user_id: sql`excluded.user_id`, at: sql`excluded.at` }),
    )
    .execute();
}

/** An older action is unrelated to a change seen now. */
const RECENT_MS = 60 * 60_000;

/**
 * Returns who set a ticket's fields to their present values. The bridge knows best what was done in chat: the service
 * sees only its key.
 */
export async function actorsOf(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  ticketId: string,
  now: Readonly<Record<ToldField, string | null>>,
): Promise<(field: ToldField) => string | null> {
  const rows = await database.db
    .selectFrom('ticket_change')
    .select(['field', 'value', 'user_id'])
    .where('ticket_id', '=', ticketId)
    .where('at', '>', new Date(clock.now().getTime() - RECENT_MS))
    .orderBy('in_chat', 'desc')
    .execute();
  return (field) =>
    rows.find((row) => row.field === field && row.value === JSON.stringify(now[field]))?.user_id ?? null;
}
