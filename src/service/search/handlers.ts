import { wordsOf } from '../../contract/index.ts';
import type { Handlers } from '../handler.ts';
import { listedWorkspaces } from '../lists/filters.ts';
import { toThin, toTicket } from '../tickets/records.ts';
import { ticketRows } from '../tickets/rows.ts';
import type { Embeddings } from './embeddings.ts';
import { findTickets } from './find.ts';
import type { Scope } from './scope.ts';

export function searchHandlers(embeddings: Embeddings): Pick<Handlers, 'semanticSearch'> {
  return {
    async semanticSearch({ caller, query }, db) {
      const scope: Scope = {
        workspaceIds: listedWorkspaces(caller, query.workspaceId),
        exclude: query.excludeTicketId ?? undefined,
        visibleTo: query.visibleToUserId ?? undefined,
      };
      const words = wordsOf(query);
      const meaning = embeddings.meaningOf(query.provider ?? undefined);
      const found = await findTickets(db, meaning, words, scope, query);
      const ids = found.map(({ id }) => id);
      const rows = await ticketRows(db, caller.workspaceIds, ids);
      // There is no next page: a search that needs one wants better words.
      const rest = { totalCount: rows.length, nextCursor: null };
      return query.responseType === 'thin'
        ? { items: rows.map(toThin), ...rest, responseType: 'thin' }
        : { items: rows.map(toTicket), ...rest, responseType: 'default' };
    },
  };
}
