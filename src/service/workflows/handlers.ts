import { ID_PREFIXES, type Workflow } from '../../contract/index.ts';
import type { Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsOf, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { booleanKey, jsonBytesOf, page, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found } from '../problem.ts';
import { lockVisible, requireWorkspace } from '../references.ts';
import { connectionsOf, copyOf, requireConnected, stepsOf } from './content.ts';
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
  bytes: jsonBytesOf('w.description', 'w.steps', 'w.connections'),
} as const;

type Names = 'listWorkflows' | 'readWorkflow' | 'createWorkflow' | 'updateWorkflow' | 'duplicateWorkflow';

/** Workflows (specification, Endpoints, Workflows; docs/api.md, Configuration records): stored and configured, not executed. */
export function workflowHandlers({ newId }: Tools): Pick<Handlers, Names> {
  const read = async (tx: ServiceTx, workspaceId: string, id: string) =>
    found((await workflowRecords(tx, [workspaceId], [id]))[0]);

  interface Draft extends Pick<Workflow, 'name' | 'steps' | 'connections'> {
    description?: string | null | undefined;
    isTemplate?: boolean | null | undefined;
    collectionId?: string | null | undefined;
    reference?: string | null | undefined;
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
      const ids = idsOf(query.set);
      if (ids) rows = rows.where(isOneOf('w.id', ids));
      if (query.state) rows = rows.where('w.state', '=', query.state);
      if (typeof query.isTemplate === 'boolean') rows = rows.where('w.is_template', '=', query.isTemplate);
      if (query.search) rows = rows.where(contains(['w.name', 'w.description'], query.search));
      return readPage(caller, await page(rows, ORDER, query), (shown) =>
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
      const authorId = caller.workspaceId === workspaceId ? caller.personId : null;
      return insert(tx, workspaceId, now, { ...body, steps, connections, authorId });
    },

    async updateWorkflow({ caller, params: { id }, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'workflow', id);
      const before = await read(tx, workspaceId, id);
      if (before.state === 'Deleted' && body.state && body.state !== 'Deleted')
        throw conflict('A deleted workflow stays deleted; duplicate it instead.');
      const steps = body.steps === undefined ? before.steps : stepsOf(body.steps, newId);
      const connections =
        body.connections === undefined ? before.connections : connectionsOf(body.connections, newId);
      requireConnected(steps, connections);
      await tx
        .updateTable('workflow')
        .set({
          name: body.name.trim(),
          ...(body.description !== undefined && { description: body.description }),
          ...(typeof body.isTemplate === 'boolean' && { is_template: body.isTemplate }),
          ...(body.collectionId !== undefined && { collection_id: body.collectionId }),
          ...(body.reference !== undefined && { reference: body.reference }),
          ...(body.state && { state: body.state }),
          steps: JSON.stringify(steps),
          connections: JSON.stringify(connections),
          updated_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return read(tx, workspaceId, id);
    },

    async duplicateWorkflow({ caller, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'workflow', body.id);
      const original = await read(tx, workspaceId, body.id);
      return insert(tx, workspaceId, now, {
        ...copyOf(original, newId),
        name: body.name,
        description: body.description === undefined ? original.description : body.description,
        isTemplate: original.isTemplate,
        collectionId: body.collectionId,
        authorId: caller.workspaceId === workspaceId ? caller.personId : null,
      });
    },
  };
}
