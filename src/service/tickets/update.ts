import { isDeepStrictEqual } from 'node:util';

import { sql, type Updateable } from 'kysely';

import { LIMITS, type ParsedBody } from '../../contract/index.ts';
import { requireOwnQueue } from '../access/identity.ts';
import { requireAssignable } from '../access/team.ts';
import { visibleAmong } from '../access/ticket-access.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { instantOf } from '../instants.ts';
import { conflict, ServiceProblem, unprocessable } from '../problem.ts';
import { requireIds, requireKnown } from '../references.ts';
import { requestTypeRecords } from '../request-types/records.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import type { Tables } from '../schema/tables.ts';
import { lastChangeOf } from './activity.ts';
import { clockColumns } from './clock-columns.ts';
import { fieldValues } from './custom-fields.ts';
import { fillsField, namedFields, ownFields, peopleOfTicket } from './fills-field.ts';
import { ticketKey, nextStamp, type StoredTicket, type TicketKey, withMerged } from './find.ts';
import { requireVisibilityOfMerged } from './merged-visibility.ts';
import { nextNumber } from './numbers.ts';
import { idsOfRefs, writePeople, writeTags, writeThread } from './relations.ts';
import { requireRequestType } from './request-type.ts';
import { refuseSnoozeOfEnded } from './snooze.ts';
import { endsAfter, isEnd } from './status-effects.ts';
import { statusKind } from './statuses.ts';
import { titleOf } from './title.ts';

type Body = ParsedBody<'updateTicket'>;
export type TicketData = Body['data'];
type Columns = Updateable<Tables['ticket']>;

export interface UpdateContext {
  tools: Tools;
  caller: Caller;
  now: Date;
}

/**
 * Writes only what `data` names to a ticket; absent fields stay, null clears optional ones and is ignored for others.
 * Returns whether anything changed; if not, nothing was written.
 * @param before the ticket as it was locked.
 */
export async function updateTicket(
  tx: ServiceTx,
  context: UpdateContext,
  before: StoredTicket,
  body: Omit<Body, 'includeChild'>,
): Promise<boolean> {
  const key = ticketKey(before);
  const now = nextStamp(before, context.now);
  await checkReferences(tx, context.caller, before, body);
  await requireVisibilityOfMerged(tx, before, body.data);
  const columns = {
    ...plainColumns(before, body.data),
    ...(await fieldColumns(tx, before, body.data)),
    ...timeColumns(before, body.data, now),
    ...(await statusColumns(tx, before, body.data, now)),
    ...(await approvalColumns(tx, before, body, context.caller, now)),
  };
  const related = await writeRelations(tx, context, key, body.data);
  const moved = await moveColumns(tx, before, body.data);
  refuseSnoozeOfEnded({ ...before, ...columns } as StoredTicket, body.data, {
    now,
    path: 'data.snoozeUntil',
  });
  const clocks = await clockColumns(tx, before, { ...before, ...columns, ...moved } as StoredTicket, now);
  const changed = Object.fromEntries(
    Object.entries({ ...columns, ...moved, ...clocks }).filter(([column, value]) =>
      isChanged(before, column, value),
    ),
  ) as Columns;
  if (Object.keys(changed).length === 0 && !related) return false;
  await tx
    .updateTable('ticket')
    .set({
      ...changed,
      updated_at: now,
      updated_by: body.actorId ?? body.approverId ?? context.caller.personId,
      stamped_at: now,
    })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .execute();
  return true;
}

function isChanged(before: StoredTicket, column: string, value: unknown): boolean {
  if (value === undefined) return false;
  const stored = before[column as keyof StoredTicket];
  if (column === 'custom_fields' || column === 'approval')
    return !isDeepStrictEqual(stored, typeof value === 'string' ? JSON.parse(value) : value);
  return !isDeepStrictEqual(stored, value);
}

async function checkReferences(
  tx: ServiceTx,
  caller: Caller,
  before: StoredTicket,
  body: Body,
): Promise<void> {
  const { workspaceId, id } = ticketKey(before);
  const { data } = body;
  const people = {
    'data.requesterId': data.requesterId,
    'data.authorId': data.authorId,
    'data.assigneeId': data.assigneeId,
    approverId: body.approverId,
  };
  for (const [path, person] of Object.entries(people))
    if (person) await requireIds(tx, 'person', workspaceId, [person], path);
  if (data.requestTypeId) await requireRequestType(tx, workspaceId, data.requestTypeId, 'data.requestTypeId');
  if (data.queueId) {
    await requireIds(tx, 'queue', workspaceId, [data.queueId], 'data.queueId');
    requireOwnQueue(caller, data.queueId);
  }
  if (data.assigneeId && data.assigneeId !== before.assignee_id)
    await requireAssignable(
      tx,
      caller,
      { workspaceId, queueId: data.queueId ?? before.queue_id },
      { personId: data.assigneeId, path: 'data.assigneeId', inChat: body.teamQueueIds },
    );
  if (data.parentId) await checkParent(tx, caller, { workspaceId, id }, data.parentId);
}

/**
 * Throws 422 if the new parent is the ticket itself or below it. Changes of parents are serialized, or two could make a
 * cycle.
 */
async function checkParent(
  tx: ServiceTx,
  caller: Caller,
  { workspaceId, id }: TicketKey,
  parentId: string,
): Promise<void> {
  const visible = await visibleAmong(tx, caller, [workspaceId], [parentId]);
  requireKnown(visible, 'ticket', [parentId], 'data.parentId');
  await requireIds(tx, 'ticket', workspaceId, [parentId], 'data.parentId');
  await requireRoomForOne(
    tx,
    { table: 'ticket', workspaceId, column: 'parent_id', id: parentId, except: sql`id = ${id}` },
    {
      most: LIMITS.ofTicket.children,
      path: 'data.parentId',
      says: 'children of a ticket. Choose another parent',
    },
  );
  await sql`select pg_advisory_xact_lock(hashtextextended(${`ticket parents ${workspaceId}`}, 0))`.execute(
    tx,
  );
  const above = await sql<{ id: string }>`
    with recursive above as (
      select id, parent_id from ticket where workspace_id = ${workspaceId} and id = ${parentId}
      union
      select t.id, t.parent_id from ticket t join above on t.id = above.parent_id
      where t.workspace_id = ${workspaceId}
    ) select id from above where id = ${id}`.execute(tx);
  if (above.rows.length > 0) throw unprocessable('data.parentId', 'A ticket cannot be below itself');
}

/** Returns columns that are written unchanged. */
function plainColumns(before: StoredTicket, data: TicketData): Columns {
  const described = data.description === undefined ? before.description : data.description;
  const titled = data.title === undefined ? before.title : data.title;
  const title = titleOf(titled, described);
  if (title === null) throw unprocessable('data.title', 'A ticket needs a title or a description');
  return {
    title,
    description: described,
    priority: data.priority ?? before.priority,
    published: data.published ?? before.published,
    private: data.private ?? before.private,
    source: data.source ?? before.source,
    disable_ai_response: data.disableAIResponse ?? before.disable_ai_response,
    ...(data.requesterId !== undefined && { requester_id: data.requesterId }),
    ...(data.authorId !== undefined && { author_id: data.authorId }),
    ...(data.assigneeId !== undefined && { assignee_id: data.assigneeId }),
    ...(data.requestTypeId !== undefined && { request_type_id: data.requestTypeId }),
    ...(data.parentId !== undefined && { parent_id: data.parentId }),
    ...(data.assignedAIAgent !== undefined && { assigned_ai_agent: data.assignedAIAgent }),
    ...(data.chatChannelId !== undefined && { chat_channel_id: data.chatChannelId || null }),
  };
}

/** Returns the custom fields, checked against the ticket's new request type. */
async function fieldColumns(tx: ServiceTx, before: StoredTicket, data: TicketData): Promise<Columns> {
  const typeId = data.requestTypeId === undefined ? before.request_type_id : data.requestTypeId;
  if (!data.customFields && typeId === before.request_type_id) return {};
  const key = { workspaceId: before.workspace_id, id: before.id };
  const people = await peopleOfTicket(tx, key);
  const [type] = typeId === null ? [] : await requestTypeRecords(tx, [key.workspaceId], [typeId]);
  const values = await fieldValues(tx, {
    workspaceId: key.workspaceId,
    type,
    stored: before.custom_fields,
    given: data.customFields ?? {},
    fills: (field) => fillsField(field, { ...people, ...ownFields(before), ...namedFields(data) }),
    path: 'data.customFields',
  });
  return { custom_fields: JSON.stringify(values) };
}

function timeColumns(before: StoredTicket, data: TicketData, now: Date): Columns {
  const { dueAt, snoozeUntil, startAt, archivedAt, assigneeId, published } = data;
  const reassigned = assigneeId !== undefined && assigneeId !== before.assignee_id;
  const republished = typeof published === 'boolean' && published !== before.published;
  return {
    ...(dueAt !== undefined && { due_at: instantOf(dueAt) }),
    ...(snoozeUntil !== undefined && { snooze_until: instantOf(snoozeUntil) }),
    ...(startAt !== undefined && { start_at: instantOf(startAt) }),
    ...(archivedAt !== undefined && { archived_at: instantOf(archivedAt) }),
    ...(reassigned && { assigned_at: assigneeId === null ? null : now }),
    ...(republished && { published_at: published ? now : null }),
  };
}

/** Returns the status, its effect on the ticket's end timestamps, and timestamps that are set directly. */
async function statusColumns(
  tx: ServiceTx,
  before: StoredTicket,
  data: TicketData,
  now: Date,
): Promise<Columns> {
  const statusId = data.statusId ?? before.status_id;
  const typeId = data.requestTypeId === undefined ? before.request_type_id : data.requestTypeId;
  const changed = statusId !== before.status_id;
  const kind =
    changed || typeId !== before.request_type_id
      ? await statusKind(tx, before.workspace_id, statusId, typeId)
      : undefined;
  return {
    status_id: statusId,
    ...(changed && kind && endsAfter(kind, before, now)),
    // Reopening a merged ticket undoes the merge.
    ...(changed && kind && !isEnd(kind) && { merged_into_id: null }),
    ...(data.resolvedAt !== undefined && { resolved_at: instantOf(data.resolvedAt) }),
    ...(data.closedAt !== undefined && { closed_at: instantOf(data.closedAt) }),
  };
}

/** The first decision is final; a second one is 409 (docs/api.md, Tickets). */
async function approvalColumns(
  tx: ServiceTx,
  before: StoredTicket,
  body: Body,
  caller: Caller,
  now: Date,
): Promise<Columns> {
  const { approvedAt, declinedAt } = body.data;
  if (!approvedAt && !declinedAt) return {};
  if (approvedAt && declinedAt)
    throw unprocessable('data.declinedAt', 'A ticket is approved or declined, not both');
  if (before.approval) {
    const { decision: value } = before.approval;
    const change = await lastChangeOf(tx, caller, ticketKey(before), { field: 'approval', value });
    throw conflict(`This ticket was already ${value}.`, { field: 'approval', ...change });
  }
  await refuseOwnDecision(tx, before, caller);
  const decision = approvedAt ? 'approved' : 'declined';
  const approval = {
    userId: body.approverId ?? caller.personId,
    decision,
    reason: body.reason ?? null,
    at: now.toISOString(),
  };
  return {
    approval: JSON.stringify(approval),
    ...(approvedAt && { approved_at: new Date(approvedAt) }),
    ...(declinedAt && { declined_at: new Date(declinedAt) }),
  };
}

/**
 * Throws 403 if a signed-in person approves or declines a ticket that they asked for: its requester, its author, or a
 * former one, because otherwise a person who may change them could decide on their own request. Wider than who rates it
 * (csat.ts), which is its requester alone.
 */
async function refuseOwnDecision(
  tx: ServiceTx,
  ticket: StoredTicket,
  { session, personId }: Caller,
): Promise<void> {
  if (!session) return;
  const askedFor = await withMerged(tx, ticket)
    .select('t.id')
    .where((is) =>
      is.or([
        is('t.requester_id', '=', personId),
        is('t.author_id', '=', personId),
        is.exists(
          is
            .selectFrom('ticket_activity as a')
            .select('a.id')
            .whereRef('a.workspace_id', '=', 't.workspace_id')
            .whereRef('a.ticket_id', '=', 't.id')
            .where('a.field', 'in', ['requesterId', 'authorId'])
            .where('a.old_value', '=', personId),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (askedFor)
    throw new ServiceProblem(
      'FORBIDDEN',
      'You asked for this yourself, so you cannot approve or decline it.',
    );
}

async function writeRelations(
  tx: ServiceTx,
  { tools, now }: UpdateContext,
  key: TicketKey,
  data: TicketData,
): Promise<boolean> {
  let changed = false;
  if (data.approverIds !== undefined || data.approvers !== undefined) {
    const approvers = [...new Set([...(data.approverIds ?? []), ...idsOfRefs(data.approvers)])];
    if (await writePeople(tx, 'ticket_approver', key, approvers)) changed = true;
  }
  if (
    data.followers !== undefined &&
    (await writePeople(tx, 'ticket_follower', key, idsOfRefs(data.followers)))
  )
    changed = true;
  const { tags, addTags: add, removeTags: remove } = data;
  if (tags !== undefined || add || remove) {
    const set = tags === undefined ? undefined : (tags ?? []);
    if (await writeTags(tx, key, { set, add, remove })) changed = true;
  }
  // A link to chat is internal to the bridge: it is stored, but is not a change of the ticket.
  if (data.chatChannelId && data.chatTimestamp)
    await writeThread(
      tx,
      key,
      { channelId: data.chatChannelId, messageTs: data.chatTimestamp },
      { newId: tools.newId, now, path: 'data.chatTimestamp' },
    );
  return changed;
}

/** Another queue assigns another number; the old reference keeps working. Locks the new queue, so it comes last. */
async function moveColumns(tx: ServiceTx, before: StoredTicket, data: TicketData): Promise<Columns> {
  if (!data.queueId || data.queueId === before.queue_id) return {};
  const number = await nextNumber(tx, before.workspace_id, data.queueId);
  await tx
    .insertInto('ticket_reference')
    .values({ workspace_id: before.workspace_id, queue_id: data.queueId, number, ticket_id: before.id })
    .execute();
  return { queue_id: data.queueId, number };
}
