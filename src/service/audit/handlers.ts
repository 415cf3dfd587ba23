import type { Selectable } from 'kysely';

import type { AuditEntry } from '../../contract/index.ts';
import type { Handlers, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { jsonBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { requireWorkspace } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { actorOf, writeAudit } from './write.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('e.created_at'),
    action: textKey('e.action'),
    subjectId: textKey('e.subject_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'desc',
  id: 'e.id',
  bytes: jsonBytesOf('e.detail'),
} as const;

/** Handlers of the audit log (docs/api.md, Audit log). */
export function auditHandlers({ newId }: Tools): Pick<Handlers, 'listAuditEntries' | 'createAuditEntry'> {
  return {
    async listAuditEntries({ caller, query }, db) {
      let rows = db
        .selectFrom('audit_entry as e')
        .where(isOneOf('e.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('e.id', ids));
      if (query.action) rows = rows.where('e.action', '=', query.action);
      const { actorId } = query;
      if (actorId)
        rows = rows.where((is) =>
          is.or([is('e.actor_id', '=', actorId), is('e.actor_key_id', '=', actorId)]),
        );
      if (query.subjectId) rows = rows.where('e.subject_id', '=', query.subjectId);
      if (query.createdFrom) rows = rows.where('e.created_at', '>=', new Date(query.createdFrom));
      if (query.createdTo) rows = rows.where('e.created_at', '<=', new Date(query.createdTo));
      if (query.search) rows = rows.where(contains(['e.reason'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), async (shown) => {
        const stored = await rows.selectAll('e').where(isOneOf('e.id', shown)).execute();
        return inOrder(shown, stored.map(toEntry));
      });
    },

    async createAuditEntry({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      return toEntry(
        await writeAudit(
          tx,
          { newId, now },
          {
            workspaceId,
            action: body.action,
            actor: actorOf(caller),
            subjectId: workspaceId,
            reason: body.reason?.trim() || 'Records of this workspace were exported.',
          },
        ),
      );
    },
  };
}

function toEntry(row: Selectable<Tables['audit_entry']>): AuditEntry {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    action: row.action,
    actorId: row.actor_id,
    actorKeyId: row.actor_key_id,
    subjectId: row.subject_id,
    reason: row.reason,
    detail: row.detail,
    createdAt: iso(row.created_at),
  };
}
