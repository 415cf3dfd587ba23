import type { ParsedBody } from '../../contract/index.ts';
import { attachToNew } from '../file-records/attach.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { createMessage, type Stored } from './create.ts';
import { writeEffects } from './reply.ts';

/**
 * Adds a message to a ticket with its files, and writes what it changes of the ticket.
 * @throws as `createMessage`, and 422 for a file that cannot be attached.
 */
export async function postMessage(
  tx: ServiceTx,
  { tools, caller, now, outbox }: { tools: Pick<Tools, 'newId'>; caller: Caller; now: Date; outbox: Outbox },
  body: ParsedBody<'createTicketMessage'>,
): Promise<Stored> {
  const stored = await createMessage(tx, { tools, caller, now }, body, outbox);
  const { message: record, created, ticket, effects } = stored;
  if (!created) return stored;
  const place = { workspaceId: ticket.workspaceId, ticketId: ticket.id, messageId: record.id, record };
  await attachToNew(tx, caller, place, body.fileIds, { now, outbox });
  await writeEffects(tx, { tools, caller, now, outbox }, ticket, record, effects);
  return stored;
}
