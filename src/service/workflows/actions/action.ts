import type { z } from 'zod';

import type { Caller, ServiceTx, Tools } from '../../handler.ts';
import type { Outbox } from '../../outbox.ts';
import { lockTicket, type StoredTicket, ticketNamed } from '../../tickets/find.ts';
import { mayHandle } from '../access.ts';
import type { NewWait } from '../runs.ts';
import { StepFailure } from '../values.ts';

/** The context of an action: the run, and the caller in whose name it writes. */
export interface ActionContext {
  tools: Tools;
  caller: Caller;
  now: Date;
  outbox: Outbox;
  workspaceId: string;
  workflow: { id: string; queueIds: readonly string[] | null };
  /** The run's ticket, which an action works on that names no other; null: it has none. */
  ticketId: string | null;
  /** The run and its step; absent in a try-out. */
  run?: { id: string; stepId: string };
  /** When the step began. */
  beganAt: Date;
  /** The step waits already; absent when it is worked for the first time. */
  waiting?: {
    until: Date | null;
    /** The message that ended its wait, perhaps. */
    messageId: string | null;
  };
}

export type ActionResult =
  | { kind: 'done'; outputs: Record<string, unknown> }
  /** The action runs again when that happens. */
  | { kind: 'wait'; wait: NewWait };

/**
 * Does what a step says, in the transaction that ends the step: so it has no effect outside the database.
 * @throws StepFailure and ServiceProblem if it cannot: then nothing of it is written.
 */
export type Action = (
  tx: ServiceTx,
  context: ActionContext,
  inputs: Readonly<Record<string, unknown>>,
) => Promise<ActionResult>;

/** Returns inputs as their schema reads them. */
export function readInputs<Schema extends z.ZodType>(
  schema: Schema,
  inputs: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const read = schema.safeParse(inputs);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new StepFailure(`${first?.path.join('.') ?? ''}: ${first?.message ?? 'cannot be read'}`);
}

/** Locks the ticket that an input names, or the run's own, if the workflow may read and write it. */
export async function ticketFor(
  tx: ServiceTx,
  { caller, workspaceId, workflow, ticketId }: ActionContext,
  named: string | null | undefined,
): Promise<StoredTicket> {
  if (!named && ticketId === null) throw new StepFailure('This run has no ticket: the step has to name one.');
  const found = named ? await ticketNamed(tx, caller, named) : { id: ticketId };
  const key = { workspaceId, id: found?.id ?? '' };
  if (!(await mayHandle(tx, workflow.queueIds, key)))
    throw new StepFailure(`There is no ticket "${named ?? ticketId}", or this workflow may not read it.`);
  return lockTicket(tx, key);
}

/** The same for the ticket in whose conversation messages for it are: itself, or what it was merged into. */
export async function conversationFor(
  tx: ServiceTx,
  context: ActionContext,
  named: string | null | undefined,
): Promise<StoredTicket> {
  const ticket = await ticketFor(tx, context, named);
  return ticket.merged_into_id === null ? ticket : ticketFor(tx, context, ticket.merged_into_id);
}
