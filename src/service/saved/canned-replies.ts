import { sql } from 'kysely';

import {
  CANNED_REPLY_VARIABLES,
  type CannedReply,
  ID_PREFIXES,
  unknownVariables,
} from '../../contract/index.ts';
import type { Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { booleanKey, textBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, unprocessable } from '../problem.ts';
import { requireIds, requireWorkspace } from '../references.ts';
import { isVisible, lockOwned, ownerOf, requireMayUnshare } from './owned.ts';

const ORDER = {
  keys: {
    title: textKey('title'),
    shortcut: textKey('shortcut'),
    isShared: booleanKey('is_shared'),
    createdAt: timeKey('created_at'),
    updatedAt: timeKey('updated_at'),
  },
  sortBy: 'title',
  sortDirection: 'asc',
  id: 'id',
  bytes: textBytesOf('content'),
} as const;

type Names = 'listCannedReplies' | 'createCannedReply' | 'updateCannedReply' | 'deleteCannedReply';

/** Canned replies, seen and changed as views are. Their variables are filled in where a reply is written. */
export function cannedReplyHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listCannedReplies({ caller, query }, db) {
      let rows = db
        .selectFrom('canned_reply')
        .where(isOneOf('workspace_id', listedWorkspaces(caller, query.workspaceId)))
        .where(isVisible(caller, query.includePersonal === true));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('id', ids));
      if (query.queueId)
        rows = rows.where(sql<boolean>`(queue_ids = '{}' or ${query.queueId}::text = any(queue_ids))`);
      if (query.search) rows = rows.where(contains(['title', 'shortcut', 'content'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        cannedReplyRecords(db, caller.workspaceIds, shown),
      );
    },

    async createCannedReply({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const isShared = body.isShared ?? false;
      const reply = {
        id: newId(ID_PREFIXES.cannedReply),
        shortcut: body.shortcut,
        content: body.content,
        queueIds: body.queueIds ?? [],
        isShared,
        ownerId: ownerOf(caller, workspaceId, isShared),
      };
      await requireStorable(tx, workspaceId, reply);
      await tx
        .insertInto('canned_reply')
        .values({
          workspace_id: workspaceId,
          id: reply.id,
          title: body.title.trim(),
          shortcut: reply.shortcut,
          content: reply.content,
          owner_id: reply.ownerId,
          is_shared: isShared,
          queue_ids: reply.queueIds,
          created_at: now,
          updated_at: now,
        })
        .execute();
      return found((await cannedReplyRecords(tx, [workspaceId], [reply.id]))[0]);
    },

    async updateCannedReply({ caller, params: { id }, body, now }, tx) {
      const stored = await lockOwned(tx, caller, 'canned_reply', id);
      const { workspaceId } = stored;
      requireMayUnshare(caller, stored, body.isShared);
      const before = found((await cannedReplyRecords(tx, [workspaceId], [id]))[0]);
      const reply = {
        ...before,
        title: body.title?.trim() ?? before.title,
        shortcut: body.shortcut ?? before.shortcut,
        content: body.content ?? before.content,
        queueIds: body.queueIds ?? before.queueIds,
        isShared: body.isShared ?? before.isShared,
      };
      // A queue that it had before may have been deleted meanwhile.
      const isNew = (queueId: string) => !before.queueIds.includes(queueId);
      await requireStorable(tx, workspaceId, { ...reply, queueIds: reply.queueIds.filter(isNew) });
      await tx
        .updateTable('canned_reply')
        .set({
          title: reply.title,
          shortcut: reply.shortcut,
          content: reply.content,
          is_shared: reply.isShared,
          queue_ids: reply.queueIds,
          updated_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return found((await cannedReplyRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteCannedReply({ caller, params: { id } }, tx) {
      const { workspaceId } = await lockOwned(tx, caller, 'canned_reply', id);
      const record = found((await cannedReplyRecords(tx, [workspaceId], [id]))[0]);
      await tx
        .deleteFrom('canned_reply')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return record;
    },
  };
}

/**
 * Throws 422 for an unknown variable or queue, and 409 if the owner sees another reply with the shortcut. Other
 * people's personal shortcuts are not compared: they would block a shared one for a reason that nobody else sees.
 */
async function requireStorable(
  tx: ServiceTx,
  workspaceId: string,
  reply: Pick<CannedReply, 'id' | 'shortcut' | 'content' | 'queueIds' | 'ownerId'>,
): Promise<void> {
  const [unknown] = unknownVariables(reply.content);
  if (unknown !== undefined)
    throw unprocessable(
      'content',
      `There is no variable "${unknown}". The variables are ${CANNED_REPLY_VARIABLES.join(', ')}.`,
    );
  await requireIds(tx, 'queue', workspaceId, reply.queueIds, 'queueIds');
  const taken = await tx
    .selectFrom('canned_reply')
    .select('title')
    .where('workspace_id', '=', workspaceId)
    .where('shortcut', '=', reply.shortcut)
    .where(sql<boolean>`(is_shared or owner_id = ${reply.ownerId}::text)`)
    .where('id', '<>', reply.id)
    .executeTakeFirst();
  if (taken)
    throw conflict(`"${taken.title}" has the shortcut ${reply.shortcut} already. Choose another one.`);
}

/** Canned replies by id, in the order of `ids`. */
async function cannedReplyRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<CannedReply[]> {
  const rows = await db
    .selectFrom('canned_reply')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where(isOneOf('id', ids))
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      title: row.title,
      shortcut: row.shortcut,
      content: row.content,
      isShared: row.is_shared,
      ownerId: row.owner_id,
      queueIds: row.queue_ids,
      workspaceId: row.workspace_id,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
