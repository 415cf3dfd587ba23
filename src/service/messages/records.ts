import { sql } from 'kysely';

import type { TicketMessage } from '../../contract/index.ts';
import { filesOfMessage } from '../file-records/records.ts';
import type { ServiceDb } from '../handler.ts';
import { jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { found } from '../problem.ts';
import { writingAgent, writingWorkflow } from '../tickets/last-reply.ts';

/** The fields of a copy in chat, of a row `x`. */
const chatMessageJson = sql`json_build_object(
  'id', x.id, 'ts', x.ts, 'channelId', x.channel_id, 'teamId', x.team_id, 'ticketMessageId', x.ticket_message_id,
  'threadId', x.thread_id, 'createdAt', ${jsonInstant('x.created_at')}, 'updatedAt', ${jsonInstant('x.updated_at')})`;

const chatMessages = sql`(select coalesce(json_agg(${chatMessageJson} order by x.id), '[]')
  from chat_message x where x.workspace_id = m.workspace_id and x.ticket_message_id = m.id)`;

/** The message of a row `m`. */
export const messageJson = sql<TicketMessage>`json_build_object(
  'id', m.id,
  'content', m.content,
  'authorId', m.author_id,
  'author', (
    select json_build_object('firstName', a.first_name, 'lastName', a.last_name, 'email', a.email, 'image', a.image)
    from person a where a.workspace_id = m.workspace_id and a.id = m.author_id),
  'agent', ${writingAgent},
  'workflow', ${writingWorkflow},
  'ticketId', m.ticket_id,
  'source', m.source,
  'status', m.status,
  'chatChannelId', m.chat_channel_id,
  'chatMessages', ${chatMessages},
  'deleted', m.deleted_at is not null,
  'reactions', (
    select coalesce(json_agg(json_build_object('id', x.id, 'emoji', x.emoji, 'authorId', x.author_id,
      'ticketMessageId', x.ticket_message_id) order by x.id), '[]')
    from reaction x where x.workspace_id = m.workspace_id and x.ticket_message_id = m.id),
  'emailMessageId', m.email_message_id,
  'emailInReplyTo', m.email_in_reply_to,
  'private', m.private,
  'files', ${filesOfMessage},
  'createdAt', ${jsonInstant('m.created_at')},
  'updatedAt', ${jsonInstant('m.updated_at')},
  'deletedAt', ${jsonInstant('m.deleted_at')})`;

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
    .select(messageJson.as('message'))
    .where('m.workspace_id', 'in', workspaceIds)
    .where('m.id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map(({ message }) => message),
  );
}
