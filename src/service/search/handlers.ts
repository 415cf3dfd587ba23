import { wordsOf } from '../../contract/index.ts';
import type { Handlers, Tools } from '../handler.ts';
import { visibleWorkspaces } from '../lists/filters.ts';
import { toThin, toTicket } from '../tickets/records.ts';
import { ticketRows } from '../tickets/rows.ts';
import { findByWords, type Scope } from './by-words.ts';

export function searchHandlers(_tools: Tools): Pick<Handlers, 'semanticSearch'> {
  return {
    async semanticSearch({ caller, query }, db) {
      const scope: Scope = {
        workspaceIds: visibleWorkspaces(caller, query.workspaceId),
        exclude: query.excludeTicketId ?? undefined,
        visibleTo: query.visibleToUserId ?? undefined,
      };
      const ids = await findByWords(db, wordsOf(query), scope, query.limit);
      const rows = await ticketRows(db, caller.workspaceIds, ids);
      // There is no next page: a search that needs one wants better words.
      const rest = { totalCount: rows.length, nextCursor: null };
      return query.responseType === 'thin'
        ? { items: rows.map(toThin), ...rest, responseType: 'thin' }
        : { items: rows.map(toTicket), ...rest, responseType: 'default' };
    },
  };
}
