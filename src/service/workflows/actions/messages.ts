import { z } from 'zod';

import { LIMITS, routes } from '../../../contract/index.ts';
import { createMessage } from '../../messages/create.ts';
import { StepFailure } from '../values.ts';
import { type Action, conversationFor, readInputs, ticketFor } from './action.ts';
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
    const ticket = await conversationFor(tx, context, ticketId);
    const { message } = await createMessage(
      tx,
      { ...context, workflowId: context.workflow.id },
      { ticketId: ticket.id, content, private: isPrivate, source: 'WORKFLOW' },
      context.outbox,
    );
    return { kind: 'done', outputs: { messageId: message.id, ticketId: message.ticketId } };
  };
}

const MOST_CHILDREN = LIMITS.arrayItems;

/** Writes the same reply on every child that is not archived; on none of them if one cannot have it. */
const replyToChildren: Action = async (tx, context, inputs) => {
  const { content, ticketId } = readInputs(Inputs, inputs);
  const parent = await ticketFor(tx, context, ticketId);
  const children = await tx
    .selectFrom('ticket')
    .select('id')
    .where('workspace_id', '=', context.workspaceId)
    .where('parent_id', '=', parent.id)
    .where('archived_at', 'is', null)
    .orderBy('id')
    .limit(MOST_CHILDREN + 1)
    .execute();
  if (children.length > MOST_CHILDREN)
    throw new StepFailure(`This ticket has more than ${MOST_CHILDREN} children.`);
  for (const { id } of children) {
    const child = await conversationFor(tx, context, id);
    await createMessage(
      tx,
      { ...context, workflowId: context.workflow.id },
      { ticketId: child.id, content, private: false, source: 'WORKFLOW' },
      context.outbox,
    );
  }
  return { kind: 'done', outputs: { ticketId: parent.id, count: children.length } };
};

export const messageActions: Readonly<Record<string, Action>> = {
  'message.reply': writing(false),
  'message.note': writing(true),
  'message.reply-children': replyToChildren,
};
