import { isVisibleTo, viewerOf } from '../access/viewer.ts';
import type { Handlers } from '../handler.ts';
import { idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { ticketNamed } from '../tickets/find.ts';
import { warningRecords } from './records.ts';

const ORDER = {
  keys: { createdAt: timeKey('w.created_at'), ticketId: textKey('w.ticket_id') },
  sortBy: 'createdAt',
  sortDirection: 'desc',
  id: 'w.id',
} as const;

/** Warnings about targets of the tickets that the caller can see. */
export const warningHandlers: Pick<Handlers, 'listTicketWarnings'> = {
  async listTicketWarnings({ caller, query }, db) {
    let rows = db
      .selectFrom('ticket_warning as w')
      .innerJoin('ticket as t', (join) =>
        join.onRef('t.workspace_id', '=', 'w.workspace_id').onRef('t.id', '=', 'w.ticket_id'),
      )
      .where(isOneOf('w.workspace_id', listedWorkspaces(caller, query.workspaceId)))
      .where('w.is_silent', '=', false);
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('w.id', ids));
    if (query.ticketId) {
      const ticket = await ticketNamed(db, caller, query.ticketId, query.workspaceId);
      rows = rows.where('w.ticket_id', '=', ticket?.id ?? '');
    }
    if (query.createdFrom) rows = rows.where('w.created_at', '>=', new Date(query.createdFrom));
    const viewer = viewerOf(caller);
    if (viewer) rows = rows.where(isVisibleTo(viewer));
    return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
      warningRecords(db, caller.workspaceIds, shown),
    );
  },
};
