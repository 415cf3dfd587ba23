import { z } from 'zod';

import { legacyStatus, priority, routes, type TicketDetail } from '../../../contract/index.ts';
import { createTicket } from '../../tickets/create.ts';
import { ticketKey } from '../../tickets/find.ts';
import { writeTicket } from '../../ticket-operations/handlers.ts';
import { ticketDetail } from '../../tickets/records.ts';
import { firstStatus, groupOf } from '../../tickets/statuses.ts';
import { mayHandle } from '../access.ts';
import { StepFailure } from '../values.ts';
import { type Action, type ActionContext, readInputs, ticketFor } from './action.ts';
import { flagInput, idInput, idsInput, textInput } from './inputs.ts';

const { createTicket: create, updateTicket: update } = routes;
type Data = z.output<typeof update.body>['data'];
/** The fields that a workflow may write; it cannot choose the author or the place in chat. */
const Fields = update.body.shape.data.omit({
  authorId: true,
  source: true,
  chatChannelId: true,
  chatTimestamp: true,
});

/** The outputs of an action that ends with a ticket. */
export function outputsOf(ticket: TicketDetail): Record<string, unknown> {
  const { id: ticketId, statusId, priority: urgency, assigneeId, requesterId, queueId } = ticket;
  return { ticketId, statusId, priority: urgency, assigneeId, requesterId, queueId };
}

/** Returns an action that writes what its inputs say to a ticket. */
function writing<Inputs extends z.ZodObject>(
  inputs: Inputs,
  dataOf: (read: z.output<Inputs>) => Data,
  outputs: (read: z.output<Inputs>, ticket: TicketDetail) => Record<string, unknown> = (_read, ticket) =>
    outputsOf(ticket),
): Action {
  return async (tx, context, given) => {
    const { ticketId } = readInputs(Named, given);
    const read = readInputs(inputs, given);
    const key = ticketKey(await ticketFor(tx, context, ticketId));
    const ticket = await writeTicket(tx, context, key, { data: dataOf(read) });
    await requireStillReadable(tx, context, ticket.id);
    return { kind: 'done', outputs: outputs(read, ticket) };
  };
}

const Named = z.object({ ticketId: idInput.nullish() });

/** Throws if a workflow opens a ticket outside of its queues, or moves one there. */
async function requireStillReadable(
  tx: Parameters<Action>[0],
  { workspaceId, workflow }: ActionContext,
  id: string,
): Promise<void> {
  if (!(await mayHandle(tx, workflow.queueIds, { workspaceId, id })))
    throw new StepFailure('This workflow was not given the queue that the ticket would be in.');
}

const NewTicket = z.object({
  title: textInput.nullish(),
  description: textInput.nullish(),
  queueId: idInput.nullish(),
  requestTypeId: idInput.nullish(),
  priority: priority.nullish(),
  requesterId: idInput.nullish(),
  parentId: idInput.nullish(),
  private: flagInput.nullish(),
});

/** Opens a ticket; without a requester, for that of the run's ticket. */
const openTicket: Action = async (tx, context, inputs) => {
  const { workspaceId, ticketId, outbox, now } = context;
  const named = readInputs(NewTicket, inputs);
  const parent = named.parentId ? await ticketFor(tx, context, named.parentId) : undefined;
  const own = ticketId === null ? undefined : await ticketDetail(tx, { workspaceId, id: ticketId }, now);
  const body = readInputs(create.body, {
    ...named,
    requesterId: named.requesterId ?? own?.requesterId,
    parentId: parent?.id,
    source: 'WORKFLOW',
  });
  const { ticket } = await createTicket(tx, context, body, outbox);
  await requireStillReadable(tx, context, ticket.id);
  return { kind: 'done', outputs: outputsOf(ticket) };
};

const Status = z.object({
  ticketId: idInput.nullish(),
  statusId: z.string().nullish(),
  statusGroup: legacyStatus.nullish(),
});

/** Sets a status, or the first one of a group, unless the ticket has one of that group. */
const setStatus: Action = async (tx, context, inputs) => {
  const { ticketId, statusId: named, statusGroup } = readInputs(Status, inputs);
  const ticket = await ticketFor(tx, context, ticketId);
  const key = ticketKey(ticket);
  const { kind } = await groupOf(tx, key.workspaceId, ticket.status_id);
  const ofGroup = async () => {
    if (!statusGroup) throw new StepFailure('This step needs a status.');
    return kind === statusGroup ? ticket.status_id : firstStatus(tx, key.workspaceId, statusGroup);
  };
  const statusId = named?.trim() || (await ofGroup());
  return { kind: 'done', outputs: outputsOf(await writeTicket(tx, context, key, { data: { statusId } })) };
};

export const ticketActions: Readonly<Record<string, Action>> = {
  'ticket.create': openTicket,
  'ticket.update': writing(z.object({ data: Fields }), ({ data }) => data),
  'ticket.assign': writing(z.object({ assigneeId: idInput }), ({ assigneeId }) => ({ assigneeId })),
  'ticket.set-status': setStatus,
  'ticket.set-priority': writing(z.object({ priority }), ({ priority: urgency }) => ({ priority: urgency })),
  'ticket.move': writing(z.object({ queueId: idInput }), ({ queueId }) => ({ queueId })),
  'ticket.add-tags': writing(
    z.object({ tagIds: idsInput }),
    ({ tagIds }) => ({ addTags: tagIds.map((id) => ({ id })) }),
    ({ tagIds }, { id: ticketId }) => ({ ticketId, tagIds }),
  ),
};
