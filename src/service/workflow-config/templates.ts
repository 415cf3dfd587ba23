import { otherwise, when, type WorkflowOutline } from './outline.ts';

const MINUTES_OF_DAY = 24 * 60;

/**
 * The workflows that a workspace has to begin with. What is empty in them is to be filled in, in a copy: a queue, a person,
 * a request type.
 */
export const TEMPLATES: readonly WorkflowOutline[] = [
  {
    name: 'Out of hours',
    description: 'Says at once that nobody is there, outside the business hours of the queue.',
    steps: {
      opened: ['A ticket is opened', 'ticket.created'],
      hours: ['Within business hours?', 'condition.business-hours'],
      tell: [
        'Tell the requester',
        'message.reply',
        {
          content:
            'Thank you. Nobody is here at the moment; your request {{ticket.code}} is read first thing when we are back.',
        },
      ],
    },
    leads: [
      ['opened', 'hours'],
      ['hours', 'tell', otherwise],
    ],
  },
  {
    name: 'Escalate an unanswered urgent ticket',
    description:
      'Tells a channel and a lead if nobody has replied to an urgent ticket within an hour. Name both.',
    steps: {
      opened: ['An urgent ticket is opened', 'ticket.created', { priority: 'URGENT' }],
      wait: ['Wait for a reply of the team', 'wait.for-reply', { from: 'team', minutes: 60 }],
      note: [
        'Leave a note',
        'message.note',
        { content: 'Nobody has replied to this urgent ticket for an hour.' },
      ],
      post: [
        'Post in a channel',
        'chat.post',
        { channelId: '', content: 'Nobody has replied to {{ticket.code}} for an hour. It is urgent.' },
      ],
      tell: [
        'Write to the lead',
        'chat.direct-message',
        { userId: '', content: 'Nobody has replied to {{ticket.code}} for an hour. It is urgent.' },
      ],
    },
    leads: [
      ['opened', 'wait'],
      ['wait', 'note', when('wait.answered', 'equals', 'false')],
      ['note', 'post'],
      ['note', 'tell'],
    ],
  },
  {
    name: 'Remind the requester, then close',
    description: 'Reminds a requester after three days of waiting, and closes the ticket after two more.',
    steps: {
      waiting: ['A ticket waits for its requester', 'ticket.updated', { statusGroup: 'PENDING' }],
      first: ['Wait three days', 'wait.for-reply', { minutes: 3 * MINUTES_OF_DAY }],
      still: [
        'Does it still wait, without a break?',
        'condition.if',
        { value: '{{ticket.statusChangedAt}}', condition: 'lte', expected: '{{waiting.at}}' },
      ],
      remind: [
        'Remind the requester',
        'message.reply',
        { content: 'We still need your answer to {{ticket.code}}. Without one, it is closed in two days.' },
      ],
      second: ['Wait two more days', 'wait.for-reply', { minutes: 2 * MINUTES_OF_DAY }],
      stillThen: [
        'Does it still wait, without a break?',
        'condition.if',
        { value: '{{ticket.statusChangedAt}}', condition: 'lte', expected: '{{waiting.at}}' },
      ],
      close: ['Close it', 'ticket.set-status', { statusGroup: 'CLOSED' }],
    },
    leads: [
      ['waiting', 'first'],
      ['first', 'still', when('first.answered', 'equals', 'false')],
      ['still', 'remind'],
      ['remind', 'second'],
      ['second', 'stillThen', when('second.answered', 'equals', 'false')],
      ['stillThen', 'close'],
    ],
  },
  {
    name: 'Route by words',
    description: 'Moves tickets about invoices to the queue that handles them. Name the queue and the words.',
    steps: {
      opened: ['A ticket is opened', 'ticket.created'],
      about: [
        'Is it about an invoice?',
        'condition.if',
        { value: '{{ticket.title}}', condition: 'contains', expected: 'invoice' },
      ],
      move: ['Move it', 'ticket.move', { queueId: '' }],
    },
    leads: [
      ['opened', 'about'],
      ['about', 'move'],
    ],
  },
  {
    name: 'Approval',
    description: 'Asks for approval and says what was decided. Name the request type and the approvers.',
    steps: {
      opened: ['A ticket is opened', 'ticket.created', { requestTypeId: '' }],
      ask: ['Ask for approval', 'approval.request', { approverIds: [] }],
      approved: [
        'Say that it is approved',
        'message.reply',
        { content: 'Your request was approved. We start now.' },
      ],
      declined: ['Say that it is declined', 'message.reply', { content: 'Your request was declined.' }],
      close: ['Close it', 'ticket.set-status', { statusGroup: 'CLOSED' }],
    },
    leads: [
      ['opened', 'ask'],
      ['ask', 'approved', when('ask.decision', 'equals', 'approved')],
      ['ask', 'declined', otherwise],
      ['declined', 'close'],
    ],
  },
  {
    name: 'A bad rating',
    description: 'Reopens a ticket that was rated badly, and tells a lead. Name the lead.',
    steps: {
      rated: ['A ticket is rated', 'ticket.rated'],
      reopen: ['Reopen it', 'ticket.set-status', { statusGroup: 'OPEN' }],
      tell: [
        'Write to the lead',
        'chat.direct-message',
        { userId: '', content: '{{ticket.code}} was rated badly and is open again.' },
      ],
      note: [
        'Leave a note',
        'message.note',
        { content: 'The requester rated this with {{rated.score}} of 5.' },
      ],
    },
    leads: [
      ['rated', 'reopen', when('rated.score', 'lte', '2')],
      ['reopen', 'note'],
      ['note', 'tell'],
    ],
  },
  {
    name: 'Onboarding',
    description: 'Opens a ticket for each thing that a new colleague needs, and says when all of it is done.',
    steps: {
      opened: ['It is run on a ticket', 'ticket.run'],
      device: [
        'Device',
        'ticket.create',
        { title: 'Device for {{ticket.title}}', parentId: '{{opened.ticketId}}' },
      ],
      accounts: [
        'Accounts',
        'ticket.create',
        { title: 'Accounts for {{ticket.title}}', parentId: '{{opened.ticketId}}' },
      ],
      access: [
        'Access',
        'ticket.create',
        { title: 'Badge for {{ticket.title}}', parentId: '{{opened.ticketId}}' },
      ],
      wait: ['Wait for all of them', 'wait.for-children'],
      tell: ['Say that all is ready', 'message.reply', { content: 'Everything is ready.' }],
      solve: ['Solve it', 'ticket.set-status', { statusGroup: 'RESOLVED' }],
    },
    leads: [
      ['opened', 'device'],
      ['opened', 'accounts'],
      ['opened', 'access'],
      ['device', 'wait'],
      ['accounts', 'wait'],
      ['access', 'wait'],
      ['wait', 'tell'],
      ['tell', 'solve'],
    ],
  },
];
