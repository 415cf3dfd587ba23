import type { CustomFieldType, Priority, QueueSettings } from '../../contract/index.ts';
import { when, type WorkflowOutline } from '../workflow-config/outline.ts';

type Queue = 'IT' | 'PPL';

/** The targets of both queues, in business hours: ten of them are a day. */
export const DEMO_TARGETS: NonNullable<QueueSettings['targets']> = {
  URGENT: { responseMinutes: 60, resolutionMinutes: 4 * 60 },
  HIGH: { responseMinutes: 2 * 60, resolutionMinutes: 10 * 60 },
  MEDIUM: { responseMinutes: 5 * 60, resolutionMinutes: 30 * 60 },
  LOW: { responseMinutes: 10 * 60, resolutionMinutes: 50 * 60 },
};

/** The business hours of both queues, with the holidays of this year and the next. */
export function demoHours(now: Date, timeZone = 'Europe/Stockholm') {
  const year = now.getUTCFullYear();
  return {
    name: 'Office hours',
    timeZone,
    days: [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' })),
    holidays: [year, year + 1].flatMap((each) => [
      { date: `${each}-01-01`, name: 'New Year’s Day' },
      { date: `${each}-12-25`, name: 'Christmas Day' },
    ]),
  };
}

interface DemoField {
  key: string;
  label: string;
  type: CustomFieldType;
  options?: readonly string[];
}

/** The form fields of the demo. */
export const DEMO_FIELDS: readonly DemoField[] = [
  { key: 'office', label: 'Office', type: 'SELECT', options: ['Madrid', 'Lagos', 'Stockholm', 'New York'] },
  {
    key: 'application',
    label: 'Application',
    type: 'SELECT',
    options: ['Figma', 'Jira', 'Salesforce', 'Miro', 'Tableau', 'Notion'],
  },
  {
    key: 'device',
    label: 'Device',
    type: 'SELECT',
    options: ['Laptop', 'Screen', 'Phone', 'Headset', 'Printer'],
  },
  { key: 'needed_by', label: 'Needed by', type: 'DATE' },
  { key: 'cost_centre', label: 'Cost centre', type: 'TEXT' },
  { key: 'reason', label: 'What for?', type: 'TEXT_AREA' },
  { key: 'first_day', label: 'First day', type: 'DATE' },
  { key: 'opened_link', label: 'Did you open the link?', type: 'BOOLEAN' },
];

interface DemoRequestType {
  queue: Queue;
  name: string;
  emoji: string;
  description: string;
  priority: Priority;
  /** Keys of fields; one that ends in `!` must be filled in. */
  form: readonly string[];
}

/** The names are those that the stories speak of. */
export const DEMO_REQUEST_TYPES: readonly DemoRequestType[] = [
  {
    queue: 'IT',
    name: 'VPN and network',
    emoji: '🌐',
    description: 'No connection, or a slow one.',
    priority: 'HIGH',
    form: ['office'],
  },
  {
    queue: 'IT',
    name: 'Access to an application',
    emoji: '🔑',
    description: 'A seat, a role, a licence.',
    priority: 'MEDIUM',
    form: ['application!', 'reason!', 'cost_centre'],
  },
  {
    queue: 'IT',
    name: 'Password and sign-in',
    emoji: '🔒',
    description: 'Locked out, or a new phone.',
    priority: 'HIGH',
    form: [],
  },
  {
    queue: 'IT',
    name: 'New device',
    emoji: '💻',
    description: 'For you or for somebody who starts.',
    priority: 'MEDIUM',
    form: ['device!', 'office!', 'needed_by', 'cost_centre'],
  },
  {
    queue: 'IT',
    name: 'Broken device',
    emoji: '🛠️',
    description: 'Something does not work any more.',
    priority: 'MEDIUM',
    form: ['device!', 'office'],
  },
  {
    queue: 'IT',
    name: 'Suspicious message',
    emoji: '🎣',
    description: 'Phishing, or what looks like it.',
    priority: 'URGENT',
    form: ['opened_link!'],
  },
  {
    queue: 'IT',
    name: 'Shared folder',
    emoji: '📁',
    description: 'Opening, sharing, restoring.',
    priority: 'MEDIUM',
    form: ['reason'],
  },
  {
    queue: 'IT',
    name: 'Meeting room',
    emoji: '🎥',
    description: 'Screens, sound, bookings.',
    priority: 'HIGH',
    form: ['office!'],
  },
  {
    queue: 'PPL',
    name: 'Payslip question',
    emoji: '💶',
    description: 'What does this line mean?',
    priority: 'MEDIUM',
    form: [],
  },
  {
    queue: 'PPL',
    name: 'Leave',
    emoji: '🏖️',
    description: 'Days off, and how many are left.',
    priority: 'LOW',
    form: ['first_day'],
  },
  {
    queue: 'PPL',
    name: 'Employment letter',
    emoji: '📄',
    description: 'For a bank, a landlord, an office.',
    priority: 'LOW',
    form: ['needed_by', 'reason'],
  },
  {
    queue: 'PPL',
    name: 'Parental leave',
    emoji: '👶',
    description: 'Forms and dates.',
    priority: 'MEDIUM',
    form: ['first_day!'],
  },
  {
    queue: 'PPL',
    name: 'Change of personal data',
    emoji: '🏠',
    description: 'Address, account, name.',
    priority: 'LOW',
    form: [],
  },
  {
    queue: 'PPL',
    name: 'Travel and expenses',
    emoji: '🧾',
    description: 'Trips and receipts.',
    priority: 'MEDIUM',
    form: ['office', 'cost_centre'],
  },
];

/** Collections that request types are kept in. */
export const DEMO_COLLECTIONS: Readonly<Record<Queue, { name: string; emoji: string }>> = {
  IT: { name: 'IT services', emoji: '🧰' },
  PPL: { name: 'People and pay', emoji: '👋' },
};

interface DemoAgent {
  queue: Queue;
  name: string;
  description: string;
  persona: string;
  tone: string;
  greeting: string;
  knowledge: { name: string; documents: readonly { title: string; content: string }[] };
}

export const DEMO_AGENTS: readonly DemoAgent[] = [
  {
    queue: 'IT',
    name: 'Patch',
    description: 'Knows the network, the devices and who may have which application.',
    persona: 'A calm colleague from IT',
    tone: 'friendly',
    greeting: 'Hello! This may help:',
    knowledge: {
      name: 'IT handbook',
      documents: [
        {
          title: 'VPN: version 5.2.1 drops',
          content: 'Version 5.2.1 disconnects every few minutes. Install 5.2.2 from the software centre.',
        },
        {
          title: 'A new phone for the second factor',
          content:
            'Check by video call that it is the owner, then send a registration link, valid for one hour.',
        },
      ],
    },
  },
  {
    queue: 'PPL',
    name: 'Robin',
    description: 'Answers questions about leave, pay and papers.',
    persona: 'A patient colleague from People',
    tone: 'warm',
    greeting: 'Hi! Perhaps this helps:',
    knowledge: {
      name: 'People handbook',
      documents: [
        {
          title: 'Parental leave',
          content:
            'Hand in the leave request and a copy of the maternity record eight weeks before the first day.',
        },
      ],
    },
  },
];

/** Drafts: `requestTypeId` and `approverIds` hold names, which are replaced by ids. */
export const DEMO_WORKFLOWS: readonly WorkflowOutline[] = [
  {
    name: 'Access with approval',
    description:
      'Somebody asks for an application; its approver decides, and the requester reads what was decided.',
    steps: {
      opened: ['Access is asked for', 'ticket.created', { requestTypeId: 'Access to an application' }],
      ask: ['Ask the approver', 'approval.request', { approverIds: ['owner'] }],
      approved: ['Say that it is approved', 'message.reply', { content: 'Your access has been approved.' }],
      declined: ['Say that it is declined', 'message.reply', { content: 'Your access has been declined.' }],
    },
    leads: [
      ['opened', 'ask'],
      ['ask', 'approved', when('ask.decision', 'equals', 'approved')],
      ['ask', 'declined', when('ask.decision', 'equals', 'declined')],
    ],
  },
  {
    name: 'Remind who waits for us',
    description: 'Nobody is left without an answer over a weekend.',
    steps: {
      opened: ['A ticket is opened', 'ticket.created'],
      wait: ['Wait for an answer of the team', 'wait.for-reply', { from: 'team', minutes: 4 * 60 }],
      raise: ['Raise the priority', 'ticket.set-priority', { priority: 'HIGH' }],
    },
    leads: [
      ['opened', 'wait'],
      ['wait', 'raise', when('wait.answered', 'equals', 'false')],
    ],
  },
];

/** Applications that access can be asked for; prices are per seat and month. */
export const DEMO_APPLICATIONS: readonly {
  name: string;
  domain: string;
  price: number;
  levels: readonly string[];
}[] = [
  { name: 'Figma', domain: 'figma.example', price: 15, levels: ['Viewer', 'Editor'] },
  { name: 'Jira', domain: 'jira.example', price: 8, levels: ['Member', 'Administrator'] },
  { name: 'Salesforce', domain: 'salesforce.example', price: 75, levels: ['Read', 'Sales', 'Administrator'] },
  { name: 'Miro', domain: 'miro.example', price: 10, levels: ['Member'] },
  { name: 'Tableau', domain: 'tableau.example', price: 42, levels: ['Viewer', 'Explorer', 'Creator'] },
  { name: 'Notion', domain: 'notion.example', price: 9, levels: ['Member'] },
];

/** Replies for the whole team; without queues, for the tickets of all. */
export const DEMO_CANNED_REPLIES: readonly {
  shortcut: string;
  title: string;
  content: string;
  queues: readonly Queue[];
}[] = [
  {
    shortcut: 'reconnect',
    title: 'Reconnect the VPN',
    queues: ['IT'],
    content:
      'Hi {{requester.first_name}}, please close the VPN client completely and start it again. If the connection still drops, write here which network you are in.\n\n{{agent.first_name}}',
  },
  {
    shortcut: 'serial',
    title: 'Ask for the serial number',
    queues: ['IT'],
    content:
      'Hi {{requester.first_name}}, which serial number is on the back of the device? A photo of the label will do.',
  },
  {
    shortcut: 'approval',
    title: 'Waiting for an approval',
    queues: [],
    content:
      'Thanks {{requester.first_name}}. {{ticket.reference}} needs an approval first. You will read here when it is decided.',
  },
  {
    shortcut: 'solved',
    title: 'Solved',
    queues: [],
    content:
      'Glad to hear that, {{requester.first_name}}. I am closing {{ticket.reference}}; a reply opens it again.\n\n{{agent.first_name}}',
  },
];
