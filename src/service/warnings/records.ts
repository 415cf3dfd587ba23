import { type Selectable } from 'kysely';

import { ID_PREFIXES, type TicketWarning } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import type { Tables } from '../schema/tables.ts';
import type { DueWarning } from '../tickets/due-times.ts';
import type { TicketKey } from '../tickets/find.ts';

type Row = Selectable<Tables['ticket_warning']>;
type Told = Pick<DueWarning, 'target' | 'percent' | 'recipient' | 'recipientId'>;

const warningKey = ({ target, percent, recipient, recipientId }: Told) =>
  [target, percent, recipient, recipientId].join(' ');

/** Returns which warnings of a ticket were recorded. */
export async function toldOf(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
): Promise<{ has: (warning: Told) => boolean }> {
  const rows = await db
    .selectFrom('ticket_warning')
    .select(['target', 'percent', 'recipient', 'recipient_id as recipientId'])
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .execute();
  const names = new Set(rows.map(warningKey));
  return { has: (warning) => names.has(warningKey(warning)) };
}

/** Records warnings of a locked ticket, each once; returns those that are to be told. */
export async function recordWarnings(
  tx: ServiceTx,
  { workspaceId, id: ticketId }: TicketKey,
  warnings: readonly DueWarning[],
  { newId, now, isSilent }: { newId: NewId; now: Date; isSilent: (warning: DueWarning) => boolean },
): Promise<TicketWarning[]> {
  if (warnings.length === 0) return [];
  const rows = await tx
    .insertInto('ticket_warning')
    .values(
      warnings.map((warning) => ({
        workspace_id: workspaceId,
        id: newId(ID_PREFIXES.ticketWarning),
        ticket_id: ticketId,
        target: warning.target,
        percent: warning.percent,
        recipient: warning.recipient,
        recipient_id: warning.recipientId,
        due_at: warning.dueAt,
        is_silent: isSilent(warning),
        created_at: now,
      })),
    )
    .onConflict((known) => known.doNothing())
    .returningAll()
    .execute();
  return rows.filter(({ is_silent: silent }) => !silent).map(toWarning);
}

/** Warnings by id, in the order of `ids`. */
export async function warningRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<TicketWarning[]> {
  const rows = await db
    .selectFrom('ticket_warning')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return inOrder(ids, rows).map(toWarning);
}

function toWarning(row: Row): TicketWarning {
  const { recipient, recipient_id: id } = row;
  return {
    id: row.id,
    ticketId: row.ticket_id,
    target: row.target,
    percent: row.percent,
    recipient,
    userId: recipient === 'person' ? id : null,
    chatChannelId: recipient === 'channel' ? id : null,
    dueAt: isoOrNull(row.due_at),
    createdAt: iso(row.created_at),
  };
}
