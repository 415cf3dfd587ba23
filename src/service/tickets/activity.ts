import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import {
  type ActivityActor,
  type ActivityValue,
  ID_PREFIXES,
  type TicketActivity,
  type TicketDetail,
  type TicketLink,
} from '../../contract/index.ts';
import { visibleAmong } from '../access/ticket-access.ts';
import { readsNotes, viewerOf } from '../access/viewer.ts';
import { actorOf } from '../audit/write.ts';
import type { Caller, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import type { Tables } from '../schema/tables.ts';
import type { TicketKey } from './find.ts';

/** Entries of one answer; older ones stay stored. */
const SHOWN = 1_000;

/** Fields of a ticket whose changes people look up, besides its tags, approvers, approval and links. */
const FIELDS = [
  'statusId',
  'assigneeId',
  'priority',
  'queueId',
  'title',
  'dueAt',
  'snoozeUntil',
  'private',
  'requestTypeId',
  'requesterId',
  'authorId',
  'mergedIntoId',
  'archivedAt',
  'slaPausedAt',
] as const satisfies readonly (keyof TicketDetail)[];

/** A change of one field; values are ids or texts. */
export interface Change {
  kind: Tables['ticket_activity']['kind'];
  field: string;
  from: string | null;
  to: string | null;
}

/** Records whose ids an activity names. */
type Named =
  | 'person'
  | 'status'
  | 'queue'
  | 'request_type'
  | 'tag'
  | 'ticket'
  | 'api_key'
  | 'ai_agent'
  | 'custom_field'
  | 'workflow';

/** The kind of record that a field's values reference; all other values are texts. */
const NAMED_BY: Record<string, Named> = {
  statusId: 'status',
  queueId: 'queue',
  requestTypeId: 'request_type',
  tags: 'tag',
  assigneeId: 'person',
  requesterId: 'person',
  authorId: 'person',
  approvers: 'person',
  customFields: 'custom_field',
  // Whose words another person changed.
  messageEdited: 'person',
  messageShared: 'person',
  messageHidden: 'person',
  messageDeleted: 'person',
  fileDeleted: 'person',
  mergedIntoId: 'ticket',
  mergedFrom: 'ticket',
  related: 'ticket',
  duplicate: 'ticket',
  'duplicated-by': 'ticket',
  blocks: 'ticket',
  'blocked-by': 'ticket',
};

/** The name of a record that was deleted since. */
const DELETED: Record<Named, string> = {
  person: 'Deleted user',
  status: 'Deleted status',
  queue: 'Deleted queue',
  request_type: 'Deleted request type',
  tag: 'Deleted tag',
  ticket: 'Deleted ticket',
  api_key: 'Deleted API key',
  ai_agent: 'AI agent',
  custom_field: 'Deleted field',
  workflow: 'Deleted workflow',
};

/** Who changes a ticket: the caller, or the user for whom a key does it. */
export interface Acting {
  tools: Pick<Tools, 'newId'>;
  caller: Caller;
  actorId?: string | null | undefined;
}

/**
 * Stores what a write changed, in its transaction: one row per field, tag, approver and link. One statement; none if
 * nothing that people look up changed.
 * @param more changes that the two records do not show.
 */
export async function recordActivity(
  tx: ServiceTx,
  { tools, caller, actorId }: Acting,
  workspaceId: string,
  [before, after]: readonly [TicketDetail, TicketDetail],
  more: readonly Change[] = [],
): Promise<void> {
  const place = { ticket: { workspaceId, id: after.id }, at: new Date(after.updatedAt) };
  await storeChanges(tx, { tools, caller, actorId }, place, [...changesOf(before, after), ...more]);
}

/** Stores entries of a ticket's activity; one statement, none without changes. */
export async function storeChanges(
  tx: ServiceTx,
  { tools, caller, actorId }: Acting,
  { ticket, at }: { ticket: TicketKey; at: Date },
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const actor = await actingAs(tx, caller, ticket.workspaceId, actorId);
  await tx
    .insertInto('ticket_activity')
    .values(
      changes.map(({ kind, field, from, to }) => ({
        workspace_id: ticket.workspaceId,
        id: tools.newId(ID_PREFIXES.ticketActivity),
        ticket_id: ticket.id,
        kind,
        field,
        old_value: from,
        new_value: to,
        at,
        actor_kind: actor.kind,
        actor_id: actor.id,
      })),
    )
    .execute();
}

function changesOf(before: TicketDetail, after: TicketDetail): Change[] {
  const changes: Change[] = [];
  for (const field of FIELDS) {
    const [from, to] = [valueText(before[field]), valueText(after[field])];
    // The end of a ticket ends its pause: its clocks do not go on.
    if (field === 'slaPausedAt' && to === null && hasEnded(after)) continue;
    if (from !== to) changes.push({ kind: changeKind(field, to), field, from, to });
  }
  // Only that it changed: a text may be long, and an answer private.
  if (before.description !== after.description)
    changes.push({ kind: 'changed', field: 'description', from: null, to: null });
  for (const key of new Set([...Object.keys(before.customFields), ...Object.keys(after.customFields)]))
    if (!isDeepStrictEqual(before.customFields[key] ?? null, after.customFields[key] ?? null))
      changes.push({ kind: 'changed', field: 'customFields', from: null, to: key });
  for (const field of ['tags', 'approvers'] as const) {
    const [old, now] = [idsIn(before[field]), idsIn(after[field])];
    for (const id of old) if (!now.has(id)) changes.push({ kind: 'changed', field, from: id, to: null });
    for (const id of now) if (!old.has(id)) changes.push({ kind: 'changed', field, from: null, to: id });
  }
  const { approval } = after.metadata;
  if (approval && !isDeepStrictEqual(before.metadata.approval, approval))
    changes.push({ kind: 'changed', field: 'approval', from: null, to: approval.decision });
  const has = (links: readonly TicketLink[], { id }: TicketLink) => links.some((link) => link.id === id);
  for (const link of before.links)
    if (!has(after.links, link))
      changes.push({ kind: 'unlinked', field: relationOf(link), from: link.ticket.id, to: null });
  for (const link of after.links)
    if (!has(before.links, link))
      changes.push({ kind: 'linked', field: relationOf(link), from: null, to: link.ticket.id });
  return changes;
}

function hasEnded({ resolvedAt, closedAt, archivedAt }: TicketDetail): boolean {
  return [resolvedAt, closedAt, archivedAt].some((at) => at !== null);
}

function changeKind(field: string, to: string | null): Change['kind'] {
  if (field !== 'mergedIntoId') return 'changed';
  return to === null ? 'unmerged' : 'merged';
}

const idsIn = (records: readonly { id: string }[]) => new Set(records.map(({ id }) => id));

function valueText(value: string | boolean | null): string | null {
  return value === null ? null : String(value);
}

/** The relation as the ticket that shows the link has it. */
function relationOf({ kind, direction }: TicketLink): string {
  if (kind === 'related' || direction === 'out') return kind;
  return kind === 'blocks' ? 'blocked-by' : 'duplicated-by';
}

type Actor = Pick<ActivityActor, 'kind' | 'id'>;

/** Returns who writes to a ticket. */
export async function actingAs(
  tx: ServiceTx,
  caller: Caller,
  workspaceId: string,
  actorId: string | null | undefined,
): Promise<Actor> {
  if (caller.workflowId !== undefined) return { kind: 'workflow', id: caller.workflowId };
  if (caller.agent) return { kind: 'agent', id: caller.agent.id };
  const actor = actorOf(caller);
  if (actor && 'personId' in actor) return { kind: 'person', id: actor.personId };
  if (!actor) return caller.source === 'AGENT' ? { kind: 'agent', id: actorId ?? null } : SYSTEM;
  if (!actorId) return { kind: 'key', id: actor.keyId };
  const person = await tx
    .selectFrom('person')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', actorId)
    .executeTakeFirst();
  return person ? { kind: 'person', id: person.id } : { kind: 'key', id: actor.keyId };
}

const SYSTEM: Actor = { kind: 'system', id: null };
const ACTOR_TABLE = { person: 'person', key: 'api_key', agent: 'ai_agent', workflow: 'workflow' } as const;

/** Returns a ticket's activity as the caller may see it, oldest first; its creation is read from the ticket. */
export async function activityOf(
  db: ServiceDb,
  caller: Caller,
  { workspaceId, ticket }: { workspaceId: string; ticket: TicketDetail },
): Promise<TicketActivity[]> {
  const viewer = viewerOf(caller);
  // That an admin opened the ticket, or an AI agent used a tool, is for its team, as its internal notes are.
  const readsAll = viewer ? (readsNotes(viewer) ?? sql<boolean>`false`) : sql<boolean>`true`;
  const rows = await db
    .selectFrom('ticket_activity')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', ticket.id)
    .where(
      sql<boolean>`(kind not in ('opened', 'called') or exists (select from ticket t
      where t.workspace_id = ${workspaceId} and t.id = ${ticket.id} and ${readsAll}))`,
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN - 1)
    .execute();
  const entries = rows.toReversed().map((row) => ({
    id: row.id,
    at: iso(row.at),
    kind: row.kind,
    field: row.field,
    actor: { kind: row.actor_kind, id: row.actor_id },
    from: row.old_value,
    to: row.new_value,
  }));
  // Who created the ticket stays so, whoever is its author now.
  const changed = entries.find(({ field }) => field === 'authorId');
  const authorId = changed ? changed.from : ticket.authorId;
  const author: Actor = authorId === null ? SYSTEM : { kind: 'person', id: authorId };
  const names = await namesOf(
    db,
    caller,
    workspaceId,
    [author, ...entries.map(({ actor }) => actor)],
    entries.flatMap(({ field, from, to }) => [
      [field, from],
      [field, to],
    ]),
  );
  return [
    {
      id: ticket.id,
      at: ticket.createdAt,
      actor: names.actor(author),
      kind: 'created',
      field: null,
      from: null,
      to: null,
    },
    ...entries.map(({ actor, from, to, ...entry }) => ({
      ...entry,
      actor: names.actor(actor),
      from: names.value(entry.field, from),
      to: names.value(entry.field, to),
    })),
  ];
}

/**
 * Returns who last changed a field of a ticket, and its value with its name; `by` is null if that was not recorded. The
 * value of a custom field is its key: the activity does not keep answers.
 */
export async function lastChangeOf(
  db: ServiceDb,
  caller: Caller,
  { workspaceId, id }: { workspaceId: string; id: string },
  { field, value }: { field: string; value: string | null },
): Promise<{ by: ActivityActor | null; value: ActivityValue | null }> {
  let changes = db
    .selectFrom('ticket_activity')
    .select(['actor_kind', 'actor_id'])
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .where('field', '=', field);
  if (field === 'customFields') changes = changes.where('new_value', '=', value);
  const row = await changes.orderBy('at', 'desc').orderBy('id', 'desc').executeTakeFirst();
  const actor = row && { kind: row.actor_kind, id: row.actor_id };
  const names = await namesOf(db, caller, workspaceId, actor ? [actor] : [], [[field, value]]);
  return { by: actor ? names.actor(actor) : null, value: names.value(field, value) };
}

interface Names {
  actor: (actor: Actor) => ActivityActor;
  value: (field: string, value: string | null) => ActivityValue | null;
}

/** Reads the present names of actors and values, in one statement; tickets that the caller does not see have none. */
export async function namesOf(
  db: ServiceDb,
  caller: Caller,
  workspaceId: string,
  actors: readonly Actor[],
  values: readonly (readonly [field: string, value: string | null])[],
): Promise<Names> {
  const ids = new Map<Named, Set<string>>();
  const want = (table: Named | undefined, id: string | null) => {
    if (table && id !== null) ids.set(table, (ids.get(table) ?? new Set()).add(id));
  };
  for (const { kind, id } of actors) if (kind !== 'system') want(ACTOR_TABLE[kind], id);
  for (const [field, value] of values) want(NAMED_BY[field], value);
  const tickets = [...(ids.get('ticket') ?? [])];
  const visible = new Set(await visibleAmong(db, caller, [workspaceId], tickets));
  const of = (table: Named) =>
    sql`x.workspace_id = ${workspaceId} and x.id = any(${[...(ids.get(table) ?? [])]}::text[])`;
  const { rows } = await sql<{ table: Named; id: string; name: string }>`
    select 'person' as table, x.id, concat_ws(' ', x.first_name, x.last_name) as name from person x where ${of('person')}
    union all select 'status', x.id, x.label from status x where ${of('status')}
    union all select 'queue', x.id, x.name from queue x where ${of('queue')}
    union all select 'request_type', x.id, x.name from request_type x where ${of('request_type')}
    union all select 'tag', x.id, x.name from tag x where ${of('tag')}
    union all select 'custom_field', x.key, x.label from custom_field x
      where x.workspace_id = ${workspaceId} and x.key = any(${[...(ids.get('custom_field') ?? [])]}::text[])
    union all select 'ai_agent', x.id, x.name from ai_agent x where ${of('ai_agent')}
    union all select 'api_key', x.id, x.name from api_key x where ${of('api_key')}
    union all select 'workflow', x.id, 'Workflow: ' || x.name from workflow x where ${of('workflow')}
    union all select 'ticket', x.id, q.prefix || '-' || x.number from ticket x
      join queue q on q.workspace_id = x.workspace_id and q.id = x.queue_id where ${of('ticket')}`.execute(
    db,
  );
  const found = new Map(rows.map(({ table, id, name }) => [`${table} ${id}`, name]));
  // Programs may store fields that nobody defined.
  const withoutRecord = (table: Named, id: string) => (table === 'custom_field' ? id : DELETED[table]);
  const nameOf = (table: Named, id: string) => found.get(`${table} ${id}`) ?? withoutRecord(table, id);
  return {
    actor: ({ kind, id }) => {
      if (kind === 'system') return { kind, id, name: 'System' };
      const table = ACTOR_TABLE[kind];
      return { kind, id, name: id === null ? DELETED[table] : nameOf(table, id) };
    },
    value: (field, value) => {
      const table = NAMED_BY[field];
      if (value === null || table === undefined) return value;
      if (table === 'ticket' && !visible.has(value)) return 'another ticket';
      return { id: value, name: nameOf(table, value) };
    },
  };
}
