import type { Priority, STATUS_GROUPS } from '../../contract/index.ts';

export interface DemoTicket {
  queue: 'IT' | 'PPL';
  title: string;
  description: string;
  priority: Priority;
  /** The key of a person, as for `assignee` and the authors of messages. */
  requester: string;
  assignee?: string;
  /** Open when absent. */
  status?: (typeof STATUS_GROUPS)[number];
  minutesAgo: number;
  messages: readonly { from: string; text: string; minutesAgo: number; private?: boolean }[];
  requestType?: string;
  tags?: readonly string[];
  /** The requester's rating, 1 to 5. */
  rating?: number;
  /** It was opened in its queue's channel, with a thread there, if the demo has a chat. */
  inChat?: true;
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** Current tickets of the demo's company, in addition to its history. Mira and Sam are the desk's agents. */
export const DEMO_TICKETS: readonly DemoTicket[] = [
  {
    queue: 'IT',
    inChat: true,
    title: 'VPN drops every few minutes at home',
    description:
      'Since the update on Monday the VPN disconnects every five to ten minutes when I work from home. It works fine in the office. It says "gateway not responding".',
    priority: 'HIGH',
    requester: 'ada',
    assignee: 'mira',
    status: 'In Progress',
    minutesAgo: 5 * HOUR,
    messages: [
      {
        from: 'mira',
        text: 'Thanks, Ada. Which version does the client show under About? We have seen this with 5.2.1.',
        minutesAgo: 4 * HOUR,
      },
      { from: 'ada', text: 'It says 5.2.1, build 340.', minutesAgo: 4 * HOUR - 10 },
      {
        from: 'mira',
        text: 'Third one with this build today. Rolling 5.2.2 out to the pilot group this afternoon.',
        minutesAgo: 3 * HOUR,
        private: true,
      },
    ],
  },
  {
    queue: 'IT',
    inChat: true,
    title: 'New laptop for Jonas, starting on the 1st',
    description:
      'Jonas Weber joins the design team on the 1st. He needs a 14-inch laptop and a second screen.',
    priority: 'MEDIUM',
    requester: 'ben',
    assignee: 'sam',
    status: 'Waiting',
    minutesAgo: 2 * DAY,
    messages: [
      {
        from: 'sam',
        text: 'Ordered; the shop says Thursday. I will set it up as soon as it is here.',
        minutesAgo: 2 * DAY - 3 * HOUR,
      },
    ],
  },
  {
    queue: 'IT',
    inChat: true,
    title: 'Cannot open the finance share',
    description:
      'I get "access denied" on the finance share since this morning. I need it for the month end.',
    priority: 'URGENT',
    requester: 'ben',
    minutesAgo: 25,
    messages: [],
  },
  {
    queue: 'IT',
    inChat: true,
    title: 'Printer on the second floor is out of toner',
    description:
      'The printer on the second floor is out of toner, the big one next to the kitchen. Black only.',
    priority: 'LOW',
    requester: 'ada',
    assignee: 'sam',
    status: 'Done',
    minutesAgo: 4 * DAY,
    messages: [
      {
        from: 'sam',
        text: 'Changed it, and put a spare one in the cupboard.',
        minutesAgo: 4 * DAY - 2 * HOUR,
      },
      { from: 'ada', text: 'Perfect, thank you!', minutesAgo: 4 * DAY - 3 * HOUR },
    ],
  },
  {
    queue: 'PPL',
    title: 'Parental leave: what do I need to hand in?',
    description: 'Our second child is due in April. Which forms do you need from me, and until when?',
    priority: 'MEDIUM',
    requester: 'ben',
    assignee: 'mira',
    status: 'In Progress',
    minutesAgo: DAY,
    messages: [
      {
        from: 'mira',
        text: 'Congratulations! Two forms, and eight weeks before the first day is enough:\n\n- the leave request\n- a copy of the maternity record',
        minutesAgo: 20 * HOUR,
      },
    ],
  },
  {
    queue: 'PPL',
    title: 'Employment letter for the bank',
    description: 'My bank asks for an employment letter, in English if possible.',
    priority: 'LOW',
    requester: 'ada',
    minutesAgo: 3 * HOUR,
    messages: [],
  },
];
