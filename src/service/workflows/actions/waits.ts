import { sql } from 'kysely';
import { z } from 'zod';

import { addWorkingTime } from '../../../platform/working-time.ts';
import type { ServiceTx } from '../../handler.ts';
import { hoursOf } from '../../business-hours/of-queue.ts';
import { ticketKey, type TicketKey } from '../../tickets/find.ts';
import { authorOf, replySince } from '../authors.ts';
import { StepFailure } from '../values.ts';
import {
  type Action,
  type ActionContext,
  type ActionResult,
  conversationFor,
  readInputs,
  ticketFor,
} from './action.ts';
import { idInput, minutesInput } from './inputs.ts';

const MINUTE_MS = 60_000;

/** Waits until an instant, which a step computes when it begins. */
async function waitUntil(context: ActionContext, until: () => Promise<Date>): Promise<ActionResult> {
  const { ticketId, now, waiting } = context;
  const at = waiting?.until ?? (await until());
  if (at <= now) return { kind: 'done', outputs: { at: at.toISOString() } };
  return { kind: 'wait', wait: { ticketId, event: 'time', until: at } };
}

const after = (from: Date, minutes: number) => new Date(from.getTime() + minutes * MINUTE_MS);

const waitFor: Action = async (_tx, context, inputs) => {
  const { minutes } = readInputs(z.object({ minutes: minutesInput }), inputs);
  return waitUntil(context, async () => after(context.beganAt, minutes));
};

const waitUntilInstant: Action = async (_tx, context, inputs) => {
  const { at } = readInputs(z.object({ at: z.iso.datetime({ offset: true }) }), inputs);
  return waitUntil(context, async () => new Date(at));
};

const waitForBusinessTime: Action = async (tx, context, inputs) => {
  const { minutes, ticketId } = readInputs(Waiting.required({ minutes: true }), inputs);
  return waitUntil(context, async () => {
    const ticket = await ticketFor(tx, context, ticketId);
    const hours = await hoursOf(tx, ticket.workspace_id, ticket.queue_id);
    const at = addWorkingTime(hours, context.beganAt, minutes ?? 0);
    if (!at) throw new StepFailure('The business hours of this queue have no such time within ten years.');
    return at;
  });
};

const Waiting = z.object({ ticketId: idInput.nullish(), minutes: minutesInput.nullish() });
const Reply = Waiting.extend({ from: z.enum(['requester', 'team']).nullish() });

/** Waits for a public message of the requester, or of the team, since the step before this one ended. */
const waitForReply: Action = async (tx, context, inputs) => {
  const { ticketId: named, minutes, from } = readInputs(Reply, inputs);
  const who = from ?? 'requester';
  const ticket = await ticketFor(tx, context, named);
  const key = ticketKey(await conversationFor(tx, context, named));
  const { messageId = null } = context.waiting ?? {};
  // Chat says when a message was sent, which may be before this step began.
  const isReply = messageId !== null && (await authorOf(tx, key, messageId)) === who;
  const reply = isReply ? messageId : await replySince(tx, key, { from: who, since: context.beganAt });
  if (reply !== undefined)
    return { kind: 'done', outputs: { ticketId: key.id, messageId: reply, answered: true } };
  return until(context, { ticketId: ticket.id, event: 'reply', minutes }, { answered: false });
};

/** Waits until every child has ended. Their rows are locked, as by whoever ends one: one of the two sees the other. */
const waitForChildren: Action = async (tx, context, inputs) => {
  const { ticketId: named, minutes } = readInputs(Waiting, inputs);
  const key = ticketKey(await ticketFor(tx, context, named));
  if ((await lockOpenChildren(tx, key)) === 0)
    return { kind: 'done', outputs: { ticketId: key.id, done: true } };
  return until(context, { ticketId: key.id, event: 'children', minutes }, { done: false });
};

async function lockOpenChildren(tx: ServiceTx, { workspaceId, id }: TicketKey): Promise<number> {
  const { rows } = await sql<{ is_open: boolean }>`
    select resolved_at is null and closed_at is null and archived_at is null as is_open from ticket
    where workspace_id = ${workspaceId} and parent_id = ${id} order by id for no key update`.execute(tx);
  return rows.filter(({ is_open }) => is_open).length;
}

/** Waits for something on a ticket, at most for some minutes; then the step is done with these outputs. */
function until(
  { now, beganAt, waiting }: ActionContext,
  {
    ticketId,
    event,
    minutes,
  }: { ticketId: string; event: 'reply' | 'children'; minutes: number | null | undefined },
  outputs: Record<string, unknown>,
): ActionResult {
  const end = waiting ? waiting.until : minutes == null ? null : after(beganAt, minutes);
  if (end !== null && end <= now) return { kind: 'done', outputs: { ticketId, ...outputs } };
  return { kind: 'wait', wait: { ticketId, event, until: end } };
}

export const waitActions: Readonly<Record<string, Action>> = {
  'wait.for': waitFor,
  'wait.until': waitUntilInstant,
  'wait.business-time': waitForBusinessTime,
  'wait.for-reply': waitForReply,
  'wait.for-children': waitForChildren,
};
