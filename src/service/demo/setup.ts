import { ID_PREFIXES } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { indexDocuments } from '../search/index/documents.ts';
import { insertTemplates } from '../workflow-config/insert-templates.ts';
import { contentOf } from '../workflow-config/outline.ts';
import {
  DEMO_AGENTS,
  DEMO_APPLICATIONS,
  DEMO_CANNED_REPLIES,
  DEMO_COLLECTIONS,
  DEMO_FIELDS,
  DEMO_REQUEST_TYPES,
  DEMO_WORKFLOWS,
} from './setup-data.ts';

export interface DemoSetup {
  workspaceId: string;
  queues: Readonly<Record<'IT' | 'PPL', string>>;
  /** The owner of applications, workflows and canned replies. */
  ownerId: string;
}

interface Context extends DemoSetup {
  newId: Tools['newId'];
  times: { created_at: Date; updated_at: Date };
}

/** Inserts the demo's configuration, in few statements; returns the request types by name. */
export async function insertDemoSetup(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  setup: DemoSetup,
): Promise<Map<string, string>> {
  const context: Context = { ...setup, newId, times: { created_at: now, updated_at: now } };
  const fields = await insertFields(tx, context);
  const types = await insertRequestTypes(tx, context, fields);
  await insertAgents(tx, context, types);
  await insertTemplates(tx, { newId }, now, setup.workspaceId);
  await insertWorkflows(tx, context, types);
  await insertApplications(tx, context);
  await insertCannedReplies(tx, context);
  return types;
}

async function insertFields(
  tx: ServiceTx,
  { workspaceId, newId, times }: Context,
): Promise<Map<string, string>> {
  const fields = DEMO_FIELDS.map((field) => ({ ...field, id: newId(ID_PREFIXES.customField) }));
  await tx
    .insertInto('custom_field')
    .values(
      fields.map(({ id, key, label, type }) => ({
        workspace_id: workspaceId,
        id,
        key,
        label,
        type,
        ...times,
      })),
    )
    .execute();
  const options = fields.flatMap(({ id, options: values = [] }) =>
    values.map((value, position) => ({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.customFieldOption),
      custom_field_id: id,
      value,
      position,
      ...times,
    })),
  );
  await tx.insertInto('custom_field_option').values(options).execute();
  return new Map(fields.map(({ key, id }) => [key, id]));
}

async function insertRequestTypes(
  tx: ServiceTx,
  { workspaceId, queues, newId, times }: Context,
  fields: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const collections = { IT: newId(ID_PREFIXES.requestType), PPL: newId(ID_PREFIXES.requestType) };
  const named = DEMO_REQUEST_TYPES.map((type) => ({ ...type, id: newId(ID_PREFIXES.requestType) }));
  const common = { workspace_id: workspaceId, ...times };
  await tx
    .insertInto('request_type')
    .values(
      (['IT', 'PPL'] as const).map((queue) => ({
        ...common,
        ...DEMO_COLLECTIONS[queue],
        id: collections[queue],
        type: 'collection' as const,
      })),
    )
    .execute();
  await tx
    .insertInto('request_type')
    .values(
      named.map(({ id, queue, name, emoji, description, priority, form }) => ({
        ...common,
        id,
        name,
        emoji,
        description,
        parent_id: collections[queue],
        default_queue_id: queues[queue],
        default_priority: priority,
        form_enabled: form.length > 0,
      })),
    )
    .execute();
  const links = named.map(({ id, queue }) => ({
    workspace_id: workspaceId,
    queue_id: queues[queue],
    request_type_id: id,
  }));
  await tx.insertInto('queue_request_type').values(links).execute();
  const asked = named.flatMap(({ id, form }) =>
    form.map((entry, position) => ({
      ...common,
      id: newId(ID_PREFIXES.requestTypeCustomField),
      request_type_id: id,
      custom_field_id: wanted(fields, entry.replace(/!$/, '')),
      position,
      required: entry.endsWith('!'),
    })),
  );
  await tx.insertInto('request_type_custom_field').values(asked).execute();
  return new Map(named.map(({ name, id }) => [name, id]));
}

async function insertAgents(
  tx: ServiceTx,
  { workspaceId, queues, newId, times }: Context,
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const workspace_id = workspaceId;
  for (const { queue, name, description, persona, tone, greeting, knowledge } of DEMO_AGENTS) {
    const personality_id = newId(ID_PREFIXES.personality);
    const knowledge_base_id = newId(ID_PREFIXES.knowledgeBase);
    const ai_agent_id = newId(ID_PREFIXES.agent);
    await tx
      .insertInto('personality')
      .values({
        workspace_id,
        id: personality_id,
        persona,
        tone,
        emoji: 'sparingly',
        length: 'short',
        greeting,
        ...times,
      })
      .execute();
    await tx
      .insertInto('knowledge_base')
      .values({
        workspace_id,
        id: knowledge_base_id,
        name: knowledge.name,
        last_sync_at: times.created_at,
        ...times,
      })
      .execute();
    const documents = knowledge.documents.map((document) => ({
      workspace_id,
      id: newId(ID_PREFIXES.knowledgeBaseDocument),
      knowledge_base_id,
      ...document,
      ...times,
    }));
    await tx.insertInto('knowledge_base_document').values(documents).execute();
    await indexDocuments(tx);
    await tx
      .insertInto('ai_agent')
      // Off: users who try the desk for the first time talk to agents (docs/agents.md says how to turn one on).
      .values({
        workspace_id,
        id: ai_agent_id,
        name,
        description,
        personality_id,
        enabled: false,
        auto_tag: true,
        ...times,
      })
      .execute();
    await tx
      .insertInto('ai_agent_queue')
      .values({ workspace_id, ai_agent_id, queue_id: queues[queue] })
      .execute();
    await tx
      .insertInto('ai_agent_knowledge_base')
      .values({ workspace_id, ai_agent_id, knowledge_base_id })
      .execute();
    const own = DEMO_REQUEST_TYPES.filter((type) => type.queue === queue).map((type) => ({
      workspace_id,
      ai_agent_id,
      request_type_id: wanted(types, type.name),
    }));
    await tx.insertInto('ai_agent_request_type').values(own).execute();
  }
}

/** Inserts the demo's workflows as drafts: a person looks at them before they act. */
async function insertWorkflows(
  tx: ServiceTx,
  { workspaceId, ownerId, newId, times }: Context,
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = DEMO_WORKFLOWS.map((outline) => {
    const { steps, connections } = contentOf(outline);
    const named = steps.map((step) => ({
      ...step,
      inputs: {
        ...step.inputs,
        ...('requestTypeId' in step.inputs && {
          requestTypeId: wanted(types, String(step.inputs['requestTypeId'])),
        }),
        ...('approverIds' in step.inputs && { approverIds: [ownerId] }),
      },
    }));
    return {
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.workflow),
      name: outline.name,
      description: outline.description,
      state: 'Draft' as const,
      steps: JSON.stringify(named),
      connections: JSON.stringify(connections),
      author_id: ownerId,
      ...times,
    };
  });
  await tx.insertInto('workflow').values(rows).execute();
}

async function insertApplications(
  tx: ServiceTx,
  { workspaceId, ownerId, newId, times }: Context,
): Promise<void> {
  const at = times.created_at.toISOString();
  const rows = DEMO_APPLICATIONS.map(({ name, domain, price, levels }) => ({
    workspace_id: workspaceId,
    id: newId(ID_PREFIXES.application),
    name,
    domain,
    price,
    owner_id: ownerId,
    approval_strategy: 'Any' as const,
    approver_ids: [ownerId],
    access_levels: JSON.stringify(
      levels.map((level) => ({
        id: newId(ID_PREFIXES.accessLevel),
        name: level,
        description: null,
        createdAt: at,
        updatedAt: at,
        integrationGroupIds: [],
        approverIds: [ownerId],
        approverGroupIds: [],
        approvalStrategy: 'Any',
      })),
    ),
    ...times,
  }));
  await tx.insertInto('application').values(rows).execute();
}

async function insertCannedReplies(
  tx: ServiceTx,
  { workspaceId, queues, ownerId, newId, times }: Context,
): Promise<void> {
  const rows = DEMO_CANNED_REPLIES.map(({ queues: of, ...reply }) => ({
    workspace_id: workspaceId,
    id: newId(ID_PREFIXES.cannedReply),
    ...reply,
    owner_id: ownerId,
    is_shared: true,
    queue_ids: of.map((queue) => queues[queue]),
    ...times,
  }));
  await tx.insertInto('canned_reply').values(rows).execute();
}

function wanted(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new TypeError(`the demo has nothing called "${name}"`);
  return id;
}
