import { sql } from 'kysely';

import { ID_PREFIXES, type Seen, type TicketDetail } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';

/** The facts about a ticket's change that decide who is notified. */
export interface ChangeFacts {
  before: Seen;
  now: Seen;
  followers: string[];
  addedApprovers: string[];
  actorId: string | null;
  decidedBy: string | null;
}

interface NotableChange {
  workspace_id: string;
  id: string;
  ticket_id: string;
  facts: ChangeFacts;
}

const NOTABLE: readonly (keyof TicketDetail)[] = [
  'assigneeId',
  'statusId',
  'approvedAt',
  'declinedAt',
  'approvers',
];

/** Returns the changes among the events of a write that people may have to be notified of. */
export function notableChanges({ events, actorId, ofReplies }: Outbox, newId: NewId): NotableChange[] {
  return events.flatMap((event) => {
    if (event.type !== 'Ticket' || event.changes === null || ofReplies.has(event)) return [];
    const { changes, data, actor, workspaceId } = event;
    if (!NOTABLE.some((field) => field in changes)) return [];
    const before = (field: (typeof NOTABLE)[number]) =>
      field in changes ? (changes[field] as [unknown, unknown])[0] : data[field];
    const asked = new Set((before('approvers') as { id: string }[]).map(({ id }) => id));
    const facts: ChangeFacts = {
      before: {
        assigneeId: before('assigneeId') as string | null,
        statusId: before('statusId') as string,
        isDecided: before('approvedAt') !== null || before('declinedAt') !== null,
      },
      now: {
        assigneeId: data.assigneeId,
        statusId: data.statusId,
        isDecided: data.approvedAt !== null || data.declinedAt !== null,
      },
      followers: data.followers.map(({ id }) => id),
      addedApprovers: data.approvers.map(({ id }) => id).filter((id) => !asked.has(id)),
      actorId: actorId ?? actor.userId,
      decidedBy: data.metadata.approval?.userId ?? null,
    };
    return [{ workspace_id: workspaceId, id: newId(ID_PREFIXES.event), ticket_id: data.id, facts }];
  });
}

/** Stores the notable changes of a write, if the workspace has agents or admins at all. */
export async function noteChanges(
  tx: ServiceTx,
  changes: readonly NotableChange[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into notification_change (workspace_id, id, ticket_id, facts, created_at)
    select c.workspace_id, c.id, c.ticket_id, c.facts, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(changes)}::json)
      as c (workspace_id text, id text, ticket_id text, facts jsonb)
    where exists (select from person p where p.workspace_id = c.workspace_id and p.role <> 'requester')`.execute(
    tx,
  );
}
