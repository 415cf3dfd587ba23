import { isDeepStrictEqual } from 'node:util';

import { ID_PREFIXES, type ParsedBody, type Queue } from '../../contract/index.ts';
import { queueReadersWith } from '../access/readers.ts';
import { requireTeam } from '../access/team.ts';
import { viewerOf } from '../access/viewer.ts';
import type { Caller, Handlers, ServiceTx, Tools } from '../handler.ts';
import { accessibleWorkspaces, contains, idsInSet, isOneOf } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, unprocessable } from '../problem.ts';
import { requireWorkspace } from '../references.ts';
import { dueTimesWork } from '../due-times/work.ts';
import { lockReaders, requireReadersOfMerged } from '../tickets/merged-visibility.ts';
import { queueRecords } from './records.ts';
import { claimPrefix, queueColumns, writeRequestTypes } from './write.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('q.created_at'),
    updatedAt: timeKey('q.updated_at'),
    name: textKey('q.name'),
    prefix: textKey('q.prefix'),
    workspaceId: textKey('q.workspace_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'q.id',
} as const;

type Names = 'listQueues' | 'readQueue' | 'readQueueReaders' | 'createQueue' | 'updateQueue';

export function queueHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listQueues({ caller, query }, db) {
      let rows = db
        .selectFrom('queue as q')
        .where(isOneOf('q.workspace_id', accessibleWorkspaces(caller, query.workspaceId)))
        .where('q.deleted_at', 'is', null);
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('q.id', ids));
      if (query.search) rows = rows.where(contains(['q.name', 'q.prefix'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), async (ids) =>
        shownQueues(caller, await queueRecords(db, caller.workspaceIds, ids, viewerOf(caller))),
      );
    },

    async readQueue({ caller, params }, db) {
      const { workspaceIds } = caller;
      const records = await queueRecords(db, workspaceIds, [params.id], viewerOf(caller));
      return found(shownQueues(caller, records)[0]);
    },

    async readQueueReaders({ caller, params, query }, db) {
      const queue = found(
        await db
          .selectFrom('queue')
          .select('workspace_id')
          .where('workspace_id', 'in', caller.workspaceIds)
          .where('id', '=', params.id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst(),
      );
      return queueReadersWith(db, { workspaceId: queue.workspace_id, queueId: params.id }, query.visibility);
    },

    async createQueue({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const id = newId(ID_PREFIXES.queue);
      const { name, prefix } = body;
      await tx
        .insertInto('queue')
        .values({
          workspace_id: workspaceId,
          id,
          settings_id: newId(ID_PREFIXES.queueSettings),
          created_at: now,
          updated_at: now,
          ...(await queueColumns(tx, workspaceId, body)),
          name: name.trim(),
          prefix,
        })
        .execute();
      await claimPrefix(tx, workspaceId, id, prefix);
      await writeRequestTypes(tx, workspaceId, id, body.requestTypes);
      if (body.visibility === 'team') await requireTeam(tx, { workspaceId, queueId: id });
      return found((await queueRecords(tx, [workspaceId], [id]))[0]);
    },

    async updateQueue({ caller, params: { id }, body, now, outbox }, tx) {
      if (body.visibility) await lockReadersOf(tx, caller, id);
      const queue = found(
        await tx
          .selectFrom('queue')
          .select(['workspace_id', 'prefix', 'settings', 'visibility', 'auto_assignees'])
          .where('workspace_id', 'in', caller.workspaceIds)
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .forNoKeyUpdate()
          .executeTakeFirst(),
      );
      const workspaceId = queue.workspace_id;
      if (body.workspaceId && body.workspaceId !== workspaceId)
        throw unprocessable(
          'workspaceId',
          'A queue stays in its workspace: its tickets and their references are there',
        );
      const becomesTeams = body.visibility === 'team' && queue.visibility !== 'team';
      const columns = await queueColumns(
        tx,
        workspaceId,
        becomesTeams ? closedToMcp(body) : body,
        queue.settings,
      );
      await tx
        .updateTable('queue')
        .set({ ...columns, updated_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      if (body.prefix && body.prefix !== queue.prefix) await claimPrefix(tx, workspaceId, id, body.prefix);
      await writeRequestTypes(tx, workspaceId, id, body.requestTypes);
      if (becomesTeams) await requireTeam(tx, { workspaceId, queueId: id });
      const { visibility, auto_assignees } = { ...queue, ...columns };
      if (visibility !== queue.visibility) await requireReadersOfMerged(tx, workspaceId, id);
      outbox.areReadersNew ||=
        visibility !== queue.visibility || !isDeepStrictEqual(auto_assignees, queue.auto_assignees);
      const { targets, warnings, pauseWhileWaiting } = body.settings ?? {};
      if (
        [body.businessHoursId, targets, warnings, pauseWhileWaiting].some((changed) => changed !== undefined)
      )
        outbox.plan(dueTimesWork({ workspaceId, queueId: id, warnings: warnings !== undefined }));
      return found((await queueRecords(tx, [workspaceId], [id]))[0]);
    },
  };
}

/** Holds off merges and moves of tickets in the workspace of a queue. */
async function lockReadersOf(tx: ServiceTx, caller: Caller, id: string): Promise<void> {
  const { workspace_id: workspaceId } = found(
    await tx
      .selectFrom('queue')
      .select('workspace_id')
      .where('workspace_id', 'in', caller.workspaceIds)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  await lockReaders(tx, workspaceId);
}

/** Returns an update with which AI tools no longer read the queue, unless it says that they do. */
function closedToMcp(body: ParsedBody<'updateQueue'>): ParsedBody<'updateQueue'> {
  return { ...body, settings: { ...body.settings, mcpMayRead: body.settings?.mcpMayRead ?? false } };
}

/** Returns queues without what is between the members of their teams, if a requester reads them. */
function shownQueues({ session }: Caller, queues: Queue[]): Queue[] {
  if (session?.role !== 'requester') return queues;
  return queues.map((queue) => ({
    ...queue,
    settings: queue.settings && { ...queue.settings, targets: null, warnings: null },
    autoAssignees: [],
  }));
}
