import { ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { conflict } from '../problem.ts';

/** Records another copy of a message in chat, or new details of one; 409 if it belongs to another message. */
export async function writeChatCopy(
  tx: ServiceTx,
  { workspaceId, messageId }: { workspaceId: string; messageId: string },
  copy: ParsedBody<'addChatMessage'>,
  { newId, now }: { newId: NewId; now: Date },
): Promise<void> {
  const given = {
    ...(copy.teamId !== undefined && { team_id: copy.teamId }),
    ...(copy.threadId !== undefined && { thread_id: copy.threadId }),
    updated_at: now,
  };
  const written = await tx
    .insertInto('chat_message')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.chatMessage),
      ticket_message_id: messageId,
      channel_id: copy.channelId,
      ts: copy.ts,
      created_at: now,
      ...given,
    })
    .onConflict((existing) =>
      existing
        .columns(['workspace_id', 'channel_id', 'ts'])
        .doUpdateSet(given)
        .where('chat_message.ticket_message_id', '=', messageId),
    )
    .returning('id')
    .executeTakeFirst();
  if (!written) throw conflict('This chat message is a copy of another ticket message.');
}
