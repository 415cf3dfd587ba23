import type { WorkflowAction, WorkflowApp } from '../../contract/index.ts';
import { field, FIELDS } from './fields.ts';

type Given = Omit<WorkflowAction, 'app' | 'group' | 'type'> & Partial<Pick<WorkflowAction, 'type'>>;

/** Appended to every description, because API users see no other docs. */
const STORED_ONLY = 'Stored only: this service executes no workflows.';

/** An app whose actions have its name, as in the configuration records. */
function app(id: string, name: string, group: string, actions: readonly Given[]): WorkflowApp {
  return {
    id,
    name,
    group,
    actions: actions.map((action) => ({
      type: 'Action',
      ...action,
      description: `${action.description} ${STORED_ONLY}`,
      group,
      app: id,
    })),
  };
}

const TICKET = [FIELDS.ticket, FIELDS.status, FIELDS.priority, FIELDS.assignee, FIELDS.requester];

/** The possible steps of workflows (docs/api.md, Configuration records): configured here, but not executed. */
export const CATALOGUE: readonly WorkflowApp[] = [
  app('ticket', 'Tickets', 'Tickets', [
    {
      name: 'ticket.created',
      type: 'Trigger',
      title: 'When a ticket is opened',
      description: 'Starts the workflow for every new ticket of a queue.',
      inputs: [FIELDS.queue, FIELDS.requestType],
      outputs: TICKET,
    },
    {
      name: 'ticket.updated',
      type: 'Trigger',
      title: 'When a ticket changes',
      description: 'Starts the workflow when a ticket of a queue is written to.',
      inputs: [FIELDS.queue, FIELDS.status],
      outputs: TICKET,
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
      ],
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
      description: 'Puts a ticket into a status.',
      inputs: [FIELDS.ticket, FIELDS.status],
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
  ]),
  app('message', 'Messages', 'Messages', [
    {
      name: 'message.created',
      type: 'Trigger',
      title: 'When somebody answers',
      description: 'Starts the workflow for every new message on a ticket of a queue.',
      inputs: [FIELDS.queue],
      outputs: [FIELDS.message, FIELDS.ticket, FIELDS.user, FIELDS.content],
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
  ]),
  app('approval', 'Approvals', 'Approvals', [
    {
      name: 'approval.request',
      type: 'Activity',
      title: 'Ask for approval',
      description: 'Asks people to approve a ticket and waits for the first decision.',
      inputs: [FIELDS.ticket, FIELDS.approvers, FIELDS.reason],
      outputs: [FIELDS.ticket, field('decision', 'Decision', { type: 'select' }), FIELDS.user, FIELDS.reason],
    },
    {
      name: 'approval.remind',
      title: 'Remind approvers',
      description: 'Reminds those who have not decided yet.',
      inputs: [FIELDS.ticket, FIELDS.content],
      outputs: [FIELDS.ticket],
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
  app('wait', 'Wait', 'Flow', [
    {
      name: 'wait.for',
      type: 'Activity',
      title: 'Wait for a while',
      description: 'Goes on after a number of minutes.',
      inputs: [field('minutes', 'Minutes', { type: 'number' })],
      outputs: [field('at', 'Instant', { type: 'datetime' })],
    },
    {
      name: 'wait.until',
      type: 'Activity',
      title: 'Wait until an instant',
      description: 'Goes on at an instant.',
      inputs: [field('at', 'Instant', { type: 'datetime' })],
      outputs: [field('at', 'Instant', { type: 'datetime' })],
    },
    {
      name: 'wait.for-reply',
      type: 'Activity',
      title: 'Wait for an answer',
      description: 'Goes on when the requester answers, or after a number of minutes.',
      inputs: [FIELDS.ticket, field('minutes', 'Minutes at most', { type: 'number' })],
      outputs: [FIELDS.message, FIELDS.content, field('answered', 'Answered', { type: 'checkbox' })],
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
        field('expected', 'Expected'),
      ],
      outputs: [field('result', 'Result', { type: 'checkbox' })],
    },
    {
      name: 'condition.ticket-matches',
      type: 'Conditional',
      title: 'If the ticket is …',
      description: 'Goes one way where a ticket has these values, and another where it does not.',
      inputs: [FIELDS.ticket, FIELDS.status, FIELDS.priority, FIELDS.queue, FIELDS.requestType],
      outputs: [field('result', 'Result', { type: 'checkbox' })],
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
