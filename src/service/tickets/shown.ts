import type { TicketDetail } from '../../contract/index.ts';
import { visibleToAll } from '../access/ticket-access.ts';
import { readsPrivateAnswers, type Viewer, viewerOf } from '../access/viewer.ts';
import { privateKeys } from '../custom-fields/private.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { found } from '../problem.ts';
import { type ListedTicketRow, listedTicketRows, type Reader, toDetail, ticketRows } from './records.ts';

/**
 * Returns what lists show of tickets, in the order of `ids` (`withoutHidden`).
 * @param viewers who sees them: the caller, and one whom the query names.
 */
export async function shownTickets(
  db: ServiceDb,
  caller: Caller,
  viewers: readonly Viewer[],
  ids: readonly string[],
  now: Date,
): Promise<ListedTicketRow[]> {
  const rows = await listedTicketRows(db, caller.workspaceIds, ids, readerOf(caller, now));
  return withoutTeamMatters(caller, await withoutHidden(db, viewers, caller.workspaceIds, rows));
}

/**
 * Returns rows without the other tickets that they name (children, parent, links, the one merged into) and that not all
 * of these viewers see.
 */
async function withoutHidden<Row extends ListedTicketRow>(
  db: ServiceDb,
  viewers: readonly Viewer[],
  workspaceIds: readonly string[],
  rows: Row[],
): Promise<Row[]> {
  if (viewers.length === 0) return rows;
  const relatives = rows.flatMap(({ parent_id, merged_into_id, children, links }) => [
    ...(parent_id === null ? [] : [parent_id]),
    ...(merged_into_id === null ? [] : [merged_into_id]),
    ...children.map(({ id }) => id),
    ...links.map(({ ticket }) => ticket.id),
  ]);
  const visible = new Set(await visibleToAll(db, viewers, workspaceIds, relatives));
  return rows.map((row) => ({
    ...row,
    children: row.children.filter(({ id }) => visible.has(id)),
    links: row.links.filter(({ ticket }) => visible.has(ticket.id)),
    ...(row.merged_into_id !== null && !visible.has(row.merged_into_id) && { merged_into_id: null }),
    ...(row.parent_id !== null && !visible.has(row.parent_id) && { parent_id: null, parent: null }),
  }));
}

/** Fields that only the team sees: targets, their pauses, and the snooze. */
const OF_TEAM = {
  first_reply_due_at: null,
  resolution_due_at: null,
  sla_paused_at: null,
  snooze_until: null,
} as const;

/** Returns whether a caller reads what is the team's own; a requester neither reads it nor learns of it otherwise. */
export function readsTeamMatters({ session }: Caller): boolean {
  return session?.role !== 'requester';
}

/** Returns rows without what is the team's own, if a requester reads them. */
function withoutTeamMatters<Row extends ListedTicketRow>(caller: Caller, rows: Row[]): Row[] {
  return readsTeamMatters(caller) ? rows : rows.map((row) => ({ ...row, ...OF_TEAM }));
}

/**
 * Returns a ticket for a comparison with what a caller expects: what they may not read is as if it were not there, as a
 * guess would be confirmed otherwise. Of its answers, it has only those with these keys.
 */
export async function comparedTicket(
  db: ServiceDb,
  caller: Caller,
  workspaceId: string,
  ticket: TicketDetail,
  keys: readonly string[],
): Promise<TicketDetail> {
  const asked = Object.fromEntries(Object.entries(ticket.customFields).filter(([key]) => keys.includes(key)));
  const customFields = await shownAnswers(db, caller, workspaceId, { ...ticket, customFields: asked });
  return { ...ticket, customFields, ...(!readsTeamMatters(caller) && { snoozeUntil: null }) };
}

/**
 * Returns a ticket that a caller sees, with those answers to private questions that they may read: the requester's own,
 * and the team's.
 */
export async function shownDetail(
  db: ServiceDb,
  caller: Caller,
  workspaceIds: readonly string[],
  id: string,
  now: Date,
): Promise<TicketDetail> {
  const rows = await ticketRows(db, workspaceIds, [id], readerOf(caller, now));
  const viewer = viewerOf(caller);
  const shown = withoutTeamMatters(
    caller,
    await withoutHidden(db, viewer ? [viewer] : [], workspaceIds, rows),
  );
  const row = found(shown[0]);
  const ticket = toDetail(row, now);
  return { ...ticket, customFields: await shownAnswers(db, caller, row.workspace_id, ticket) };
}

/** Returns the answers of a ticket that a caller may read, by the keys of custom fields. */
async function shownAnswers(
  db: ServiceDb,
  caller: Caller,
  workspaceId: string,
  { id, requestTypeId, customFields }: Pick<TicketDetail, 'id' | 'requestTypeId' | 'customFields'>,
): Promise<TicketDetail['customFields']> {
  const viewer = viewerOf(caller);
  const keys = Object.keys(customFields);
  if (!viewer || keys.length === 0) return customFields;
  const hidden = await privateKeys(db, workspaceId, requestTypeId, keys);
  if (hidden.size === 0) return customFields;
  const readable = await db
    .selectFrom('ticket as t')
    .select('t.id')
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', '=', id)
    .where(readsPrivateAnswers(viewer))
    .executeTakeFirst();
  if (readable) return customFields;
  return Object.fromEntries(Object.entries(customFields).filter(([key]) => !hidden.has(key)));
}

/** Older messages do not count as unread, so reading positions are not kept longer. */
export const UNREAD_MS = 90 * 86_400_000;

/** Returns whose unread tickets are marked: those of a signed-in person. */
function readerOf(caller: Caller, now: Date): Reader | undefined {
  if (!caller.session) return undefined;
  return {
    personId: caller.personId,
    queueIds: caller.session.queueIds,
    readsOwnNotes: caller.session.role === 'agent',
    since: new Date(now.getTime() - UNREAD_MS),
  };
}

/** Returns a ticket after a write, as the caller may see it. */
export async function shownTicket(
  db: ServiceDb,
  caller: Caller,
  ticket: TicketDetail,
  now: Date,
): Promise<TicketDetail> {
  return viewerOf(caller) ? shownDetail(db, caller, caller.workspaceIds, ticket.id, now) : ticket;
}
