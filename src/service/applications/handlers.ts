import type { Handlers } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { jsonBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { applicationRecords } from './records.ts';

const ORDER = {
  keys: {
    name: textKey('a.name'),
    status: textKey('a.status'),
    createdAt: timeKey('a.created_at'),
    updatedAt: timeKey('a.updated_at'),
  },
  sortBy: 'name',
  sortDirection: 'asc',
  id: 'a.id',
  bytes: jsonBytesOf('a.access_levels', 'a.integration'),
} as const;

/** Applications are read-only here; the operator imports them from a file (docs/api.md, Configuration records). */
export const applicationHandlers = {
  async listApplications({ caller, query }, db) {
    let rows = db
      .selectFrom('application as a')
      .where(isOneOf('a.workspace_id', listedWorkspaces(caller, query.workspaceId)));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('a.id', ids));
    if (query.status) rows = rows.where('a.status', '=', query.status);
    if (query.search) rows = rows.where(contains(['a.name', 'a.domain'], query.search));
    return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
      applicationRecords(db, caller.workspaceIds, shown),
    );
  },
} satisfies Pick<Handlers, 'listApplications'>;
