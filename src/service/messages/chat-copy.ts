import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb } from '../handler.ts';
import { conflict, found, unprocessable } from '../problem.ts';

/**
 * Records another copy of a message in chat, or new details of one, in one statement.
 * @returns the workspace of the message.
 * @throws ServiceProblem 404 for an unknown message; 409 if the copy belongs to another one; 422 for too many copies.
 */
export async function writeChatCopy(
  db: ServiceDb,
  { workspaceIds, messageId }: { workspaceIds: readonly string[]; messageId: string },
  copy: ParsedBody<'addChatMessage'>,
  { newId, now }: { newId: NewId; now: Date },
): Promise<string> {
  const given = {
    ...(copy.teamId !== undefined && { team_id: copy.teamId }),
    ...(copy.threadId !== undefined && { thread_id: copy.threadId }),
    updated_at: now,
  };
  const row = {
    id: newId(ID_PREFIXES.chatMessage),
    ticket_message_id: messageId,
    channel_id: copy.channelId,
    ts: copy.ts,
    created_at: now,
    ...given,
  };
  const columns = Object.keys(row) as (keyof typeof row)[];
  const written = await db
    .with('message', (part) =>
      part
        .selectFrom('ticket_message')
        .select([
          'workspace_id',
          sql<boolean>`${LIMITS.ofMessage.chatCopies} > (
            select count(*) from chat_message x
            where x.workspace_id = ticket_message.workspace_id and x.ticket_message_id = ticket_message.id
              and not (x.channel_id = ${copy.channelId} and x.ts = ${copy.ts}))`.as('has_room'),
        ])
        .where('workspace_id', 'in', workspaceIds)
        .where('id', '=', messageId),
    )
    .with('copy', (part) =>
      part
        .insertInto('chat_message')
        .columns(['workspace_id', ...columns])
        .expression((select) =>
          select
            .selectFrom('message')
            .where('message.has_room', '=', true)
            .select((of) => ['message.workspace_id', ...columns.map((name) => of.val(row[name]).as(name))]),
        )
        .onConflict((existing) =>
          existing
            .columns(['workspace_id', 'channel_id', 'ts'])
            .doUpdateSet(given)
            .where('chat_message.ticket_message_id', '=', messageId),
        )
        .returning('workspace_id'),
    )
    .selectFrom('message')
    .leftJoin('copy', 'copy.workspace_id', 'message.workspace_id')
    .select([
      'message.workspace_id as workspaceId',
      'message.has_room as hasRoom',
      'copy.workspace_id as written',
    ])
    .executeTakeFirst();
  const { workspaceId, hasRoom, written: isWritten } = found(written);
  if (!hasRoom)
    throw unprocessable(
      'ts',
      `There are at most ${LIMITS.ofMessage.chatCopies} copies of a message in chat. Post no more of them`,
    );
  if (isWritten === null) throw conflict('This chat message is a copy of another ticket message.');
  return workspaceId;
}
