import { sql } from 'kysely';

import type { TicketMessage } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, isoOrNull, jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { found } from '../problem.ts';

const chatMessages = sql<TicketMessage['chatMessages']>`(
  select coalesce(json_agg(json_build_object(
    'id', x.id, 'ts', x.ts, 'channelId', x.channel_id, 'teamId', x.team_id, 'ticketMessageId', x.ticket_message_id,
    'threadId', x.thread_id, 'createdAt', ${jsonInstant('x.created_at')}, 'updatedAt', ${jsonInstant('x.updated_at')}
  ) order by x.id), '[]')
  from chat_message x where x.workspace_id = m.workspace_id and x.ticket_message_id = m.id)`;

const reactions = sql<TicketMessage['reactions']>`(
  select coalesce(json_agg(json_build_object(
    'id', x.id, 'emoji', x.emoji, 'authorId', x.author_id, 'ticketMessageId', x.ticket_message_id) order by x.id), '[]')
  from reaction x where x.workspace_id = m.workspace_id and x.ticket_message_id = m.id)`;

/** Returns one ticket message; 404 if there is none. */
export async function messageRecord(db: ServiceDb, workspaceId: string, id: string): Promise<TicketMessage> {
  return found((await messageRecords(db, [workspaceId], [id]))[0]);
}

/** Ticket messages by id, in the order of `ids`. */
export async function messageRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<TicketMessage[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('ticket_message as m')
    .leftJoin('person as a', (join) =>
      join.onRef('a.workspace_id', '=', 'm.workspace_id').onRef('a.id', '=', 'm.author_id'),
    )
    .selectAll('m')
    .select([
      'a.first_name',
      'a.last_name',
      'a.email',
      'a.image',
      chatMessages.as('chat_messages'),
      reactions.as('reactions'),
    ])
    .where('m.workspace_id', 'in', workspaceIds)
    .where('m.id', 'in', ids)
    .execute();
  const records = rows.map((row): TicketMessage => ({
    id: row.id,
    content: row.content,
    authorId: row.author_id,
    author:
      row.author_id === null
        ? null
        : { firstName: row.first_name, lastName: row.last_name, email: row.email, image: row.image },
    ticketId: row.ticket_id,
    source: row.source,
    status: row.status,
    chatChannelId: row.chat_channel_id,
    chatMessages: row.chat_messages,
    deleted: row.deleted_at !== null,
    reactions: row.reactions,
    emailMessageId: row.email_message_id,
    emailInReplyTo: row.email_in_reply_to,
    private: row.private,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    deletedAt: isoOrNull(row.deleted_at),
  }));
  return inOrder(ids, records);
}
