import { sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { NewWork } from '../../platform/engine/index.ts';
import type { ServiceTx } from '../handler.ts';
import type { NewEvent, Outbox } from '../outbox.ts';
import { type ChangeEvent, COMPARED, eventWork, type TriggerEvent } from './kinds.ts';

/**
 * Returns the work that the events of a write make for workflows, where there is a trigger for them or a run that waits for
 * the ticket. A step that begins to wait has locked the ticket, as this write has: one of the two sees the other.
 */
export async function workflowWork(
  tx: ServiceTx,
  { newId, now }: { newId: NewId; now: Date },
  { events, chain }: Outbox,
): Promise<NewWork[]> {
  const changes = events.flatMap((event) => {
    const triggers = triggersBy(event);
    return triggers.length === 0 ? [] : [{ event, triggers }];
  });
  if (changes.length === 0) return [];
  const rows = changes.flatMap(({ event, triggers }, place) =>
    triggers.flatMap((trigger) =>
      [event.ticket.id, ...parentsOf(event)].map((ticketId) => ({ place, trigger, event, ticketId })),
    ),
  );
  const { rows: wanted } = await sql<{ place: number; activation: number }>`
    select distinct e.place, (select last_value from workflow_activation) as activation from unnest(
      ${rows.map(({ place }) => place)}::integer[],
      ${rows.map(({ trigger }) => trigger)}::text[],
      ${rows.map(({ event }) => event.workspaceId)}::text[],
      ${rows.map(({ ticketId }) => ticketId)}::text[]
    ) as e (place, event, workspace_id, ticket_id)
    where exists (select from workflow_trigger g where g.workspace_id = e.workspace_id and g.event = e.event)
      or exists (select from workflow_wait w
        where w.workspace_id = e.workspace_id and w.ticket_id = e.ticket_id and w.event not in ('time', 'chat'))
      or exists (select from ticket t join workflow_wait w on w.workspace_id = t.workspace_id and w.ticket_id = t.id
        where t.workspace_id = e.workspace_id and t.merged_into_id = e.ticket_id and w.event = 'reply')`.execute(
    tx,
  );
  const activations = new Map(wanted.map(({ place, activation }) => [place, activation]));
  return changes.flatMap(({ event, triggers }, place) => {
    const activation = activations.get(place);
    if (activation === undefined) return [];
    return eventWork({
      workspaceId: event.workspaceId,
      eventId: newId(ID_PREFIXES.event),
      at: instantOf(event, now),
      activation,
      events: triggers,
      ticketId: event.ticket.id,
      parentIds: parentsOf(event),
      messageId: event.type === 'Message' ? event.data.id : null,
      fields: Object.keys(event.changes ?? {}),
      values: valuesOf(event),
      chain: [...chain],
    } satisfies ChangeEvent);
  });
}

/** Returns when an event happened: two changes of a ticket are never of the same instant (`nextStamp`). */
function instantOf(event: NewEvent, now: Date): string {
  const at = now.toISOString();
  return event.type === 'Ticket' && event.data.updatedAt > at ? event.data.updatedAt : at;
}

/** Returns the old and the new value of the fields that a trigger may compare. */
function valuesOf({ changes }: NewEvent): ChangeEvent['values'] {
  const textOf = (value: unknown) =>
    typeof value === 'string' || typeof value === 'boolean' ? String(value) : null;
  return Object.fromEntries(
    COMPARED.flatMap((field) => {
      const change = changes?.[field];
      return change ? [[field, [textOf(change[0]), textOf(change[1])]]] : [];
    }),
  );
}

/** Returns the parent of the ticket that an event is about, and its former one if that changed. */
function parentsOf(event: NewEvent): string[] {
  if (event.type !== 'Ticket') return [];
  const [former] = event.changes?.['parentId'] ?? [];
  return [event.data.parentId, former].filter((id) => typeof id === 'string');
}

/** Returns what an event is for workflows. What a workflow writes on a ticket is no message of anybody. */
function triggersBy(event: NewEvent): TriggerEvent[] {
  if (event.type === 'Message') {
    const { private: isNote, source } = event.data;
    return event.action === 'created' && !isNote && source !== 'WORKFLOW' ? ['message.created'] : [];
  }
  switch (event.action) {
    case 'created':
      return ['ticket.created'];
    case 'warned':
      return [(event.warning?.percent ?? 0) < 100 ? 'ticket.due-soon' : 'ticket.overdue'];
    case 'chat-requested':
      return [];
    case 'archived':
      return ['ticket.updated'];
    case 'updated': {
      const has = (field: string) => event.changes !== null && field in event.changes;
      return [
        'ticket.updated',
        ...(has('approvedAt') || has('declinedAt') ? (['approval.decided'] as const) : []),
        ...(has('csat') ? (['ticket.rated'] as const) : []),
      ];
    }
  }
}
