import { type Insertable, sql } from 'kysely';

import { ID_PREFIXES, type ParsedBody, type RequestType } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { instantOf } from '../instants.ts';
import { unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';
import { requestTypeRecords } from '../request-types/records.ts';
import type { Tables } from '../schema/tables.ts';
import { fieldValues } from './custom-fields.ts';
import { fillsField } from './fills-field.ts';
import type { TicketKey } from './find.ts';
import { freeShortId, nextNumber } from './numbers.ts';
import { idsOfRefs, writePeople, writeTags, writeThread } from './relations.ts';
import { requireRequestType } from './request-type.ts';
import { endsAfter } from './status-effects.ts';
import { openStatus, statusKind } from './statuses.ts';
import { titleFrom } from './title-template.ts';
import { titleOf } from './title.ts';

type Body = ParsedBody<'createTicket'>;
interface Context {
  tools: Tools;
  caller: Caller;
  now: Date;
}

/**
 * Stores a ticket. A chat pair that is already stored returns that ticket: then `created` is false and nothing is
 * written. Calls with the same pair are serialized, so twenty at once make one ticket and use one number.
 */
export async function createTicket(
  tx: ServiceTx,
  context: Context,
  body: Body,
): Promise<TicketKey & { created: boolean }> {
  const { tools, caller, now } = context;
  const { workspaceId, queueId } = await placeOf(tx, caller, body);
  const thread =
    body.chatChannelId && body.chatTimestamp
      ? { channelId: body.chatChannelId, messageTs: body.chatTimestamp, type: 'REQUEST' }
      : undefined;
  if (thread) {
    const stored = await storedTicket(tx, workspaceId, thread.channelId, thread.messageTs);
    if (stored !== null) return { workspaceId, id: stored, created: false };
  }
  const key = { workspaceId, id: tools.newId(ID_PREFIXES.ticket) };
  const type = await requestType(tx, workspaceId, body.requestTypeId);
  const columns = await columnsOf(tx, context, key, { queueId, type }, body);
  await insert(tx, columns);
  const approvers = new Set([...(body.approverIds ?? []), ...idsOfRefs(body.approvers)]);
  if (approvers.size > 0) await writePeople(tx, 'ticket_approver', key, [...approvers]);
  if (body.followers?.length) await writePeople(tx, 'ticket_follower', key, idsOfRefs(body.followers));
  const tags = [...(body.tags ?? []), ...(type?.tags ?? [])];
  if (tags.length > 0) await writeTags(tx, key, { set: tags });
  if (thread) await writeThread(tx, key, thread, { newId: tools.newId, now });
  return { ...key, created: true };
}

/** Returns the queue, and so the workspace: the one named, the request type's, or the home workspace's. */
async function placeOf(
  tx: ServiceTx,
  caller: Caller,
  body: Body,
): Promise<{ workspaceId: string; queueId: string }> {
  const queueId = body.queueId ?? (await defaultQueue(tx, caller, body.requestTypeId));
  if (!queueId)
    throw unprocessable(
      'queueId',
      'Name a queue: neither the request type nor the workspace has a default one',
    );
  const queue = await tx
    .selectFrom('queue')
    .select('workspace_id')
    .where('workspace_id', 'in', caller.workspaceIds)
    .where('id', '=', queueId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!queue) throw unprocessable('queueId', `The workspace has no queue "${queueId}"`);
  return { workspaceId: queue.workspace_id, queueId };
}

async function defaultQueue(
  tx: ServiceTx,
  caller: Caller,
  requestTypeId: string | null | undefined,
): Promise<string | null> {
  const type = requestTypeId
    ? await tx
        .selectFrom('request_type')
        .select('default_queue_id')
        .where('workspace_id', 'in', caller.workspaceIds)
        .where('id', '=', requestTypeId)
        .executeTakeFirst()
    : undefined;
  if (type?.default_queue_id) return type.default_queue_id;
  const workspace = await tx
    .selectFrom('workspace')
    .select('default_queue_id')
    .where('id', '=', caller.workspaceId)
    .executeTakeFirst();
  return workspace?.default_queue_id ?? null;
}

/** Returns the ticket of a chat pair. Holds a lock on the pair until the transaction ends. */
async function storedTicket(
  tx: ServiceTx,
  workspaceId: string,
  channelId: string,
  messageTs: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select ticket_of_chat_message(${workspaceId}, ${channelId}, ${messageTs}) as id`.execute(tx);
  return rows[0]?.id ?? null;
}

async function columnsOf(
  tx: ServiceTx,
  { tools, caller, now }: Context,
  { workspaceId, id }: TicketKey,
  { queueId, type }: { queueId: string; type: RequestType | undefined },
  body: Body,
): Promise<Insertable<Tables['ticket']>> {
  const ownPerson = caller.workspaceId === workspaceId ? caller.personId : null;
  const authorId = body.authorId ?? ownPerson;
  const requesterId = body.requesterId ?? authorId;
  const people = { requesterId: body.requesterId, authorId: body.authorId, assigneeId: body.assigneeId };
  for (const [path, person] of Object.entries(people))
    if (person) await requireIds(tx, 'person', workspaceId, [person], path);
  if (body.parentId) await requireIds(tx, 'ticket', workspaceId, [body.parentId], 'parentId');
  const named = body.statusId ?? type?.defaultStatusId;
  const kind = named ? await statusKind(tx, workspaceId, named, body.requestTypeId ?? null) : 'OPEN';
  const statusId = named ?? (await openStatus(tx, workspaceId));
  const customFields = await fieldValues(tx, {
    workspaceId,
    requestTypeId: body.requestTypeId ?? null,
    stored: {},
    given: body.customFields ?? {},
    fills: (field) => fillsField(field, { ...body, requesterId }),
    path: 'customFields',
  });
  const templated = type?.titleTemplate
    ? titleFrom(type.titleTemplate, {
        fields: type.customFields.map(({ customField }) => customField),
        values: customFields,
        requestType: type.name,
        requester: await nameOf(tx, workspaceId, requesterId),
      })
    : undefined;
  const published = body.published ?? true;
  const shortId = await freeShortId(tx, workspaceId, tools.random);
  // Locks the queue, so it comes last.
  const { number, assignee } = await nextNumber(tx, workspaceId, queueId);
  const assigneeId = body.assigneeId ?? assignee;
  return {
    workspace_id: workspaceId,
    id,
    queue_id: queueId,
    number,
    short_id: shortId,
    title: titleOf(body.title?.trim() ? body.title : templated, body.description),
    description: body.description ?? null,
    priority: body.priority ?? type?.defaultPriority ?? 'MEDIUM',
    published,
    private: body.private ?? false,
    source: body.source ?? 'API',
    requester_id: requesterId,
    author_id: authorId,
    assignee_id: assigneeId,
    status_id: statusId,
    request_type_id: body.requestTypeId ?? null,
    parent_id: body.parentId ?? null,
    disable_ai_response: body.disableAIResponse ?? false,
    assigned_ai_agent: body.assignedAIAgent ?? null,
    chat_channel_id: body.chatChannelId || null,
    custom_fields: JSON.stringify(customFields),
    published_at: published ? now : null,
    assigned_at: assigneeId === null ? null : now,
    due_at: instantOf(body.dueAt) ?? null,
    snooze_until: instantOf(body.snoozeUntil) ?? null,
    start_at: instantOf(body.startAt) ?? null,
    ...endsAfter(kind, { resolved_at: null, closed_at: null }, now),
    created_at: now,
    updated_at: now,
    stamped_at: now,
  };
}

/** Returns the request type of a new ticket, with its defaults and tags; 422 for a collection. */
async function requestType(
  tx: ServiceTx,
  workspaceId: string,
  id: string | null | undefined,
): Promise<RequestType | undefined> {
  if (!id) return undefined;
  await requireRequestType(tx, workspaceId, id, 'requestTypeId');
  return (await requestTypeRecords(tx, [workspaceId], [id]))[0];
}

async function nameOf(tx: ServiceTx, workspaceId: string, personId: string | null): Promise<string> {
  if (personId === null) return '';
  const person = await tx
    .selectFrom('person')
    .select(['first_name', 'last_name', 'email'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', personId)
    .executeTakeFirst();
  const names = [person?.first_name, person?.last_name].filter(Boolean).join(' ');
  return names || (person?.email ?? '');
}

async function insert(tx: ServiceTx, ticket: Insertable<Tables['ticket']>): Promise<void> {
  const { workspace_id, queue_id, number, id } = ticket;
  await tx.insertInto('ticket').values(ticket).execute();
  await tx.insertInto('ticket_reference').values({ workspace_id, queue_id, number, ticket_id: id }).execute();
}
