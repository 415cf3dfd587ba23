import { sql } from 'kysely';

import { wordsOf } from '../../contract/index.ts';
import { isVisibleTo, NOBODY, viewersOf } from '../access/viewer.ts';
import type { Handlers } from '../handler.ts';
import { listedWorkspaces } from '../lists/filters.ts';
import { searchFilter } from '../tickets/list.ts';
import { toThin, toTicket } from '../tickets/records.ts';
import { shownTickets } from '../tickets/shown.ts';
import type { Embeddings } from '../search/embeddings.ts';
import { findTickets, type Meaning } from '../search/find.ts';
import type { Scope } from '../search/scope.ts';
import { snippetsOf } from '../search/snippets.ts';

export function searchHandlers(embeddings: Embeddings): Pick<Handlers, 'semanticSearch'> {
  return {
    async semanticSearch({ caller, query, now }, db) {
      const workspaceIds = listedWorkspaces(caller, query.workspaceId);
      const viewers = viewersOf(caller, query);
      const [viewer, ...others] = viewers;
      const filters = [await searchFilter(db, caller, workspaceIds, query, now), ...others.map(isVisibleTo)];
      const conditions = filters.filter((filter) => filter !== undefined);
      const scope: Scope = {
        workspaceIds,
        exclude: query.excludeTicketId ?? undefined,
        // What is public: no internal notes, and without a viewer nothing of queues that are not for everyone.
        viewer: query.private === false ? { ...(viewer ?? NOBODY), notes: 'none' } : viewer,
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
        shownTickets(db, caller, viewers, ids, now),
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
