import { z } from 'zod';

import { ID_PREFIXES } from '../../../contract/index.ts';
import { ticketKey } from '../../tickets/find.ts';
import { startByHand } from '../by-hand.ts';
import { type Action, readInputs, ticketFor } from './action.ts';
import { idInput } from './inputs.ts';

const Inputs = z.object({ workflowId: idInput, ticketId: idInput.nullish() });

/** Starts a run of another workflow, and does not wait for it. It belongs to the same chain. */
const runWorkflow: Action = async (tx, context, inputs) => {
  const { workflowId, ticketId } = readInputs(Inputs, inputs);
  const { tools, now, outbox, run } = context;
  const ticket = ticketKey(await ticketFor(tx, context, ticketId));
  const runId = await startByHand(
    tx,
    { newId: tools.newId, now, outbox },
    {
      workflowId,
      ticket,
      eventId: run ? `${run.id} ${run.stepId}` : tools.newId(ID_PREFIXES.event),
      chain: outbox.chain,
      startedBy: null,
    },
  );
  return { kind: 'done', outputs: { ticketId: ticket.id, runId } };
};

export const workflowActions: Readonly<Record<string, Action>> = { 'workflow.run': runWorkflow };
