import { type Insertable, sql } from 'kysely';

import {
  ID_PREFIXES,
  LIMITS,
  type ParsedBody,
  type QueueVisibility,
  type RequestType,
  type TicketDetail,
} from '../../contract/index.ts';
import { Outdated } from '../../platform/database/open.ts';
import { defaultSource, requireOwnQueue } from '../access/identity.ts';
import { tellUnassigned } from '../absences/away.ts';
import { requireAssignable } from '../access/team.ts';
import { isOfQueue, visibleAmong } from '../access/ticket-access.ts';
import { askAgents } from '../agents/ask.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { instantOf } from '../instants.ts';
import type { Outbox } from '../outbox.ts';
import { found, ServiceProblem, unprocessable } from '../problem.ts';
import { noSuch, requireIds, requireKnown } from '../references.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import type { Tables } from '../schema/tables.ts';
import { fieldValues } from './custom-fields.ts';
import { dueTimes, isRunning, readQueueTargets } from './due-times.ts';
import { addTicketEvent } from './events.ts';
import { fillsField } from './fills-field.ts';
import type { TicketKey } from './find.ts';
import { makeShortId, takeNumber } from './numbers.ts';
import { ticketDetail } from './records.ts';
import { requireRequesterFields } from './requester-fields.ts';
import { idsOfRefs } from './relations.ts';
import { requireRequestType } from './request-type.ts';
import { refuseSnoozeOfEnded } from './snooze.ts';
import { endsAfter } from './status-effects.ts';
import { openStatus, type StatusKind, statusKind } from './statuses.ts';
import { recordStop, stopReason } from './stops.ts';
import { usualReplyMinutes } from './results.ts';
import { fillTitleTemplate } from './title-template.ts';
import { titleOf } from './title.ts';

type Body = ParsedBody<'createTicket'>;
interface Context {
  tools: Pick<Tools, 'newId' | 'random'>;
  caller: Caller;
  now: Date;
}

interface Stored {
  ticket: TicketDetail;
  /** False if the chat pair was already stored: then nothing was written. */
  created: boolean;
}

/**
 * Stores a ticket with its event. A chat pair that is already stored returns that ticket.
 * @param outbox gets the event, and the work for AI agents.
 * @throws 403 for a signed-in person who may not open this ticket, 422 if it refers to a record that the workspace lacks;
 *   `Outdated` if the chat pair was stored meanwhile.
 */
export async function createTicket(
  tx: ServiceTx,
  { tools, caller, now }: Context,
  body: Body,
  outbox: Outbox,
): Promise<Stored> {
  // 1. Find the queue, and with it the workspace, and check that the caller may open a ticket there.
  const { workspaceId, queueId, visibility } = await queueFor(tx, caller, body);
  requireOwnQueue(caller, queueId);
  const isOfTeam = await isOfQueue(tx, caller, queueId);
  requireMayOpenFor(caller, isOfTeam, body);

  // 2. Return the ticket of the chat pair, if it is stored.
  const pair =
    body.chatChannelId && body.chatTimestamp
      ? { channelId: body.chatChannelId, messageTs: body.chatTimestamp }
      : undefined;
  const stored = pair && (await ticketOfPair(tx, workspaceId, pair));
  if (stored !== undefined)
    return { ticket: await ticketDetail(tx, { workspaceId, id: stored }, now), created: false };

  // 3. Check what the ticket refers to.
  const {
    type,
    statusId: namedStatus,
    kind,
    approvers,
    followers,
  } = await checkReferences(tx, caller, { workspaceId, queueId, visibility, isOfTeam }, body);

  // 4. Compute its fields.
  const authorId = body.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  const requesterId = body.requesterId ?? authorId;
  const customFields = await fieldValues(tx, {
    workspaceId,
    type,
    stored: {},
    given: body.customFields ?? {},
    fills: (field) => fillsField(field, { ...body, requesterId }),
    path: 'customFields',
  });
  const title = body.title?.trim()
    ? body.title
    : await templatedTitle(tx, workspaceId, type, customFields, requesterId);
  const priority = body.priority ?? type?.defaultPriority ?? 'MEDIUM';
  const isPublished = body.published ?? true;
  const ends = { ...endsAfter(kind, { resolved_at: null, closed_at: null }, now), archived_at: null };
  refuseSnoozeOfEnded(ends, body, { now, path: 'snoozeUntil' });
  const queue = await readQueueTargets(tx, workspaceId, queueId);
  const reason = stopReason(ends, kind, queue);
  const usual = {
    usual_reply_minutes: await usualReplyMinutes(tx, { workspaceId, queueId, priority }, now),
  };
  const statusId = namedStatus ?? (await openStatus(tx, workspaceId));

  // 5. Take the next number, and the next assignee if the queue assigns round robin. This locks the queue.
  const { number, ...turn } = await takeNumber(tx, workspaceId, queueId, now);
  const assigneeId = body.assigneeId ?? turn.assigneeId;

  // 6. Write the ticket. A trigger marks it, and its words are indexed when the transaction ends.
  const id = tools.newId(ID_PREFIXES.ticket);
  await tx
    .insertInto('ticket')
    .values({
      workspace_id: workspaceId,
      id,
      queue_id: queueId,
      number,
      short_id: makeShortId(tools.random),
      title: titleOf(title, body.description),
      description: body.description ?? null,
      priority,
      published: isPublished,
      private: body.private ?? false,
      source: body.source ?? defaultSource(caller),
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
      tell_requester: (body.tellRequester ?? false) && requesterId !== authorId,
      published_at: isPublished ? now : null,
      assigned_at: assigneeId === null ? null : now,
      due_at: instantOf(body.dueAt) ?? null,
      snooze_until: (isRunning(ends) && instantOf(body.snoozeUntil)) || null,
      start_at: instantOf(body.startAt) ?? null,
      ...ends,
      ...usual,
      ...dueTimes(
        queue,
        { ...ends, ...usual, priority, created_at: now, responded_at: null },
        reason ? [{ reason, from: now, to: null }] : [],
      ),
      created_at: now,
      updated_at: now,
      updated_by: authorId,
      stamped_at: now,
    })
    .execute();
  await tx
    .insertInto('ticket_reference')
    .values({ workspace_id: workspaceId, queue_id: queueId, number, ticket_id: id })
    .execute();
  await recordStop(tx, { workspaceId, id }, [], reason, now);

  // 7. Write its thread in chat, its people and its tags.
  if (pair)
    await writeThread(tx, {
      workspace_id: workspaceId,
      id: tools.newId(ID_PREFIXES.chatThread),
      ticket_id: id,
      type: 'REQUEST',
      channel_id: pair.channelId,
      message_ts: pair.messageTs,
      created_at: now,
      updated_at: now,
    });
  await addPeople(tx, 'ticket_approver', { workspaceId, id }, approvers);
  await addPeople(tx, 'ticket_follower', { workspaceId, id }, followers);
  await addTags(tx, { workspaceId, id }, idsOfRefs([...(body.tags ?? []), ...(type?.tags ?? [])]));

  // 8. Tell the team if nobody got it because all are away, and add the event.
  if (assigneeId === null && turn.areAllAway && !queue.silent)
    await tellUnassigned(tx, { workspaceId, queueId, ticketId: id }, { newId: tools.newId, now });
  const ticket = await ticketDetail(tx, { workspaceId, id }, now);
  addTicketEvent(outbox, caller, workspaceId, null, ticket);

  // 9. Ask AI agents.
  if (requesterId !== null)
    await askAgents(tx, outbox, { workspace_id: workspaceId, id, queue_id: queueId }, null);

  return { ticket, created: true };
}

interface Queue {
  workspaceId: string;
  queueId: string;
  visibility: QueueVisibility;
}

const NO_QUEUE = 'Name a queue: neither the request type nor the workspace has a default one';

/** Returns the queue that is named, or the default one of the request type or of the home workspace. */
async function queueFor(tx: ServiceTx, { workspaceIds, workspaceId }: Caller, body: Body): Promise<Queue> {
  const named =
    body.queueId ??
    (await defaultQueueOfType(tx, workspaceIds, body.requestTypeId)) ??
    (await defaultQueueOfWorkspace(tx, workspaceId));
  if (named === null) throw unprocessable('queueId', NO_QUEUE);
  const queue = await tx
    .selectFrom('queue')
    .select(['workspace_id as workspaceId', 'id as queueId', 'visibility'])
    .where('workspace_id', 'in', workspaceIds)
    .where('id', '=', named)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!queue) throw noSuch('queue', named, 'queueId');
  return queue;
}

async function defaultQueueOfType(
  tx: ServiceTx,
  workspaceIds: readonly string[],
  requestTypeId: string | null | undefined,
): Promise<string | null> {
  if (!requestTypeId) return null;
  const type = await tx
    .selectFrom('request_type')
    .select('default_queue_id')
    .where('workspace_id', 'in', workspaceIds)
    .where('id', '=', requestTypeId)
    .executeTakeFirst();
  return type?.default_queue_id ?? null;
}

async function defaultQueueOfWorkspace(tx: ServiceTx, workspaceId: string): Promise<string | null> {
  const workspace = await tx
    .selectFrom('workspace')
    .select('default_queue_id')
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  return found(workspace).default_queue_id;
}

/** The records that a new ticket references, all in its workspace. */
interface References {
  type: RequestType | undefined;
  /** The status that the body or the request type names; undefined if neither does. */
  statusId: string | undefined;
  kind: StatusKind;
  approvers: string[];
  followers: string[];
}

/** Throws 422 if a ticket refers to a record that its workspace lacks, or sets what only the queue's team may. */
async function checkReferences(
  tx: ServiceTx,
  caller: Caller,
  { workspaceId, queueId, visibility, isOfTeam }: Queue & { isOfTeam: boolean },
  body: Body,
): Promise<References> {
  const type = body.requestTypeId
    ? await requireRequestType(tx, workspaceId, body.requestTypeId, 'requestTypeId')
    : undefined;
  if (!isOfTeam) requireRequesterFields(caller, type, body);
  for (const path of ['requesterId', 'authorId', 'assigneeId'] as const)
    await requireIds(tx, 'person', workspaceId, body[path] ? [body[path]] : [], path);
  if (body.assigneeId && visibility === 'team')
    await requireAssignable(
      tx,
      caller,
      { workspaceId, queueId },
      { personId: body.assigneeId, path: 'assigneeId', inChat: body.teamQueueIds },
    );
  if (body.parentId) await requireParent(tx, caller, workspaceId, body.parentId);
  const statusId = body.statusId ?? type?.defaultStatusId;
  const kind = statusId ? await statusKind(tx, workspaceId, statusId, body.requestTypeId ?? null) : 'OPEN';
  const approvers = [...new Set([...(body.approverIds ?? []), ...idsOfRefs(body.approvers)])];
  await requireIds(tx, 'person', workspaceId, approvers, 'approverIds');
  const followers = idsOfRefs(body.followers);
  await requireIds(tx, 'person', workspaceId, followers, 'followers');
  await requireIds(tx, 'tag', workspaceId, idsOfRefs(body.tags), 'tags');
  return { type, statusId: statusId ?? undefined, kind, approvers, followers };
}

/** Throws 403 unless a signed-in person opens a ticket of their team, or for themselves. */
function requireMayOpenFor({ personId }: Caller, isOfTeam: boolean, body: Body): void {
  if (!isOfTeam && body.requesterId && body.requesterId !== personId)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only agents of this queue may open a ticket for another person. Leave requesterId out.',
    );
}

async function ticketOfPair(
  tx: ServiceTx,
  workspaceId: string,
  { channelId, messageTs }: { channelId: string; messageTs: string },
): Promise<string | undefined> {
  const thread = await tx
    .selectFrom('chat_thread')
    .select('ticket_id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('message_ts', '=', messageTs)
    .executeTakeFirst();
  return thread?.ticket_id;
}

/** Throws 422 unless the caller sees the parent. */
async function requireParent(
  tx: ServiceTx,
  caller: Caller,
  workspaceId: string,
  parentId: string,
): Promise<void> {
  const visible = await visibleAmong(tx, caller, [workspaceId], [parentId]);
  requireKnown(visible, 'ticket', [parentId], 'parentId');
  await requireIds(tx, 'ticket', workspaceId, [parentId], 'parentId');
  await requireRoomForOne(
    tx,
    { table: 'ticket', workspaceId, column: 'parent_id', id: parentId, except: sql`false` },
    {
      most: LIMITS.ofTicket.children,
      path: 'parentId',
      says: 'children of a ticket. Choose another parent',
    },
  );
}

/** Returns the title that a request type's template makes; undefined without one, or without words. */
async function templatedTitle(
  tx: ServiceTx,
  workspaceId: string,
  type: RequestType | undefined,
  values: Record<string, unknown>,
  requesterId: string | null,
): Promise<string | undefined> {
  if (!type?.titleTemplate) return undefined;
  return fillTitleTemplate(type.titleTemplate, {
    fields: type.customFields.filter((field) => !field.private).map(({ customField }) => customField),
    values,
    requestType: type.name,
    requester: requesterId === null ? '' : await personName(tx, workspaceId, requesterId),
  });
}

async function personName(tx: ServiceTx, workspaceId: string, personId: string): Promise<string> {
  const person = await tx
    .selectFrom('person')
    .select(['first_name', 'last_name', 'email'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', personId)
    .where('erased_at', 'is', null)
    .executeTakeFirst();
  const names = [person?.first_name, person?.last_name].filter(Boolean).join(' ');
  return names || (person?.email ?? '');
}

/** The pair is unique: of two calls with it, the second waits here for the first, and then finds its ticket. */
async function writeThread(tx: ServiceTx, thread: Insertable<Tables['chat_thread']>): Promise<void> {
  const written = await tx
    .insertInto('chat_thread')
    .values(thread)
    .onConflict((existing) => existing.columns(['workspace_id', 'channel_id', 'message_ts']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!written) throw new Outdated('the chat pair of a ticket was stored meanwhile');
}

/** Adds the users of a new ticket, in this order. */
async function addPeople(
  tx: ServiceTx,
  table: 'ticket_approver' | 'ticket_follower',
  { workspaceId, id }: TicketKey,
  people: readonly string[],
): Promise<void> {
  if (people.length === 0) return;
  const rows = people.map((person, position) => ({
    workspace_id: workspaceId,
    ticket_id: id,
    person_id: person,
    position,
  }));
  await tx.insertInto(table).values(rows).execute();
}

async function addTags(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  tags: readonly string[],
): Promise<void> {
  if (tags.length === 0) return;
  const rows = tags.map((tag) => ({ workspace_id: workspaceId, ticket_id: id, tag_id: tag }));
  await tx.insertInto('ticket_tag').values(rows).execute();
}
