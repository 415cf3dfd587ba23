import { z } from 'zod';

import { createMessage } from '../../messages/create.ts';
import { keyOf } from '../../tickets/find.ts';
import { writeTicket } from '../../ticket-operations/handlers.ts';
import { ticketDetail } from '../../tickets/records.ts';
import { type Action, readInputs, ticketFor } from './action.ts';
import { idInput, idsInput, textInput } from './inputs.ts';

const Inputs = z.object({
  ticketId: idInput.nullish(),
  approverIds: idsInput,
  reason: textInput.nullish(),
});

/** Adds the approvers, once, and waits until somebody has decided; a ticket that is decided already says how. */
const askForApproval: Action = async (tx, context, inputs) => {
  const { ticketId: named, approverIds, reason } = readInputs(Inputs, inputs);
  const key = keyOf(await ticketFor(tx, context, named));
  const ticket = await ticketDetail(tx, key, context.now);
  const { approval } = ticket.metadata;
  if (approval)
    return {
      kind: 'done',
      outputs: {
        ticketId: key.id,
        decision: approval.decision,
        userId: approval.userId,
        reason: approval.reason,
      },
    };
  if (!context.waiting) {
    const asked = ticket.approvers.map(({ id }) => id);
    const all = [...new Set([...asked, ...approverIds])];
    await writeTicket(tx, context, key, { data: { approverIds: all } });
    if (reason)
      await createMessage(
        tx,
        { ...context, workflowId: context.workflow.id },
        { ticketId: key.id, content: reason, private: true, source: 'WORKFLOW' },
        context.outbox,
      );
  }
  return { kind: 'wait', wait: { ticketId: key.id, event: 'decision', until: null } };
};

export const approvalActions: Readonly<Record<string, Action>> = { 'approval.request': askForApproval };
