import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import type { TicketKey } from '../tickets/find.ts';

/** Who wrote a message: `agent` is an AI agent, `other` another program. */
export type MessageAuthor = 'requester' | 'team' | 'agent' | 'other';

/** Who wrote a message `m` of a ticket `t`. */
export const authorKind = sql<MessageAuthor>`case
  when m.ai_agent_id is not null or m.source = 'AGENT' then 'agent'
  when m.author_id is null or m.source in ('WORKFLOW', 'SLA', 'SYSTEM') then 'other'
  when m.author_id = t.requester_id then 'requester'
  when exists (select from person p where p.workspace_id = m.workspace_id and p.id = m.author_id and p.is_bot)
    or exists (select from api_key k where k.person_id = m.author_id) then 'other'
  else 'team' end`;

/** Returns who wrote a public message; undefined if it is private, deleted or gone. */
export async function authorOf(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
  messageId: string,
): Promise<MessageAuthor | undefined> {
  const { rows } = await sql<{ author: MessageAuthor }>`
    select ${authorKind} as author from ticket_message m
    join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${id} and m.id = ${messageId}
      and not m.private and m.deleted_at is null`.execute(db);
  return rows[0]?.author;
}

/** Returns the first public message of somebody since an instant. */
export async function replySince(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
  { from, since }: { from: MessageAuthor; since: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select m.id from ticket_message m
    join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${id} and m.created_at > ${since}
      and not m.private and m.deleted_at is null and ${authorKind} = ${from}
    order by m.created_at, m.id limit 1`.execute(db);
  return rows[0]?.id;
}
