import { sql } from 'kysely';

import { wordsOf } from '../../contract/index.ts';
import { isVisibleTo, NO_NOTES, NOBODY, viewersOf } from '../access/viewer.ts';
import type { Handlers } from '../handler.ts';
import { listedWorkspaces } from '../lists/filters.ts';
import { searchFilter } from '../tickets/list.ts';
import { toThin, toTicket } from '../tickets/records.ts';
import { shownTickets } from '../tickets/shown.ts';
import type { Embeddings } from './embeddings.ts';
import { findTickets, type Meaning } from './find.ts';
import type { Scope } from './scope.ts';
import { snippetsOf } from './snippets.ts';

export function searchHandlers(embeddings: Embeddings): Pick<Handlers, 'semanticSearch'> {
  return {
    async semanticSearch({ caller, query, now }, db) {
      const workspaceIds = listedWorkspaces(caller, query.workspaceId);
      const [viewer, ...others] = viewersOf(caller, query);
      const filters = [await searchFilter(db, workspaceIds, query), ...others.map(isVisibleTo)];
      const conditions = filters.filter((filter) => filter !== undefined);
      const scope: Scope = {
        workspaceIds,
        exclude: query.excludeTicketId ?? undefined,
        // Without private tickets, which the filter leaves out, internal notes are not searched either.
        viewer: query.private === false ? { ...NOBODY, ...viewer, ...NO_NOTES } : viewer,
        filter: conditions.length > 0 ? sql`${sql.join(conditions, sql` and `)}` : undefined,
      };
      const words = wordsOf(query);
      let isByMeaning = false;
      const meaning = embeddings.meaningOf(query.provider ?? undefined);
      const noting: Meaning | undefined =
        meaning &&
        (async (...asked) => {
          const understanding = await meaning(...asked);
          isByMeaning = understanding !== undefined;
          return understanding;
        });
      const found = await findTickets(db, noting, words, scope, query);
      const ids = found.map(({ id }) => id);
      const [rows, snippets] = await Promise.all([
        shownTickets(db, caller, caller.workspaceIds, ids, now),
        snippetsOf(db, found, scope),
      ]);
      const matches = found
        .filter(({ id }) => rows.some((row) => row.id === id))
        .map(({ id, by, hasAll, score }) => ({
          ticketId: id,
          by,
          hasAllWords: hasAll,
          score,
          snippets: snippets.get(id) ?? [],
        }));
      // There are no pages: a search that needs one needs better words.
      const rest = { totalCount: rows.length, nextCursor: null, matches, meaning: isByMeaning };
      return query.responseType === 'thin'
        ? { items: rows.map(toThin), ...rest, responseType: 'thin' }
        : { items: rows.map(toTicket), ...rest, responseType: 'default' };
    },
  };
}
