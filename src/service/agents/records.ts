import { sql } from 'kysely';

import type { Agent } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { knowledgeBaseRef } from '../knowledge-bases/records.ts';
import { inOrder } from '../lists/in-order.ts';
import { textBytesOf } from '../lists/page.ts';
import { personalityRecords } from '../personalities/records.ts';
import { requestTypeBytes, requestTypeRecords } from '../request-types/records.ts';

const chatChannels = sql<Agent['chatChannels']>`(
  select coalesce(json_agg(json_build_object('id', c.id, 'channelName', c.channel_name) order by c.id), '[]')
  from ai_agent_chat_channel x
  join chat_channel c on c.workspace_id = x.workspace_id and c.id = x.chat_channel_id and c.deleted_at is null
  where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id)`;

const queues = sql<Agent['queues']>`(
  select coalesce(json_agg(json_build_object(
    'id', q.id, 'name', q.name, 'prefix', q.prefix, 'emoji', q.emoji, 'system', q.system,
    'requestTypes', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'name', r.name, 'emoji', r.emoji, 'color', r.color, 'description', r.description,
        'icon', r.icon) order by r.id), '[]')
      from queue_request_type qr join request_type r on r.workspace_id = qr.workspace_id and r.id = qr.request_type_id
      where qr.workspace_id = q.workspace_id and qr.queue_id = q.id),
    'kBs', (
      select coalesce(json_agg(${knowledgeBaseRef('qk')} order by qk.id), '[]')
      from queue_knowledge_base y
      join knowledge_base qk on qk.workspace_id = y.workspace_id and qk.id = y.knowledge_base_id
      where y.workspace_id = q.workspace_id and y.queue_id = q.id)) order by q.id), '[]')
  from ai_agent_queue x join queue q on q.workspace_id = x.workspace_id and q.id = x.queue_id
  where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id)`;

const knowledgeBases = sql<Agent['kBs']>`(
  select coalesce(json_agg(${knowledgeBaseRef('k')} order by k.id), '[]')
  from ai_agent_knowledge_base x
  join knowledge_base k on k.workspace_id = x.workspace_id and k.id = x.knowledge_base_id
  where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id)`;

const requestTypeIds = sql<string[]>`(
  select coalesce(json_agg(x.request_type_id order by x.request_type_id), '[]')
  from ai_agent_request_type x where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id)`;

const workflows = sql<Agent['workflows']>`(
  select coalesce(json_agg(json_build_object(
    'id', w.id, 'name', w.name, 'description', w.description, 'state', w.state) order by w.id), '[]')
  from ai_agent_workflow x join workflow w on w.workspace_id = x.workspace_id and w.id = x.workflow_id
  where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id)`;

/** About how many bytes an AI agent `a` takes, with its request types and their questions. */
export const agentBytes = sql<number>`(
  ${textBytesOf('a.description')} + coalesce((
    select sum(${requestTypeBytes})
    from ai_agent_request_type y join request_type r on r.workspace_id = y.workspace_id and r.id = y.request_type_id
    where y.workspace_id = a.workspace_id and y.ai_agent_id = a.id), 0))`;

/** AI agents by id in the fuller shape, in the order of `ids` (specification, Resources, Agent). */
export async function agentRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Agent[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('ai_agent as a')
    .innerJoin('workspace as w', 'w.id', 'a.workspace_id')
    .selectAll('a')
    .select(['w.slug as workspace_slug', 'w.name as workspace_name'])
    .select([
      chatChannels.as('chat_channels'),
      queues.as('queues'),
      knowledgeBases.as('knowledge_bases'),
      requestTypeIds.as('request_type_ids'),
      workflows.as('workflows'),
    ])
    .where('a.workspace_id', 'in', workspaceIds)
    .where('a.id', 'in', ids)
    .execute();
  const personalities = await personalityRecords(
    db,
    workspaceIds,
    rows.flatMap((row) => row.personality_id ?? []),
  );
  const types = await requestTypeRecords(db, workspaceIds, [
    ...new Set(rows.flatMap((row) => row.request_type_ids)),
  ]);
  const records = rows.map((row): Agent => ({
    id: row.id,
    name: row.name,
    description: row.description,
    imageUrl: row.image_url,
    workspaceId: row.workspace_id,
    personalityId: row.personality_id,
    enabled: row.enabled,
    respondOnMention: row.respond_on_mention,
    autoClassify: row.auto_classify,
    autoTag: row.auto_tag,
    respondOnMessage: row.respond_on_message,
    onlyRespondToRequests: row.only_respond_to_requests,
    negativeFeedbackAutoCreate: row.negative_feedback_auto_create,
    autoEscalate: row.auto_escalate,
    availableInDM: row.available_in_dm,
    tools: row.tools,
    workspace: { id: row.workspace_id, slug: row.workspace_slug, name: row.workspace_name },
    personality: personalities.find(({ id }) => id === row.personality_id) ?? null,
    chatChannels: row.chat_channels,
    queues: row.queues,
    kBs: row.knowledge_bases,
    requestTypes: types
      .filter(({ id }) => row.request_type_ids.includes(id))
      .map(({ id, name, emoji, color, description, icon, aiExamples, customFields }) => ({
        id,
        name,
        emoji,
        color,
        description,
        icon,
        aiExamples,
        customFields,
      })),
    workflows: row.workflows,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    deletedAt: isoOrNull(row.deleted_at),
  }));
  return inOrder(ids, records);
}
