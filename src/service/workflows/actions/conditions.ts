import { z } from 'zod';

import { filterCondition } from '../../../contract/index.ts';
import { workingMinutes } from '../../../platform/working-time.ts';
import { hoursOf } from '../../business-hours/of-queue.ts';
import { matches } from '../../workflow-config/criteria.ts';
import { type Action, readInputs, ticketFor } from './action.ts';
import { idInput, textInput } from './inputs.ts';

const scalar = z.union([textInput, z.number(), z.boolean()]);
const Comparison = z.object({
  value: z.union([scalar, z.array(scalar)]).nullish(),
  condition: filterCondition,
  expected: z
    .union([textInput, z.array(textInput), z.number().transform(String), z.boolean().transform(String)])
    .nullish(),
});

const ifFits: Action = async (_tx, _context, inputs) => {
  const { value, condition, expected } = readInputs(Comparison, inputs);
  return { kind: 'done', outputs: { result: matches({ condition, value: expected }, value) } };
};

const Wanted = z.object({
  ticketId: idInput.nullish(),
  statusId: idInput.nullish(),
  priority: idInput.nullish(),
  queueId: idInput.nullish(),
  requestTypeId: idInput.nullish(),
});

const ifTicketMatches: Action = async (tx, context, inputs) => {
  const { ticketId, statusId, priority, queueId, requestTypeId } = readInputs(Wanted, inputs);
  const ticket = await ticketFor(tx, context, ticketId);
  const result = [
    [statusId, ticket.status_id],
    [priority, ticket.priority],
    [queueId, ticket.queue_id],
    [requestTypeId, ticket.request_type_id],
  ].every(([wanted, actual]) => !wanted || wanted === actual);
  return { kind: 'done', outputs: { result } };
};

const MINUTE_MS = 60_000;

const ifBusinessHours: Action = async (tx, context, inputs) => {
  const { ticketId } = readInputs(z.object({ ticketId: idInput.nullish() }), inputs);
  const ticket = await ticketFor(tx, context, ticketId);
  const hours = await hoursOf(tx, ticket.workspace_id, ticket.queue_id);
  // A minute is long enough to be within a span, and short enough to be outside of all others.
  const next = new Date(context.now.getTime() + MINUTE_MS);
  return { kind: 'done', outputs: { result: workingMinutes(hours, context.now, next) > 0 } };
};

export const conditionActions: Readonly<Record<string, Action>> = {
  'condition.if': ifFits,
  'condition.ticket-matches': ifTicketMatches,
  'condition.business-hours': ifBusinessHours,
};
