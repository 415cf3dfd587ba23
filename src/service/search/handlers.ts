import { wordsOf } from '../../contract/index.ts';
import type { Handlers } from '../handler.ts';
import { idsOf, listedWorkspaces } from '../lists/filters.ts';
import { searchFilter } from '../tickets/list.ts';
import { ticketRows, toThin, toTicket } from '../tickets/records.ts';
import type { Embeddings } from './embeddings.ts';
import { findTickets } from './find.ts';
import type { Scope } from './scope.ts';
import { snippetsOf } from './snippets.ts';

export function searchHandlers(embeddings: Embeddings): Pick<Handlers, 'semanticSearch'> {
  return {
    async semanticSearch({ caller, query }, db) {
      const workspaceIds = listedWorkspaces(caller, query.workspaceId);
      const scope: Scope = {
        workspaceIds,
        exclude: query.excludeTicketId ?? undefined,
        // A viewer without an id sees only public tickets.
        visibleTo: query.private === false ? '' : (query.visibleToUserId ?? undefined),
        team: query.private === false ? [] : idsOf(query.teamQueueIds),
        filter: await searchFilter(db, workspaceIds, query),
      };
      const words = wordsOf(query);
      const meaning = embeddings.meaningOf(query.provider ?? undefined);
      const found = await findTickets(db, meaning, words, scope, query);
      const ids = found.map(({ id }) => id);
      const [rows, snippets] = await Promise.all([
        ticketRows(db, caller.workspaceIds, ids),
        snippetsOf(db, found, scope),
      ]);
      const matches = found
        .filter(({ id }) => rows.some((row) => row.id === id))
        .map(({ id, by, score }) => ({ ticketId: id, by, score, snippets: snippets.get(id) ?? [] }));
      // There are no pages: a search that needs one needs better words.
      const rest = { totalCount: rows.length, nextCursor: null, matches };
      return query.responseType === 'thin'
        ? { items: rows.map(toThin), ...rest, responseType: 'thin' }
        : { items: rows.map(toTicket), ...rest, responseType: 'default' };
    },
  };
}
