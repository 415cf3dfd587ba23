import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS, type ParsedBody, type Workflow } from '../../contract/index.ts';
import type { Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { booleanKey, jsonBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, unprocessable } from '../problem.ts';
import { lockVisible, requireIds, requireWorkspace } from '../references.ts';
import { connectionsOf, copyOf, requireConnected, stepsOf } from './content.ts';
import type { Content } from '../workflow-config/flow.ts';
import { upkeepWork } from '../workflow-config/kinds.ts';
import { beginTimes, countFromNow, countMatching, requireConfirmed } from './matching.ts';
import { publish, requireRunnable, unpublish } from './publish.ts';
import { workflowRecords } from './records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('w.created_at'),
    updatedAt: timeKey('w.updated_at'),
    name: textKey('w.name'),
    state: textKey('w.state'),
    isTemplate: booleanKey('w.is_template'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'w.id',
  bytes: jsonBytesOf('w.description', 'w.steps', 'w.connections', 'w.draft'),
} as const;

type Names =
  | 'listWorkflows'
  | 'readWorkflow'
  | 'createWorkflow'
  | 'updateWorkflow'
  | 'duplicateWorkflow'
  | 'countMatchingTickets';

/** Workflows (specification, Endpoints, Workflows; docs/api.md, Workflows). */
export function workflowHandlers({ newId }: Tools): Pick<Handlers, Names> {
  const read = async (db: ServiceDb, workspaceId: string, id: string) =>
    found((await workflowRecords(db, [workspaceId], [id]))[0]);

  interface Draft extends Pick<Workflow, 'name' | 'steps' | 'connections'> {
    description?: string | null | undefined;
    isTemplate?: boolean | null | undefined;
    collectionId?: string | null | undefined;
    reference?: string | null | undefined;
    queueIds?: readonly string[] | null | undefined;
    authorId: string | null;
  }

  async function insert(tx: ServiceTx, workspaceId: string, now: Date, draft: Draft): Promise<Workflow> {
    const id = newId(ID_PREFIXES.workflow);
    await tx
      .insertInto('workflow')
      .values({
        workspace_id: workspaceId,
        id,
        name: draft.name.trim(),
        description: draft.description ?? null,
        is_template: draft.isTemplate ?? false,
        collection_id: draft.collectionId ?? null,
        steps: JSON.stringify(draft.steps),
        connections: JSON.stringify(draft.connections),
        author_id: draft.authorId,
        state: 'Draft',
        reference: draft.reference ?? null,
        queue_ids: draft.queueIds ? [...draft.queueIds] : null,
        created_at: now,
        updated_at: now,
      })
      .execute();
    return read(tx, workspaceId, id);
  }

  return {
    async listWorkflows({ caller, query }, db) {
      let rows = db
        .selectFrom('workflow as w')
        .where(isOneOf('w.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('w.id', ids));
      if (query.state) rows = rows.where('w.state', '=', query.state);
      if (typeof query.isTemplate === 'boolean') rows = rows.where('w.is_template', '=', query.isTemplate);
      if (query.search) rows = rows.where(contains(['w.name', 'w.description'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        workflowRecords(db, caller.workspaceIds, shown),
      );
    },

    async readWorkflow({ caller, params }, db) {
      return found((await workflowRecords(db, caller.workspaceIds, [params.id]))[0]);
    },

    async createWorkflow({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const steps = stepsOf(body.steps, newId);
      const connections = connectionsOf(body.connections, newId);
      requireConnected(steps, connections);
      await requireIds(tx, 'queue', workspaceId, body.queueIds ?? [], 'queueIds');
      const authorId = caller.workspaceId === workspaceId ? caller.personId : null;
      return insert(tx, workspaceId, now, { ...body, steps, connections, authorId });
    },

    async updateWorkflow({ caller, params: { id }, body, now, outbox }, tx) {
      // 1. Read it, and check what it is to be.
      const workspaceId = await lockVisible(tx, caller, 'workflow', id);
      const before = await read(tx, workspaceId, id);
      if (before.state === 'Deleted' && body.state && body.state !== 'Deleted')
        throw conflict('A deleted workflow stays deleted; duplicate it instead.');
      await requireIds(tx, 'queue', workspaceId, body.queueIds ?? [], 'queueIds');
      const isTemplate = body.isTemplate ?? before.isTemplate;
      const state = body.state ?? before.state;
      if (isTemplate && state === 'Active')
        throw unprocessable(
          body.isTemplate ? 'isTemplate' : 'state',
          'A template does not run. Duplicate it, and activate the copy',
        );
      const content = contentOf(before, body, newId);
      if (body.state === 'Active') await requireRunnable(tx, workspaceId, content);

      // 2. Publish it, or take back what was published.
      const key = { workspaceId, id };
      const isPublished =
        body.state === 'Active' &&
        (before.state !== 'Active' || !isDeepStrictEqual(content, published(before)));
      const queueIds = body.queueIds === undefined ? before.queueIds : body.queueIds;
      const counting = { workspaceId, id, queueIds, now };
      const { includeMatching } = body;
      if (includeMatching !== undefined && includeMatching !== null) {
        if (!isPublished) throw unprocessable('includeMatching', 'Tickets are included when it is activated');
        await requireConfirmed(tx, counting, content, includeMatching);
      }
      if (isPublished) await publish(tx, key, content, { version: before.version, now });
      if (state !== 'Active') await unpublish(tx, key);
      if (!isDeepStrictEqual(queueIds, before.queueIds)) await countFromNow(tx, counting);
      await beginTimes(tx, counting, { isIncluded: typeof includeMatching === 'number', outbox });
      if (state === 'Deprovisioning' || state === 'Deleted')
        outbox.plan(upkeepWork({ workspaceId, workflowId: id }));

      // 3. Write it. Changes of an Active workflow are its draft until it is published again.
      const isDrafted = state === 'Active' && !body.state;
      const columns = isDrafted
        ? { draft: isDeepStrictEqual(content, published(before)) ? null : JSON.stringify(content) }
        : {
            steps: JSON.stringify(content.steps),
            connections: JSON.stringify(content.connections),
            draft: null,
          };
      await tx
        .updateTable('workflow')
        .set({
          ...columns,
          name: body.name.trim(),
          is_template: isTemplate,
          state,
          ...(body.description !== undefined && { description: body.description }),
          ...(body.collectionId !== undefined && { collection_id: body.collectionId }),
          ...(body.reference !== undefined && { reference: body.reference }),
          ...(body.queueIds !== undefined && { queue_ids: body.queueIds }),
          ...(body.state && { state_reason: null }),
          ...(isPublished && { version: before.version + 1 }),
          ...(state !== 'Active' && { activation: null }),
          ...(state === 'Active' &&
            before.state !== 'Active' && { activation: sql<number>`nextval('workflow_activation')` }),
          updated_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return read(tx, workspaceId, id);
    },

    async countMatchingTickets({ caller, params: { id }, now }, db) {
      const workspaceId = await workspaceOfWorkflow(db, caller, id);
      const workflow = await read(db, workspaceId, id);
      const { queueIds, draft } = workflow;
      const count = await countMatching(db, { workspaceId, id, queueIds, now }, draft ?? workflow);
      const most = LIMITS.matchingTickets;
      return { count: Math.min(count, most), isCapped: count > most };
    },

    async duplicateWorkflow({ caller, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'workflow', body.id);
      const original = await read(tx, workspaceId, body.id);
      return insert(tx, workspaceId, now, {
        ...copyOf(original, newId),
        name: body.name,
        description: body.description === undefined ? original.description : body.description,
        queueIds: original.queueIds,
        collectionId: body.collectionId,
        authorId: caller.workspaceId === workspaceId ? caller.personId : null,
      });
    },
  };
}

/** Returns the workspace of a workflow. Throws 404 if the caller cannot see the workflow. */
async function workspaceOfWorkflow(db: ServiceDb, { workspaceIds }: Caller, id: string): Promise<string> {
  const workflow = await db
    .selectFrom('workflow')
    .select('workspace_id')
    .where('workspace_id', 'in', workspaceIds)
    .where('id', '=', id)
    .executeTakeFirst();
  return found(workflow).workspace_id;
}

const published = ({ steps, connections }: Workflow): Content => ({ steps, connections });

/** Returns the steps and connections after a change: of an Active workflow, it is one of the draft. */
function contentOf(before: Workflow, body: ParsedBody<'updateWorkflow'>, newId: Tools['newId']): Content {
  const { steps, connections } = before.draft ?? before;
  const content = {
    steps: body.steps === undefined ? steps : stepsOf(body.steps, newId),
    connections: body.connections === undefined ? connections : connectionsOf(body.connections, newId),
  };
  requireConnected(content.steps, content.connections);
  return content;
}
