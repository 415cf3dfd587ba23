import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { createMessage } from '../messages/create.ts';
import { writeEffects } from '../messages/reply.ts';
import type { Outbox } from '../outbox.ts';

/** Dependencies of the service's own writes. */
export interface WriteContext {
  tools: Tools;
  now: Date;
  outbox: Outbox;
}

/**
 * Adds a message of an AI agent to a ticket with its event; returns the id. It counts as the first
 * reply only in a queue that says so.
 */
export async function postMessage(
  tx: ServiceTx,
  { outbox, ...context }: WriteContext,
  caller: Caller,
  ticketId: string,
  agentId: string,
  message: { content: string; private: boolean },
): Promise<string> {
  const stored = await createMessage(
    tx,
    { ...context, caller, agentId },
    { ...message, ticketId, source: caller.source },
    outbox,
  );
  await writeEffects(tx, { ...context, caller, outbox }, stored.ticket, stored.message, stored.effects);
  return stored.message.id;
}
