import { type RawBuilder, sql } from 'kysely';

import type { ServiceDb, ServiceTx } from '../handler.ts';
import { jsonInstant } from '../instants.ts';
import type { Stop } from './clock.ts';
import { type Ends, isRunning, type QueueTargets } from './due-times.ts';
import type { TicketKey } from './find.ts';
import type { StatusKind } from './statuses.ts';

/** A stop, as JSON has it. */
export type StopJson = Pick<Stop, 'reason'> & { from: string; to: string | null };

/** Selects the stops of a ticket `t`, in their order. */
export const stopsJson: RawBuilder<StopJson[]> = sql<StopJson[]>`(
  select coalesce(json_agg(json_build_object(
    'reason', x.reason, 'from', ${jsonInstant('x.from_at')}, 'to', ${jsonInstant('x.to_at')}) order by x.from_at), '[]')
  from ticket_stop x where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`;

export function toStop({ reason, from, to }: StopJson): Stop {
  return { reason, from: new Date(from), to: to === null ? null : new Date(to) };
}

/** Returns the stops of a ticket, in their order. */
export async function stopsOf(db: ServiceDb, { workspaceId, id }: TicketKey): Promise<Stop[]> {
  const rows = await db
    .selectFrom('ticket_stop')
    .select(['reason', 'from_at as from', 'to_at as to'])
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .orderBy('from_at')
    .execute();
  return rows;
}

/** Returns why a ticket's clocks stand now; null if they run. */
export function stopReason(
  ends: Ends,
  kind: StatusKind,
  { pauses }: Pick<QueueTargets, 'pauses'>,
): Stop['reason'] | null {
  if (!isRunning(ends)) return 'ended';
  return kind === 'PENDING' && pauses ? 'waiting' : null;
}

/**
 * Records that a ticket's clocks stand from now on, or run again, unless they do already.
 * @param stops those of the ticket so far.
 * @returns its stops from now on.
 */
export async function recordStop(
  tx: ServiceTx,
  ticket: TicketKey,
  stops: readonly Stop[],
  reason: Stop['reason'] | null,
  now: Date,
): Promise<Stop[]> {
  const last = stops.at(-1);
  const open = last?.to === null ? last : undefined;
  if ((open?.reason ?? null) === reason) return [...stops];
  const past = open ? stops.slice(0, -1) : [...stops];
  if (open) {
    await endStop(tx, ticket, open, now);
    if (open.from < now) past.push({ ...open, to: now });
  }
  if (reason === null) return past;
  await tx
    .insertInto('ticket_stop')
    .values({ workspace_id: ticket.workspaceId, ticket_id: ticket.id, reason, from_at: now })
    .execute();
  return [...past, { reason, from: now, to: null }];
}

/** One that ends at the instant at which it began was none. */
async function endStop(tx: ServiceTx, { workspaceId, id }: TicketKey, open: Stop, now: Date): Promise<void> {
  if (open.from < now)
    await tx
      .updateTable('ticket_stop')
      .set({ to_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .where('to_at', 'is', null)
      .execute();
  else
    await tx
      .deleteFrom('ticket_stop')
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .where('to_at', 'is', null)
      .execute();
}
