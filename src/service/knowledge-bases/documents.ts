import type { Selectable } from 'kysely';

import { ID_PREFIXES, type KnowledgeBaseDocument } from '../../contract/index.ts';
import type { Caller, Handlers, ServiceDb, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsInSet, isOneOf } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { textBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';
import { lockVisible } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { indexDocuments } from '../search/index/documents.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('d.created_at'),
    updatedAt: timeKey('d.updated_at'),
    title: textKey('d.title'),
    url: textKey('d.url'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'd.id',
  bytes: textBytesOf('d.title', 'd.content'),
} as const;

type Names =
  | 'createKnowledgeBaseDocument'
  | 'listKnowledgeBaseDocuments'
  | 'readKnowledgeBaseDocument'
  | 'deleteKnowledgeBaseDocument';

/** The documents of knowledge bases (docs/api.md, Configuration records). */
export function documentHandlers({ newId }: Pick<Tools, 'newId'>): Pick<Handlers, Names> {
  return {
    async createKnowledgeBaseDocument({ caller, params, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'knowledge_base', params.id);
      const row = await tx
        .insertInto('knowledge_base_document')
        .values({
          workspace_id: workspaceId,
          id: newId(ID_PREFIXES.knowledgeBaseDocument),
          knowledge_base_id: params.id,
          title: body.title.trim(),
          content: body.content,
          url: body.url ?? null,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await tx
        .updateTable('knowledge_base')
        .set({ last_sync_at: now, updated_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', params.id)
        .execute();
      await indexDocuments(tx);
      return toDocument(row);
    },

    async listKnowledgeBaseDocuments({ caller, params, query }, db) {
      found(
        await db
          .selectFrom('knowledge_base')
          .select('id')
          .where('workspace_id', 'in', caller.workspaceIds)
          .where('id', '=', params.id)
          .executeTakeFirst(),
      );
      let rows = db
        .selectFrom('knowledge_base_document as d')
        .where('d.workspace_id', 'in', caller.workspaceIds)
        .where('d.knowledge_base_id', '=', params.id);
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('d.id', ids));
      if (query.search) rows = rows.where(contains(['d.title'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), async (shown) => {
        const stored = await rows.selectAll('d').where(isOneOf('d.id', shown)).execute();
        return inOrder(shown, stored).map(toDocument);
      });
    },

    async readKnowledgeBaseDocument({ caller, params }, db) {
      return toDocument(await findDocument(db, caller, params));
    },

    async deleteKnowledgeBaseDocument({ caller, params, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'knowledge_base', params.id, 'delete');
      const row = await findDocument(tx, { workspaceIds: [workspaceId] }, params);
      await tx
        .deleteFrom('knowledge_base_document')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', row.id)
        .execute();
      await tx
        .updateTable('knowledge_base')
        .set({ updated_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', params.id)
        .execute();
      return toDocument(row);
    },
  };
}

type DocumentRow = Selectable<Tables['knowledge_base_document']>;

async function findDocument(
  db: ServiceDb,
  { workspaceIds }: Pick<Caller, 'workspaceIds'>,
  { id, documentId }: { id: string; documentId: string },
): Promise<DocumentRow> {
  return found(
    await db
      .selectFrom('knowledge_base_document')
      .selectAll()
      .where('workspace_id', 'in', workspaceIds)
      .where('knowledge_base_id', '=', id)
      .where('id', '=', documentId)
      .executeTakeFirst(),
  );
}

function toDocument(row: DocumentRow): KnowledgeBaseDocument {
  return {
    id: row.id,
    kbId: row.knowledge_base_id,
    title: row.title,
    content: row.content,
    url: row.url,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
