import { sql } from 'kysely';

import { ID_PREFIXES, type ParsedBody, type RequestType, type TicketDetail } from '../../contract/index.ts';
import { enqueueing } from '../../platform/jobs/index.ts';
import { defaultSource } from '../access/identity.ts';
import { isVisibleTo, viewerOf } from '../access/viewer.ts';
import { asksAgents } from '../answers/ask.ts';
import { ANSWERS, answerJob } from '../answers/jobs.ts';
import { deliveries } from '../delivery/store.ts';
import type { Caller, ServiceDb, Tools } from '../handler.ts';
import { instantOf } from '../instants.ts';
import type { NewEvent, Outbox } from '../outbox.ts';
import { found, ServiceProblem, unprocessable } from '../problem.ts';
import { noSuch, requireKnown } from '../references.ts';
import { fieldValues } from './custom-fields.ts';
import { dueTimes, isRunning, type QueueTargets, queueTargets } from './due-times.ts';
import { fillsField } from './fills-field.ts';
import { makeShortId } from './numbers.ts';
import { newTicketJson, tagJson, threadJson, ticketDetail } from './records.ts';
import { idsOfRefs } from './relations.ts';
import { requireRequestType } from './request-type.ts';
import { endsAfter } from './status-effects.ts';
import { kindOfStatus, type StoredStatus } from './statuses.ts';
import { titleFrom } from './title-template.ts';
import { titleOf } from './title.ts';

type Body = ParsedBody<'createTicket'>;
interface Context {
  tools: Tools;
  caller: Caller;
  now: Date;
}

interface Stored {
  ticket: TicketDetail;
  /** False if the chat pair was already stored: then nothing was written. */
  created: boolean;
}

/**
 * Stores a ticket with its event, in two statements: one reads what the ticket refers to, one writes. A chat pair that
 * is already stored returns that ticket. The pair is unique: of two calls with it, the second waits for the first,
 * takes no number and looks again.
 * @param outbox gets the event and the job for AI agents, as a part of the caller's transaction. Without one, the
 *   statement stores them itself.
 */
export async function createTicket(
  db: ServiceDb,
  context: Context,
  body: Body,
  outbox?: Outbox,
): Promise<Stored> {
  for (;;) {
    const place = await placeOf(db, context, body);
    requireMayOpenFor(context.caller, place, body);
    if (place.stored !== null) {
      const key = { workspaceId: place.workspace_id, id: place.stored };
      return { ticket: await ticketDetail(db, key, context.now), created: false };
    }
    const { rows } = await insertion(context, body, await rowOf(db, context, place, body), !outbox).execute(
      db,
    );
    const [written] = rows;
    if (!written) continue;
    const { ticket, event, asks_agents: asks } = written;
    outbox?.add(event);
    if (asks)
      outbox?.enqueue(answerJob({ workspaceId: place.workspace_id, ticketId: ticket.id, messageId: null }));
    return { ticket, created: true };
  }
}

/** The queue of a new ticket, and the records that it refers to. */
interface Place extends QueueTargets {
  workspace_id: string;
  queue_id: string;
  /** The ticket of the chat pair. */
  stored: string | null;
  /** The names of the known ones of its people, by their ids. */
  people: Record<string, string>;
  tags: string[];
  parents: string[];
  status: StoredStatus | null;
}

const NO_QUEUE = 'Name a queue: neither the request type nor the workspace has a default one';

/** The queue, and so the workspace, is the one named, the request type's, or the home workspace's. */
async function placeOf(db: ServiceDb, { caller }: Context, body: Body): Promise<Place> {
  const { workspaceIds, workspaceId, personId } = caller;
  const viewer = viewerOf(caller);
  const { requesterId, authorId, assigneeId, requestTypeId = null } = body;
  const people = [
    requesterId,
    authorId,
    assigneeId,
    personId,
    ...approversOf(body),
    ...idsOfRefs(body.followers),
  ];
  const { rows } = await sql<
    Omit<Place, 'workspace_id'> & { named: string | null; workspace_id: string | null }
  >`
    select n.queue_id as named, q.workspace_id, q.id as queue_id,
      (select c.ticket_id from chat_thread c where c.workspace_id = q.workspace_id
        and c.channel_id = ${body.chatChannelId || null} and c.message_ts = ${body.chatTimestamp || null}) as stored,
      (select coalesce(json_object_agg(p.id,
          coalesce(nullif(concat_ws(' ', nullif(p.first_name, ''), nullif(p.last_name, '')), ''), p.email, '')), '{}')
        from person p where p.workspace_id = q.workspace_id and p.id = any(${people}::text[])
          and p.erased_at is null) as people,
      array(select x.id from tag x where x.workspace_id = q.workspace_id and x.id = any(${idsOfRefs(body.tags)}::text[]))
        as tags,
      array(select t.id from ticket t where t.workspace_id = q.workspace_id and t.id = ${body.parentId ?? null}
        and ${viewer ? isVisibleTo(viewer) : sql`true`}) as parents,
      (select json_build_object('id', s.id, 'kind', g.kind, 'tiedTo', (
          select json_agg(x.request_type_id) from status_request_type x
          where x.workspace_id = s.workspace_id and x.status_id = s.id))
        from status s join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
        where s.workspace_id = q.workspace_id
          and case when n.status_id is null then g.kind = 'OPEN' else s.id = n.status_id end
        order by s.system desc, s.position limit 1) as status,
      ${queueTargets}
    from (
      select coalesce(${body.queueId ?? null}, r.default_queue_id, w.default_queue_id) as queue_id,
        coalesce(${body.statusId ?? null}, r.default_status_id) as status_id
      from workspace w
      left join request_type r on r.workspace_id = any(${workspaceIds}::text[]) and r.id = ${requestTypeId}
      where w.id = ${workspaceId}
    ) n
    left join queue q
      on q.workspace_id = any(${workspaceIds}::text[]) and q.id = n.queue_id and q.deleted_at is null`.execute(
    db,
  );
  const { named, ...place } = found(rows[0]);
  if (named === null) throw unprocessable('queueId', NO_QUEUE);
  if (place.workspace_id === null) throw noSuch('queue', named, 'queueId');
  return { ...place, workspace_id: place.workspace_id };
}

/** Throws 403 unless a signed-in person opens a ticket of their team, or for themselves. */
function requireMayOpenFor({ session, personId }: Caller, { queue_id: queueId }: Place, body: Body): void {
  const isOfTeam = session?.queueIds?.includes(queueId) ?? true;
  if (!isOfTeam && body.requesterId && body.requesterId !== personId)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only agents of this queue may open a ticket for another person. Leave requesterId out.',
    );
}

const approversOf = (body: Body) => [...new Set([...(body.approverIds ?? []), ...idsOfRefs(body.approvers)])];

interface NewTicket {
  /** Columns by their names, but for those that the queue gives. */
  columns: Record<string, unknown> & { workspace_id: string; queue_id: string; id: string };
  approvers: readonly string[];
  followers: readonly string[];
  tags: readonly string[];
}

/** Returns the fields of a new ticket; 422 if it refers to a record that the workspace lacks. */
async function rowOf(
  db: ServiceDb,
  { tools, caller, now }: Context,
  place: Place,
  body: Body,
): Promise<NewTicket> {
  const { workspace_id: workspaceId, queue_id: queueId } = place;
  const type = body.requestTypeId
    ? await requireRequestType(db, workspaceId, body.requestTypeId, 'requestTypeId')
    : undefined;
  const authorId = body.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  const requesterId = body.requesterId ?? authorId;
  const approvers = approversOf(body);
  const followers = idsOfRefs(body.followers);
  const known = Object.keys(place.people);
  for (const path of ['requesterId', 'authorId', 'assigneeId'] as const)
    requireKnown(known, 'person', body[path] ? [body[path]] : [], path);
  requireKnown(place.parents, 'ticket', body.parentId ? [body.parentId] : [], 'parentId');
  const named = body.statusId ?? type?.defaultStatusId;
  const kind = named ? kindOfStatus(place.status, named, body.requestTypeId ?? null) : 'OPEN';
  requireKnown(known, 'person', approvers, 'approverIds');
  requireKnown(known, 'person', followers, 'followers');
  requireKnown(place.tags, 'tag', idsOfRefs(body.tags), 'tags');
  const customFields = await fieldValues(db, {
    workspaceId,
    type,
    stored: {},
    given: body.customFields ?? {},
    fills: (field) => fillsField(field, { ...body, requesterId }),
    path: 'customFields',
  });
  const priority = body.priority ?? type?.defaultPriority ?? 'MEDIUM';
  const ends = { ...endsAfter(kind, { resolved_at: null, closed_at: null }, now), archived_at: null };
  const columns = {
    workspace_id: workspaceId,
    id: tools.newId(ID_PREFIXES.ticket),
    queue_id: queueId,
    short_id: makeShortId(tools.random),
    title: titleOf(
      body.title?.trim() ? body.title : templated(type, customFields, place, requesterId),
      body.description,
    ),
    description: body.description ?? null,
    priority,
    published: body.published ?? true,
    private: body.private ?? false,
    source: body.source ?? defaultSource(caller),
    requester_id: requesterId,
    author_id: authorId,
    assignee_id: body.assigneeId ?? null,
    status_id: place.status?.id,
    request_type_id: body.requestTypeId ?? null,
    parent_id: body.parentId ?? null,
    disable_ai_response: body.disableAIResponse ?? false,
    assigned_ai_agent: body.assignedAIAgent ?? null,
    chat_channel_id: body.chatChannelId || null,
    custom_fields: customFields,
    published_at: (body.published ?? true) ? now : null,
    due_at: instantOf(body.dueAt) ?? null,
    snooze_until: (isRunning(ends) && instantOf(body.snoozeUntil)) || null,
    start_at: instantOf(body.startAt) ?? null,
    ...ends,
    ...dueTimes(place, { ...ends, priority, created_at: now, responded_at: null }),
    created_at: now,
    updated_at: now,
    updated_by: authorId,
    stamped_at: now,
  };
  return { columns, approvers, followers, tags: idsOfRefs([...(body.tags ?? []), ...(type?.tags ?? [])]) };
}

function templated(
  type: RequestType | undefined,
  values: Record<string, unknown>,
  { people }: Place,
  requesterId: string | null,
): string | undefined {
  if (!type?.titleTemplate) return undefined;
  return titleFrom(type.titleTemplate, {
    fields: type.customFields.map(({ customField }) => customField),
    values,
    requestType: type.name,
    requester: (requesterId !== null && people[requesterId]) || '',
  });
}

interface Written {
  ticket: TicketDetail;
  event: NewEvent;
  asks_agents: boolean;
}

/**
 * Returns the statement that stores a ticket with all that hangs on it. The queue's row is locked from `numbered` on
 * until the transaction ends, so numbers are consecutive: a rollback gives its number back.
 */
function insertion(
  { tools: { newId }, caller, now }: Context,
  body: Body,
  { columns, approvers, followers, tags }: NewTicket,
  isAlone: boolean,
) {
  const { workspace_id: workspaceId, queue_id: queueId, id } = columns;
  const pair =
    body.chatChannelId && body.chatTimestamp ? [body.chatChannelId, body.chatTimestamp] : undefined;
  const refs = (ids: readonly string[]) => sql`${JSON.stringify(ids.map((each) => ({ id: each })))}::json`;
  const people = (table: 'ticket_approver' | 'ticket_follower', ids: readonly string[]) => sql`
      insert into ${sql.table(table)} (workspace_id, ticket_id, person_id, position)
      select t.workspace_id, t.id, p.id, p.place - 1
      from made t, unnest(${ids}::text[]) with ordinality as p (id, place)`;
  const parts = [
    ...(pair
      ? [
          sql`thread as (
      insert into chat_thread (workspace_id, id, ticket_id, type, channel_id, message_ts, created_at, updated_at)
      values (${workspaceId}, ${newId(ID_PREFIXES.chatThread)}, ${id}, 'REQUEST', ${pair[0]}, ${pair[1]}, ${now}, ${now})
      on conflict (workspace_id, channel_id, message_ts) do nothing
      returning *)`,
        ]
      : []),
    sql`numbered as (
      update queue set last_number = last_number + 1, next_assignee = next_assignee + 1
      where workspace_id = ${workspaceId} and id = ${queueId} ${pair ? sql`and exists (select from thread)` : sql``}
      returning last_number as number, ${asksAgents} as asks_agents,
        auto_assignees[(next_assignee - 1) % nullif(cardinality(auto_assignees), 0) + 1] as assignee_id)`,
    sql`made as (
      insert into ticket
      select t.* from (
        select number, coalesce(${body.assigneeId ?? null}, assignee_id) as assignee_id from numbered
      ) n, jsonb_populate_record(null::ticket, ${JSON.stringify(columns)}::jsonb || jsonb_build_object('number', n.number,
        'assignee_id', n.assignee_id, 'assigned_at', case when n.assignee_id is not null then ${now}::timestamptz end)) t
      returning *)`,
    sql`reference as (
      insert into ticket_reference (workspace_id, queue_id, number, ticket_id)
      select workspace_id, queue_id, number, id from made)`,
    ...(approvers.length > 0 ? [sql`approver as (${people('ticket_approver', approvers)})`] : []),
    ...(followers.length > 0 ? [sql`follower as (${people('ticket_follower', followers)})`] : []),
    ...(tags.length > 0
      ? [
          sql`tagged as (
      insert into ticket_tag (workspace_id, ticket_id, tag_id)
      select t.workspace_id, t.id, tag.id from made t, unnest(${tags}::text[]) as tag (id))`,
        ]
      : []),
    sql`record as (
      select t.ticket, json_build_object('type', 'Ticket', 'action', 'created', 'workspaceId', t.workspace_id,
        'actor', json_build_object('userId', t.author_id, 'source', t.source),
        'data', t.ticket,
        'ticket', json_build_object('id', t.id, 'code', t.ticket ->> 'code', 'queueId', t.queue_id),
        'changes', null) as event
      from (select t.*, ${newTicketJson({
        approvers: refs(approvers),
        followers: refs(followers),
        chatThreads: pair ? sql`(select json_agg(${threadJson}) from thread x)` : sql`'[]'::json`,
        csat: sql`'[]'::json`,
        children: sql`'[]'::json`,
        files: sql`'[]'::json`,
        tags: sql`(select coalesce(json_agg(${tagJson} order by x.name), '[]')
          from tag x where x.workspace_id = t.workspace_id and x.id = any(${tags}::text[]))`,
      })} as ticket from made t) t)`,
    sql`question as (
      select ${sql.lit(ANSWERS)} as queue, t.id as ordering_key,
        jsonb_build_object('workspaceId', t.workspace_id, 'ticketId', t.id, 'messageId', null) as payload
      from made t join numbered n on n.asks_agents where t.requester_id is not null)`,
  ];
  if (!isAlone)
    return sql<Written>`with ${sql.join(parts)}
      select ticket, event, exists (select from question) as asks_agents from record`;
  return sql<Written>`with ${sql.join(parts)}, written_event as (
      select ${newId(ID_PREFIXES.event)} as id, event, null::text as webhook_id from record
    ), ${deliveries({ newId, now, caller })}, added_job as (
      select * from attempt union all select * from question
    )
    select ticket, (select ${enqueueing([], 'added_job')} where exists (select from added_job)) from record`;
}
