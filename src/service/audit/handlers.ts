import type { Handlers } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsOf, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { page, textKey, timeKey } from '../lists/page.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('e.created_at'),
    action: textKey('e.action'),
    subjectId: textKey('e.subject_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'desc',
  id: 'e.id',
} as const;

/** The audit log (docs/api.md, Configuration records). */
export const auditHandlers = {
  async listAuditEntries({ caller, query }, db) {
    let rows = db
      .selectFrom('audit_entry as e')
      .where(isOneOf('e.workspace_id', listedWorkspaces(caller, query.workspaceId)));
    const ids = idsOf(query.set);
    if (ids) rows = rows.where(isOneOf('e.id', ids));
    if (query.action) rows = rows.where('e.action', '=', query.action);
    if (query.actorId)
      rows = rows.where((where) =>
        where.or([
          where('e.actor_id', '=', query.actorId ?? ''),
          where('e.actor_key_id', '=', query.actorId ?? ''),
        ]),
      );
    if (query.subjectId) rows = rows.where('e.subject_id', '=', query.subjectId);
    if (query.createdFrom) rows = rows.where('e.created_at', '>=', new Date(query.createdFrom));
    if (query.createdTo) rows = rows.where('e.created_at', '<=', new Date(query.createdTo));
    if (query.search) rows = rows.where(contains(['e.reason'], query.search));
    const { ids: shown, ...rest } = await page(rows, ORDER, query);
    const stored = await rows.selectAll('e').where(isOneOf('e.id', shown)).execute();
    const items = inOrder(shown, stored).map((row) => ({
      id: row.id,
      workspaceId: row.workspace_id,
      action: row.action,
      actorId: row.actor_id,
      actorKeyId: row.actor_key_id,
      subjectId: row.subject_id,
      reason: row.reason,
      detail: row.detail,
      createdAt: iso(row.created_at),
    }));
    return { items, ...rest };
  },
} satisfies Pick<Handlers, 'listAuditEntries'>;
