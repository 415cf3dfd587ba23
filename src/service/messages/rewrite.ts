import type { MessageEvent, TicketMessage } from '../../contract/index.ts';
import type { Call, ServiceTx } from '../handler.ts';
import { nextStamp } from '../tickets/find.ts';
import { addMessageEvent } from './event.ts';
import type { LockedMessage } from './lock.ts';
import { messageRecord } from './records.ts';

type Writing = Pick<Call<'deleteTicketMessage'>, 'caller' | 'now' | 'outbox'>;

/** Updates a message at the ticket's next instant, with its event. */
export async function rewriteMessage(
  tx: ServiceTx,
  { caller, now, outbox }: Writing,
  { ticket, message }: LockedMessage,
  action: MessageEvent['action'],
  {
    deleted,
    ...columns
  }: { content?: string; private?: boolean; status?: 'EDITED' | 'DELETED'; deleted?: true },
): Promise<TicketMessage> {
  const { workspace_id: workspaceId, id } = message;

  // 1. Stamp the ticket.
  const stamp = nextStamp(ticket, now);
  await tx
    .updateTable('ticket')
    .set({ stamped_at: stamp })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', ticket.id)
    .execute();

  // 2. Write the message. A trigger marks it, and its words are indexed again when the transaction ends.
  await tx
    .updateTable('ticket_message')
    .set({ ...columns, ...(deleted && { deleted_at: stamp }), updated_at: stamp })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();

  // 3. Add the event.
  const record = await messageRecord(tx, workspaceId, id);
  await addMessageEvent(tx, { caller, outbox }, action, ticket, record);
  return record;
}
