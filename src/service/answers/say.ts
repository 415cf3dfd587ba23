import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { createMessage } from '../messages/create.ts';
import { messageRecords } from '../messages/records.ts';
import { tellMessage } from '../messages/tell.ts';
import type { Outbox } from '../outbox.ts';
import { found } from '../problem.ts';
import type { TicketKey } from '../tickets/find.ts';

/** What a write of the service itself needs. */
export interface Writing {
  tools: Tools;
  now: Date;
  outbox: Outbox;
}

/** Adds a message of the service itself to a ticket, and tells; its id. It has no author, so it is nobody's response. */
export async function say(
  tx: ServiceTx,
  { tools, now, outbox }: Writing,
  caller: Caller,
  { workspaceId, id: ticketId }: TicketKey,
  message: { content: string; private: boolean },
): Promise<string> {
  const { ticket, id } = await createMessage(
    tx,
    { tools, caller, now },
    { ...message, ticketId, source: caller.source },
  );
  const record = found((await messageRecords(tx, [workspaceId], [id]))[0]);
  await tellMessage(tx, outbox, { caller, ticket, message: record, action: 'created' });
  return id;
}
