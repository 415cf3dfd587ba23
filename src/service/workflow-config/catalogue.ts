import type { WorkflowAction, WorkflowApp } from '../../contract/index.ts';
import { field, FIELDS } from './fields.ts';

type Given = Omit<WorkflowAction, 'app' | 'group' | 'type'> & Partial<Pick<WorkflowAction, 'type'>>;

/** An app whose actions have its name, as in the configuration records. */
function app(id: string, name: string, group: string, actions: readonly Given[]): WorkflowApp {
  return {
    id,
    name,
    group,
    actions: actions.map((action) => ({
      type: 'Action',
      ...action,
      group,
      app: id,
    })),
  };
}

/** For triggers: whether they also react to effects of the same workflow's runs. */
const ownChanges = field('ownChanges', 'Also on changes of its own runs', { type: 'checkbox' });
const minutesAtMost = field('minutes', 'Minutes at most', { type: 'number' });
const count = field('count', 'Number', { type: 'number' });
const otherTickets = field('otherTicketIds', 'Other tickets', {
  type: 'multiselect',
  resourceType: 'ticket',
});
const result = field('result', 'Result', { type: 'checkbox' });
const decision = field('decision', 'Decision', { type: 'select' });
/** The meaning of a status, such as PENDING; any status of that group. */
const statusGroup = field('statusGroup', 'Status group', { type: 'select' });

const TICKET = [FIELDS.ticket, FIELDS.status, FIELDS.priority, FIELDS.assignee, FIELDS.requester];

/** For triggers: the ticket and the time. */
const OCCURRENCE = [...TICKET, field('at', 'Time', { type: 'datetime' })];

/** The possible steps of workflows (docs/api.md, Workflows). */
export const CATALOGUE: readonly WorkflowApp[] = [
  app('ticket', 'Tickets', 'Tickets', [
    {
      name: 'ticket.created',
      type: 'Trigger',
      title: 'When a ticket is opened',
      description: 'Starts the workflow for every new ticket of a queue, or of all.',
      inputs: [FIELDS.queue, FIELDS.requestType, FIELDS.priority, ownChanges],
      outputs: OCCURRENCE,
    },
    {
      name: 'ticket.updated',
      type: 'Trigger',
      title: 'When a ticket changes',
      description:
        'Starts the workflow when fields of a ticket change, or one of them gets a value, also from another one.',
      inputs: [
        FIELDS.queue,
        FIELDS.status,
        statusGroup,
        FIELDS.priority,
        field('fields', 'Fields', { type: 'multiselect' }),
        field('from', 'From', { placeholder: 'The old value of one of the fields, or none' }),
        field('to', 'To', { placeholder: 'The new value, or none' }),
        ownChanges,
      ],
      outputs: OCCURRENCE,
    },
    {
      name: 'ticket.rated',
      type: 'Trigger',
      title: 'When a ticket is rated',
      description: 'Starts the workflow when the requester rates a ticket.',
      inputs: [FIELDS.queue, ownChanges],
      outputs: [...OCCURRENCE, field('score', 'Score', { type: 'number' }), field('feedback', 'Feedback')],
    },
    {
      name: 'ticket.due-soon',
      type: 'Trigger',
      title: 'When a target is due soon',
      description: 'Starts the workflow when part of a target has passed, as the warnings of the queue say.',
      inputs: [FIELDS.queue],
      outputs: OCCURRENCE,
    },
    {
      name: 'ticket.overdue',
      type: 'Trigger',
      title: 'When a target is missed',
      description: 'Starts the workflow when a target has passed, if the queue warns of that.',
      inputs: [FIELDS.queue],
      outputs: OCCURRENCE,
    },
    {
      name: 'ticket.idle',
      type: 'Trigger',
      title: 'When nothing happens for a time',
      description:
        'Starts the workflow when for some minutes nobody has done anything on a ticket, the team or the requester has not answered, or its status has stayed.',
      inputs: [
        FIELDS.queue,
        FIELDS.requestType,
        FIELDS.status,
        statusGroup,
        FIELDS.priority,
        field('of', 'What does not happen', { type: 'select' }),
        field('minutes', 'Minutes', { type: 'number' }),
        field('businessHours', 'Only business hours count', { type: 'checkbox' }),
      ],
      outputs: [...OCCURRENCE, field('since', 'Since', { type: 'datetime' })],
    },
    {
      name: 'ticket.run',
      type: 'Trigger',
      title: 'When it is run by hand',
      description: 'Starts the workflow when a person, a program or another workflow runs it on a ticket.',
      inputs: [FIELDS.queue, ownChanges],
      outputs: OCCURRENCE,
    },
    {
      name: 'ticket.create',
      title: 'Open a ticket',
      description: 'Opens a ticket in a queue.',
      inputs: [
        FIELDS.title,
        FIELDS.description,
        FIELDS.queue,
        FIELDS.requestType,
        FIELDS.priority,
        FIELDS.requester,
        field('parentId', 'Parent', { type: 'select', resourceType: 'ticket' }),
        field('private', 'Private', { type: 'checkbox' }),
      ],
      outputs: TICKET,
    },
    {
      name: 'ticket.update',
      title: 'Change a ticket',
      description: 'Writes fields of a ticket, with the names of the API.',
      inputs: [FIELDS.ticket, field('data', 'Changes')],
      outputs: TICKET,
    },
    {
      name: 'ticket.assign',
      title: 'Assign a ticket',
      description: 'Gives a ticket to a person.',
      inputs: [FIELDS.ticket, FIELDS.assignee],
      outputs: [FIELDS.ticket, FIELDS.assignee],
    },
    {
      name: 'ticket.set-status',
      title: 'Set the status',
      description: 'Puts a ticket into a status, or into the first one of a status group.',
      inputs: [FIELDS.ticket, FIELDS.status, statusGroup],
      outputs: [FIELDS.ticket, FIELDS.status],
    },
    {
      name: 'ticket.set-priority',
      title: 'Set the priority',
      description: 'Gives a ticket a priority.',
      inputs: [FIELDS.ticket, FIELDS.priority],
      outputs: [FIELDS.ticket, FIELDS.priority],
    },
    {
      name: 'ticket.add-tags',
      title: 'Add tags',
      description: 'Puts tags on a ticket.',
      inputs: [FIELDS.ticket, FIELDS.tags],
      outputs: [FIELDS.ticket, FIELDS.tags],
    },
    {
      name: 'ticket.move',
      title: 'Move to another queue',
      description: 'Moves a ticket to another queue, where it gets a number.',
      inputs: [FIELDS.ticket, FIELDS.queue],
      outputs: [FIELDS.ticket, FIELDS.queue],
    },
    {
      name: 'ticket.link',
      title: 'Link with other tickets',
      description: 'Links a ticket with others: related, duplicate or blocks.',
      inputs: [FIELDS.ticket, otherTickets, field('kind', 'Relation', { type: 'select' })],
      outputs: [FIELDS.ticket, otherTickets],
    },
    {
      name: 'ticket.find-duplicates',
      title: 'Find similar tickets',
      description: 'Finds up to five tickets that say the same as a ticket, the best first.',
      inputs: [FIELDS.ticket],
      outputs: [
        FIELDS.ticket,
        field('ticketIds', 'Tickets', { type: 'multiselect', resourceType: 'ticket' }),
        field('codes', 'References'),
        count,
      ],
    },
    {
      name: 'ticket.count',
      title: 'Count tickets',
      description: 'Counts the tickets of a list, up to 1,000, by the parameters of the ticket list.',
      inputs: [field('filter', 'Filter')],
      outputs: [count, field('isCapped', 'More than that', { type: 'checkbox' })],
    },
  ]),
  app('message', 'Messages', 'Messages', [
    {
      name: 'message.created',
      type: 'Trigger',
      title: 'When somebody answers',
      description:
        'Starts the workflow for every new public message, of the requester, the team or an AI agent.',
      inputs: [FIELDS.queue, field('from', 'From', { type: 'select' })],
      outputs: [...OCCURRENCE, FIELDS.message, FIELDS.user, FIELDS.content],
    },
    {
      name: 'message.reply',
      title: 'Answer the requester',
      description: 'Adds a message to a ticket that the requester sees.',
      inputs: [FIELDS.ticket, FIELDS.content],
      outputs: [FIELDS.message, FIELDS.ticket],
    },
    {
      name: 'message.note',
      title: 'Leave a note',
      description: 'Adds a private message to a ticket.',
      inputs: [FIELDS.ticket, FIELDS.content],
      outputs: [FIELDS.message, FIELDS.ticket],
    },
    {
      name: 'message.reply-children',
      title: 'Answer on every child ticket',
      description: 'Adds the same message to each child of a ticket; their requesters see it.',
      inputs: [FIELDS.ticket, FIELDS.content],
      outputs: [FIELDS.ticket, count],
    },
  ]),
  app('approval', 'Approvals', 'Approvals', [
    {
      name: 'approval.decided',
      type: 'Trigger',
      title: 'When a ticket is approved or declined',
      description: 'Starts the workflow when somebody decides on a ticket.',
      inputs: [FIELDS.queue, decision, ownChanges],
      outputs: [...OCCURRENCE, decision, FIELDS.user, FIELDS.reason],
    },
    {
      name: 'approval.request',
      type: 'Activity',
      title: 'Ask for approval',
      description:
        'Adds approvers to a ticket and waits for the first decision; one that was made already counts.',
      // It becomes a note, which is Markdown.
      inputs: [FIELDS.ticket, FIELDS.approvers, { ...FIELDS.reason, type: 'richtexteditor' }],
      outputs: [FIELDS.ticket, decision, FIELDS.user, FIELDS.reason],
    },
    {
      name: 'approval.add-approvers',
      title: 'Add approvers',
      description: 'Adds approvers to a ticket, who are asked; the workflow goes on at once.',
      inputs: [FIELDS.ticket, FIELDS.approvers],
      outputs: [FIELDS.ticket, FIELDS.approvers],
    },
    {
      name: 'approval.remind',
      title: 'Remind approvers',
      description:
        'Reminds the approvers of a ticket that nobody has decided yet, in their inbox and in chat; the workflow goes on at once.',
      inputs: [FIELDS.ticket, FIELDS.content],
      outputs: [FIELDS.ticket, FIELDS.approvers, count],
    },
  ]),
  app('chat', 'Chat', 'Chat', [
    {
      name: 'chat.post',
      title: 'Post in a channel',
      description: 'Posts a text in a linked chat channel.',
      inputs: [FIELDS.channel, FIELDS.content],
      outputs: [FIELDS.channel, field('messageTs', 'Post')],
    },
    {
      name: 'chat.direct-message',
      title: 'Write to a person',
      description: 'Sends a direct message to a user.',
      inputs: [FIELDS.user, FIELDS.content],
      outputs: [FIELDS.user, field('messageTs', 'Post')],
    },
    {
      name: 'chat.react',
      title: 'React to a post',
      description: 'Adds an emoji to a post.',
      inputs: [FIELDS.channel, field('messageTs', 'Post'), field('emoji', 'Emoji', { type: 'emoji' })],
      outputs: [FIELDS.channel],
    },
  ]),
  app('schedule', 'Schedule', 'Flow', [
    {
      name: 'schedule.due',
      type: 'Trigger',
      title: 'At a time of day',
      description:
        'Starts the workflow at a time of each day, or of some days of the week, on no ticket: its steps name theirs.',
      inputs: [
        field('days', 'Days', {
          type: 'multiselect',
          placeholder: '1 is Monday, 7 is Sunday; empty: every day',
        }),
        field('time', 'Time', { placeholder: '09:00' }),
        field('timeZone', 'Time zone', { placeholder: 'Europe/Berlin' }),
      ],
      outputs: [field('at', 'Time', { type: 'datetime' })],
    },
  ]),
  app('wait', 'Wait', 'Flow', [
    {
      name: 'wait.for',
      type: 'Activity',
      title: 'Wait for a while',
      description: 'Goes on after a number of minutes.',
      inputs: [field('minutes', 'Minutes', { type: 'number' })],
      outputs: [field('at', 'Time', { type: 'datetime' })],
    },
    {
      name: 'wait.until',
      type: 'Activity',
      title: 'Wait until a date and time',
      description: 'Goes on at that time.',
      inputs: [field('at', 'Time', { type: 'datetime' })],
      outputs: [field('at', 'Time', { type: 'datetime' })],
    },
    {
      name: 'wait.business-time',
      type: 'Activity',
      title: 'Wait for business time',
      description: 'Goes on after a number of minutes in the business hours of the ticket’s queue.',
      inputs: [FIELDS.ticket, field('minutes', 'Minutes', { type: 'number' })],
      outputs: [field('at', 'Time', { type: 'datetime' })],
    },
    {
      name: 'wait.for-reply',
      type: 'Activity',
      title: 'Wait for an answer',
      description:
        'Goes on when the requester answers, or the team if it says so, or after a number of minutes.',
      inputs: [FIELDS.ticket, field('from', 'From', { type: 'select' }), minutesAtMost],
      outputs: [FIELDS.ticket, FIELDS.message, field('answered', 'Answered', { type: 'checkbox' })],
    },
    {
      name: 'wait.for-children',
      type: 'Activity',
      title: 'Wait for child tickets',
      description: 'Goes on when all children of a ticket are done, or after a number of minutes.',
      inputs: [FIELDS.ticket, minutesAtMost],
      outputs: [FIELDS.ticket, field('done', 'Done', { type: 'checkbox' })],
    },
  ]),
  app('condition', 'Conditions', 'Flow', [
    {
      name: 'condition.if',
      type: 'Conditional',
      title: 'If',
      description: 'Goes one way where a value fits, and another where it does not.',
      inputs: [
        field('value', 'Value'),
        field('condition', 'Condition', { type: 'select' }),
        field('expected', 'Compared with'),
      ],
      outputs: [result],
    },
    {
      name: 'condition.ticket-matches',
      type: 'Conditional',
      title: 'If the ticket is …',
      description: 'Goes one way where a ticket has these values, and another where it does not.',
      inputs: [FIELDS.ticket, FIELDS.status, FIELDS.priority, FIELDS.queue, FIELDS.requestType],
      outputs: [result],
    },
    {
      name: 'condition.business-hours',
      type: 'Conditional',
      title: 'If it is within business hours',
      description:
        'Goes one way within the business hours of the ticket’s queue, and another outside of them.',
      inputs: [FIELDS.ticket],
      outputs: [result],
    },
  ]),
  app('workflow', 'Workflows', 'Flow', [
    {
      name: 'workflow.run',
      title: 'Run another workflow',
      description: 'Starts an Active workflow that can be run by hand, and does not wait for it.',
      inputs: [FIELDS.ticket, field('workflowId', 'Workflow', { type: 'select' })],
      outputs: [FIELDS.ticket, field('runId', 'Run')],
    },
  ]),
];

const ACTIONS = new Map(
  CATALOGUE.flatMap(({ actions }) => actions.map((action) => [action.name, action] as const)),
);

/** Returns the action with a name, or undefined if there is none. */
export function actionNamed(name: string): WorkflowAction | undefined {
  return ACTIONS.get(name);
}
