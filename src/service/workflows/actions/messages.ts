import { z } from 'zod';

import { routes } from '../../../contract/index.ts';
import { createMessage } from '../../messages/create.ts';
import { type Action, readInputs, ticketFor } from './action.ts';
import { idInput } from './inputs.ts';

const { body } = routes.createTicketMessage;
const Inputs = z.object({ ticketId: idInput.nullish(), content: body.shape.content });

/**
 * Returns an action that writes a message in the name of the workflow. It changes nothing of the ticket: no person has
 * replied.
 */
function writing(isPrivate: boolean): Action {
  return async (tx, context, inputs) => {
    const { content, ticketId } = readInputs(Inputs, inputs);
    const ticket = await ticketFor(tx, context, ticketId);
    const { message } = await createMessage(
      tx,
      { ...context, workflowId: context.workflow.id },
      { ticketId: ticket.id, content, private: isPrivate, source: 'WORKFLOW' },
      context.outbox,
    );
    return { kind: 'done', outputs: { messageId: message.id, ticketId: message.ticketId } };
  };
}

export const messageActions: Readonly<Record<string, Action>> = {
  'message.reply': writing(false),
  'message.note': writing(true),
};
