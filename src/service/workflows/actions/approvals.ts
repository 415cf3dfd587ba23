import { z } from 'zod';

import type { TicketDetail } from '../../../contract/index.ts';
import type { ServiceTx } from '../../handler.ts';
import { escapeMarkdown } from '../../../platform/text/markdown.ts';
import { createMessage } from '../../messages/create.ts';
import { tellPeople } from '../../notifications/store.ts';
import { ticketKey } from '../../tickets/find.ts';
import { writeTicket } from '../../ticket-operations/handlers.ts';
import { ticketDetail } from '../../tickets/records.ts';
import { type Action, type ActionContext, conversationFor, readInputs, ticketFor } from './action.ts';
import { LONGEST, writeToAll } from './chat.ts';
import { idInput, idsInput, textInput } from './inputs.ts';

const Inputs = z.object({
  ticketId: idInput.nullish(),
  approverIds: idsInput,
  reason: textInput.nullish(),
});

/** Adds the approvers, once, and waits until somebody has decided; a ticket that is decided already says how. */
const askForApproval: Action = async (tx, context, inputs) => {
  const { ticketId: named, approverIds, reason } = readInputs(Inputs, inputs);
  const key = ticketKey(await ticketFor(tx, context, named));
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
    await addTo(tx, context, ticket, approverIds);
    if (reason)
      await createMessage(
        tx,
        { ...context, workflowId: context.workflow.id },
        {
          ticketId: (await conversationFor(tx, context, named)).id,
          content: reason,
          private: true,
          source: 'WORKFLOW',
        },
        context.outbox,
      );
  }
  return { kind: 'wait', wait: { ticketId: key.id, event: 'decision', until: null } };
};

/** Adds approvers and waits for nobody. */
const addApprovers: Action = async (tx, context, inputs) => {
  const { ticketId: named, approverIds } = readInputs(Inputs.omit({ reason: true }), inputs);
  const key = ticketKey(await ticketFor(tx, context, named));
  const all = await addTo(tx, context, await ticketDetail(tx, key, context.now), approverIds);
  return { kind: 'done', outputs: { ticketId: key.id, approverIds: all } };
};

const Reminder = z.object({ ticketId: idInput.nullish(), content: z.string().max(LONGEST).nullish() });

/**
 * Reminds the approvers of a ticket that nobody has decided yet, in their inbox and, where they are in chat, there; it
 * waits for nobody.
 */
const remindApprovers: Action = async (tx, context, inputs) => {
  const { ticketId: named, content } = readInputs(Reminder, inputs);
  const { tools, now, workspaceId, run } = context;
  const key = ticketKey(await ticketFor(tx, context, named));
  const { approvers, metadata, code } = await ticketDetail(tx, key, now);
  const approverIds = metadata.approval ? [] : approvers.map(({ id }) => id);
  const sourceId = `${run?.id ?? ''} ${run?.stepId ?? ''}`;
  const about = { kind: 'approval', ticketId: key.id, sourceId } as const;
  await tellPeople(tx, workspaceId, approverIds, about, { newId: tools.newId, now });
  await writeToAll(
    tx,
    context,
    approverIds,
    content?.trim() || `${escapeMarkdown(code)} waits for your approval.`,
  );
  return { kind: 'done', outputs: { ticketId: key.id, approverIds, count: approverIds.length } };
};

/** Returns all approvers of a ticket. */
async function addTo(
  tx: ServiceTx,
  context: ActionContext,
  { id, approvers }: TicketDetail,
  approverIds: readonly string[],
): Promise<string[]> {
  const all = [...new Set([...approvers.map((each) => each.id), ...approverIds])];
  await writeTicket(tx, context, { workspaceId: context.workspaceId, id }, { data: { approverIds: all } });
  return all;
}

export const approvalActions: Readonly<Record<string, Action>> = {
  'approval.request': askForApproval,
  'approval.add-approvers': addApprovers,
  'approval.remind': remindApprovers,
};
