import { type RawBuilder, sql } from 'kysely';

import type { Queue, QueueReaders, QueueVisibility, TicketReaders } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { isMember } from './team.ts';
import { isOpenTo, isVisibleTo, viewerOfRow } from './viewer.ts';

interface QueueKey {
  workspaceId: string;
  queueId: Queue['id'];
}

/** Returns what a switch of a queue to another visibility would change, before it happens. */
export async function queueReadersWith(
  db: ServiceDb,
  key: QueueKey,
  visibility: QueueVisibility,
): Promise<QueueReaders> {
  const [before, after] = [await queueReaders(db, key, null), await queueReaders(db, key, visibility)];
  const { workspaceId, queueId } = key;
  const { rows } = await sql<{ kind: 'member' | 'key' | 'webhook'; id: string; name: string | null }>`
    select 'member' as kind, member.id, null as name from person member
      join queue q on q.workspace_id = member.workspace_id and q.id = ${queueId}
      where member.workspace_id = ${workspaceId} and ${isThere('member')} and ${isMember}
    union all select 'key', k.id, k.name from api_key k
      where k.workspace_id = ${workspaceId} and k.revoked_at is null and ${readsQueue('k', queueId)}
    union all select 'webhook', w.id, w.name from webhook w
      where w.workspace_id = ${workspaceId} and w.active and ${readsQueue('w', queueId)}
    order by 1, 2`.execute(db);
  const of = (kind: (typeof rows)[number]['kind']) =>
    rows.flatMap((row) => (row.kind === kind ? [{ id: row.id, name: row.name }] : []));
  return {
    ...difference(before, after),
    members: of('member').length,
    keys: of('key'),
    webhooks: of('webhook'),
  };
}

/** Returns what a move of a ticket to another queue would change, before it happens. */
export async function ticketReadersIn(
  db: ServiceDb,
  ticket: { workspaceId: string; id: string },
  queueId: string,
): Promise<TicketReaders> {
  const readers = async (queue: RawBuilder<string>) => {
    const { rows } = await sql<{ id: string }>`
      select p.id from person p cross join (
        select workspace_id, id, private, requester_id, author_id, assignee_id, ${queue} as queue_id
        from ticket where workspace_id = ${ticket.workspaceId} and id = ${ticket.id}) t
      where p.workspace_id = ${ticket.workspaceId} and ${isThere('p')} and ${isVisibleTo(viewerOfRow('p'))}`.execute(
      db,
    );
    return new Set(rows.map(({ id }) => id));
  };
  return difference(await readers(sql`queue_id`), await readers(sql`${queueId}::text`));
}

/** People who read the queue's tickets that are not private. The rule reads the queue as it would be. */
async function queueReaders(
  db: ServiceDb,
  { workspaceId, queueId }: QueueKey,
  visibility: QueueVisibility | null,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    with queue as (
      select workspace_id, id, auto_assignees,
        case when id = ${queueId} then coalesce(${visibility}, visibility) else visibility end as visibility
      from queue)
    select p.id from person p cross join (select ${queueId}::text as queue_id) t
    where p.workspace_id = ${workspaceId} and ${isThere('p')} and ${isOpenTo(viewerOfRow('p'))}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

function isThere(row: string): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${row}.${column}`);
  return sql<boolean>`(${of('deactivated_at')} is null and ${of('erased_at')} is null and not ${of('is_bot')})`;
}

/** A key or webhook of this row reads the tickets of a queue. */
function readsQueue(row: string, queueId: string): RawBuilder<boolean> {
  const queueIds = sql.ref(`${row}.queue_ids`);
  return sql<boolean>`(${queueIds} is null or ${queueId} = any(${queueIds}))`;
}

function difference(before: ReadonlySet<string>, after: ReadonlySet<string>): TicketReaders {
  const without = (these: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...these].filter((id) => !others.has(id)).length;
  return { gain: without(after, before), lose: without(before, after) };
}
