import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** The fields of whose changes people are told: each by direct message (B43), or the thread by a line (B30). */
const TOLD = ['assigneeId', 'statusId', 'priority', 'queueId', 'dueAt', 'snoozeUntil', 'title'] as const;
export type ToldField = (typeof TOLD)[number];

/** Notes who gives fields of a ticket these values; what people are not told of is passed over. */
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

/** An act that is older has nothing to do with a change that is seen now. */
const RECENT_MS = 60 * 60_000;

/** Who gave a field of a ticket its present value. What was done in chat is known best: the service knows only our key. */
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
