import { sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { viewerOfRow } from '../access/viewer.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { Decided } from './decide.ts';
import { mayBeTold } from './readable.ts';

/**
 * Stores notifications, each once: of active agents and admins who see the ticket, and its internal notes if it is
 * about one.
 */
export async function storeNotifications(
  tx: ServiceDb | ServiceTx,
  workspaceId: string,
  newId: NewId,
  decided: readonly Decided[],
): Promise<void> {
  if (decided.length === 0) return;
  const rows = decided.map((one) => ({ ...one, id: newId(ID_PREFIXES.notification) }));
  await sql`
    insert into notification (workspace_id, id, person_id, kind, ticket_id, message_id, source_id, actor_id, created_at)
    select ${workspaceId}, d.id, d.person_id, d.kind, d.ticket_id, d.message_id, d.source_id, d.actor_id, d.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as d (id text, person_id text, kind text, ticket_id text,
      message_id text, source_id text, actor_id text, at timestamptz)
    join person p on p.workspace_id = ${workspaceId} and p.id = d.person_id and p.role <> 'requester' and not p.is_bot
      and p.deactivated_at is null and p.erased_at is null
    join ticket t on t.workspace_id = ${workspaceId} and t.id = d.ticket_id
    left join ticket_message m on m.workspace_id = ${workspaceId} and m.id = d.message_id
    where ${mayBeTold(viewerOfRow('p'), 'd.kind')}
    order by d.id
    on conflict (workspace_id, person_id, source_id, kind) do nothing`.execute(tx);
}

/** Tells people of something about a ticket that nobody did. */
export async function tellPeople(
  tx: ServiceTx,
  workspaceId: string,
  people: Iterable<string>,
  { kind, ticketId, sourceId }: { kind: Decided['kind']; ticketId: string; sourceId: string },
  { newId, now }: { newId: NewId; now: Date },
): Promise<void> {
  const about = { kind, ticket_id: ticketId, message_id: null, source_id: sourceId, actor_id: null, at: now };
  const told = [...new Set(people)].map((person_id) => ({ person_id, ...about }));
  await storeNotifications(tx, workspaceId, newId, told);
}
