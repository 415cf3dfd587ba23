import { z } from 'zod';

import { approvalDecision, LIMITS, priority } from '../../../contract/index.ts';
import { malformed, ServiceProblem } from '../../problem.ts';
import { writingTool } from '../tool.ts';
import { recordId, ticketName, ticketUrl } from './ticket-summary.ts';

const changed = z.strictObject({ ticketId: z.string(), reference: z.string(), url: z.string() });
const tagIds = z.array(recordId).min(1).max(LIMITS.arrayItems).optional();

export const createTicket = writingTool({
  name: 'create_ticket',
  title: 'Open a ticket',
  description: 'Opens a ticket for the caller, or for another person if the caller is of the queue’s team.',
  needs: 'write',
  isDestructive: false,
  input: z.object({
    title: z.string().min(1).max(LIMITS.ticketTitle),
    description: z.string().max(LIMITS.ticketDescription).optional(),
    queueId: recordId
      .optional()
      .describe('By list_choices. Default: that of the request type, else of the workspace.'),
    requestTypeId: recordId.optional(),
    requesterId: recordId.optional().describe('Who asks, if not the caller.'),
    priority: priority.optional(),
  }),
  output: changed,
  async answer({ write, publicUrl }, body) {
    const { id, code } = await write('createTicket', { body });
    return { ticketId: id, reference: code, url: ticketUrl(publicUrl, code) };
  },
});

export const addNote = writingTool({
  name: 'add_note',
  title: 'Add an internal note',
  description:
    'Adds a note that only the ticket’s team reads. Never for the requester: use draft_reply for that.',
  needs: 'write',
  isDestructive: false,
  input: z.object({ ticket: ticketName, text: z.string().min(1).max(LIMITS.messageContent) }),
  output: z.strictObject({ ticketId: z.string(), messageId: z.string() }),
  async answer({ write }, { ticket, text }) {
    const { id, ticketId } = await write('createTicketMessage', {
      body: { ticketId: ticket, content: text, private: true },
    });
    return { ticketId, messageId: id };
  },
});

export const changeTicket = writingTool({
  name: 'change_ticket',
  title: 'Change a ticket',
  description:
    'Sets the status, priority, assignee or tags of a ticket. Send what you read in `expected`, so that a newer change of someone else is not overwritten.',
  needs: 'write',
  isDestructive: true,
  input: z.object({
    ticket: ticketName,
    statusId: recordId.optional(),
    priority: priority.optional(),
    assigneeId: recordId.nullable().optional().describe('Null: nobody.'),
    addTagIds: tagIds,
    removeTagIds: tagIds,
    expected: z
      .object({
        statusId: recordId.optional(),
        priority: priority.optional(),
        assigneeId: recordId.nullable().optional(),
      })
      .optional()
      .describe('The values that it must still have, else nothing is changed.'),
  }),
  output: changed,
  async answer({ write, publicUrl }, { ticket, addTagIds, removeTagIds, expected, ...fields }) {
    const data = { ...fields, addTags: refs(addTagIds), removeTags: refs(removeTagIds) };
    if (Object.values(data).every((value) => value === undefined))
      throw malformed([{ path: '', message: 'Name at least one field to change' }]);
    const { id, code } = await write('updateTicket', {
      params: { id: ticket },
      body: { data: withoutUndefined(data), expected: expected && withoutUndefined(expected) },
    });
    return { ticketId: id, reference: code, url: ticketUrl(publicUrl, code) };
  },
});

export const decideApproval = writingTool({
  name: 'decide_approval',
  title: 'Approve or decline',
  description:
    'Approves or declines a ticket that waits for an approval of the caller. It is final. Only when the caller told you so.',
  needs: 'write',
  isDestructive: true,
  input: z.object({
    ticket: ticketName,
    decision: approvalDecision,
    reason: z.string().max(LIMITS.ticketDescription).optional(),
  }),
  output: z.strictObject({ ticketId: z.string(), decision: approvalDecision }),
  async answer({ caller, now, write }, { ticket, decision, reason }) {
    if (caller.agent) throw new ServiceProblem('FORBIDDEN', 'An AI agent approves and declines nothing.');
    const at = now.toISOString();
    const { id } = await write('updateTicket', {
      params: { id: ticket },
      body: { data: decision === 'approved' ? { approvedAt: at } : { declinedAt: at }, reason },
    });
    return { ticketId: id, decision };
  },
});

function refs(ids: readonly string[] | undefined): { id: string }[] | undefined {
  return ids?.map((id) => ({ id }));
}

/** An update says which fields it writes by naming them. */
function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
