import type { Priority } from '../../contract/index.ts';

/** A message of a story: its author and text. A `note` is an internal note. */
type Turn = readonly [author: 'agent' | 'requester' | 'note', text: string];

/** A recurring kind of request; `{word}` is replaced by one of its `words`. */
export interface DemoStory {
  queue: 'IT' | 'PPL';
  requestType: string;
  tags: readonly string[];
  priority: Priority;
  title: string;
  description: string;
  words: Readonly<Record<string, readonly string[]>>;
  turns: readonly Turn[];
}

const apps = ['Figma', 'Jira', 'Salesforce', 'Miro', 'Tableau', 'Notion'];
const floors = ['first', 'second', 'third', 'fourth'];
const offices = ['Madrid', 'Lagos', 'Stockholm', 'New York'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
const months = ['this month', 'last month', 'the quarter'];

/** The recurring requests of the demo company. */
export const DEMO_STORIES: readonly DemoStory[] = [
  {
    queue: 'IT',
    requestType: 'VPN and network',
    tags: ['vpn'],
    priority: 'HIGH',
    title: 'VPN does not connect from {place}',
    description: 'I am at {place} and the VPN stops at "{step}". Restarting did not help.',
    words: {
      place: ['home', 'the hotel', 'a customer’s office', 'the train'],
      step: ['verifying', 'connecting', 'authenticating'],
    },
    turns: [
      ['agent', 'Which version does the client show under *About*?'],
      ['requester', '5.2.1'],
      ['agent', 'That version has a known bug. Please install 5.2.2 from the software centre and try again.'],
      ['requester', 'Works, thanks!'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'VPN and network',
    tags: ['wifi', 'office'],
    priority: 'MEDIUM',
    title: 'Slow wifi in the {office} office, {floor} floor',
    description:
      'Video calls freeze in the meeting rooms on the {floor} floor in {office}. It is worst in the morning.',
    words: { office: offices, floor: floors },
    turns: [
      ['agent', 'Thanks, I can see the access point dropping clients. Is it all rooms or just some?'],
      ['requester', 'The two next to the kitchen.'],
      ['note', 'Access point on channel 6 with the microwave next door. Moving it to 5 GHz only.'],
      ['agent', 'I moved that access point to another band. Could you let me know after the next call?'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Access to an application',
    tags: ['access'],
    priority: 'MEDIUM',
    title: 'Access to {app}',
    description: 'I need access to {app} for the {project} project. My lead has agreed.',
    words: { app: apps, project: ['Aurora', 'rebrand', 'onboarding', 'pricing'] },
    turns: [
      ['agent', 'Done: you should have an invitation to {app} in your mailbox.'],
      ['requester', 'Got it, thank you.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Access to an application',
    tags: ['access', 'licence'],
    priority: 'LOW',
    title: 'One more {app} licence',
    description: 'We have run out of {app} seats in our team. Could we have {count} more?',
    words: { app: apps, count: ['one', 'two', 'three'] },
    turns: [
      ['agent', 'Which cost centre should the seats go to?'],
      ['requester', 'Marketing, please.'],
      ['agent', 'The seats are available now.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Password and sign-in',
    tags: ['password'],
    priority: 'HIGH',
    title: 'Locked out of my account',
    description: 'I changed my password on {day}, and since then {where} says it is wrong.',
    words: { day: days, where: ['my phone', 'my laptop', 'my mail app', 'the calendar'] },
    turns: [
      [
        'agent',
        'I unlocked it. An old password is still stored on {where}; please remove it there and sign in again.',
      ],
      ['requester', 'I’m back in, thanks.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Password and sign-in',
    tags: ['mfa'],
    priority: 'HIGH',
    title: 'New phone, no second factor',
    description: 'My old phone is {fate} and I cannot confirm sign-ins any more.',
    words: { fate: ['broken', 'lost', 'with my daughter now', 'wiped'] },
    turns: [
      ['agent', 'I’ll call you to verify your identity. When would suit you?'],
      ['requester', 'Any time before noon.'],
      ['note', 'Identity checked by video call against the badge photo.'],
      ['agent', 'You can register the new phone now; the link is valid for an hour.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'New device',
    tags: ['hardware', 'onboarding'],
    priority: 'MEDIUM',
    title: 'Laptop for a new colleague in {office}',
    description:
      'Someone new starts in {office} on {day} in two weeks. Could we have a {size}-inch laptop for them?',
    words: { office: offices, day: days, size: ['13', '14', '16'] },
    turns: [
      ['agent', 'Ordered. It will be sent to {office}.'],
      ['agent', 'It has arrived and is set up. You can collect it at reception.'],
      ['requester', 'Wonderful, thank you!'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Broken device',
    tags: ['hardware'],
    priority: 'MEDIUM',
    title: '{part} of my laptop is broken',
    description: 'Since {day} the {part} of my laptop {symptom}.',
    words: {
      part: ['screen', 'keyboard', 'battery', 'trackpad', 'camera'],
      symptom: ['does not work', 'works only now and then', 'only works after a restart'],
      day: days,
    },
    turns: [
      ['agent', 'It is still under warranty. Can you do without it for a day?'],
      ['requester', 'On Friday, yes.'],
      ['agent', 'Then bring it by on Friday. I’ll have a spare one for you.'],
      ['requester', 'Picked it up, all fine.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Broken device',
    tags: ['printer', 'office'],
    priority: 'LOW',
    title: 'Printer on the {floor} floor {trouble}',
    description: 'The printer on the {floor} floor in {office} {trouble}.',
    words: {
      floor: floors,
      office: offices,
      trouble: ['jams', 'is out of toner', 'prints stripes', 'is offline'],
    },
    turns: [
      ['agent', 'On my way.'],
      ['agent', 'Fixed.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Suspicious message',
    tags: ['security', 'phishing'],
    priority: 'URGENT',
    title: 'Strange e-mail about {subject}',
    description: 'I got an e-mail about {subject} that asks me to sign in. I have {deed} the link.',
    words: {
      subject: ['an unpaid invoice', 'a parcel', 'my mailbox quota', 'a shared document'],
      deed: ['not opened', 'opened', 'not touched'],
    },
    turns: [
      ['agent', 'Thanks for reporting it. Please do not reply to it.'],
      ['note', 'Same sender as yesterday. Domain blocked, message pulled from 14 mailboxes.'],
      ['agent', 'It was phishing. We removed it from all mailboxes, so there is nothing left for you to do.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Shared folder',
    tags: ['access', 'files'],
    priority: 'MEDIUM',
    title: 'Cannot open the {folder} folder',
    description: 'I get "access denied" on the {folder} folder. I need it for {month}.',
    words: { folder: ['finance', 'design', 'sales', 'legal'], month: months },
    turns: [
      ['agent', 'Who owns the {folder} folder in your team? They have to approve it.'],
      ['requester', 'My team lead, and she says yes.'],
      ['agent', 'You have access now.'],
    ],
  },
  {
    queue: 'IT',
    requestType: 'Meeting room',
    tags: ['office'],
    priority: 'HIGH',
    title: 'No sound in meeting room {room}',
    description: 'People who call in do not hear us in {room}. The next call is in an hour.',
    words: { room: ['Aspen', 'Birch', 'Cedar', 'Maple'] },
    turns: [
      ['agent', 'Coming.'],
      ['agent', 'The microphone was muted at the panel. I put a sign next to it.'],
      ['requester', 'You saved our call, thanks!'],
    ],
  },
  {
    queue: 'PPL',
    requestType: 'Payslip question',
    tags: ['payroll'],
    priority: 'MEDIUM',
    title: 'Question about my payslip for {month}',
    description: 'My payslip for {month} shows a {item} that I don’t understand.',
    words: { month: months, item: ['deduction', 'bonus', 'tax refund', 'correction'] },
    turns: [
      ['agent', 'That is the correction for the month before. The second page shows how it adds up.'],
      ['requester', 'I see it now. Thank you.'],
    ],
  },
  {
    queue: 'PPL',
    requestType: 'Leave',
    tags: ['leave'],
    priority: 'LOW',
    title: 'How many days of leave do I have left?',
    description: 'I would like to take {count} days off around {when}. Do I have enough left?',
    words: {
      count: ['five', 'eight', 'ten'],
      when: ['Christmas', 'Easter', 'midsummer', 'the bank holiday'],
    },
    turns: [
      ['agent', 'You have 11 days left this year, so yes. Please enter them in the calendar.'],
      ['requester', 'Done, thanks.'],
    ],
  },
  {
    queue: 'PPL',
    requestType: 'Employment letter',
    tags: ['documents'],
    priority: 'LOW',
    title: 'Employment letter for {whom}',
    description: '{whom} needs an employment letter from me, in {language} if possible.',
    words: { whom: ['my bank', 'my landlord', 'the consulate'], language: ['English', 'Spanish', 'Swedish'] },
    turns: [['agent', 'It is in your mailbox, signed.']],
  },
  {
    queue: 'PPL',
    requestType: 'Parental leave',
    tags: ['leave', 'family'],
    priority: 'MEDIUM',
    title: 'Parental leave from {when}',
    description:
      'We are expecting a child and I would like to take leave from {when}. What do you need from me?',
    words: { when: ['April', 'May', 'September', 'January'] },
    turns: [
      ['agent', 'Congratulations! Two forms:\n\n- the leave request\n- a copy of the maternity record'],
      ['requester', 'Sent both.'],
      ['note', 'Payroll is informed. Cover to be discussed with the team lead.'],
      ['agent', 'We have everything. You will get the confirmation by post.'],
    ],
  },
  {
    queue: 'PPL',
    requestType: 'Change of personal data',
    tags: ['documents'],
    priority: 'LOW',
    title: 'New {what}',
    description: 'My {what} has changed. Where do I enter it?',
    words: { what: ['address', 'bank account', 'surname', 'emergency contact'] },
    turns: [
      ['agent', 'In your profile under *Personal*. Tell me if the field is locked.'],
      ['requester', 'It was not, thank you.'],
    ],
  },
  {
    queue: 'PPL',
    requestType: 'Travel and expenses',
    tags: ['expenses'],
    priority: 'MEDIUM',
    title: 'Expenses for the trip to {office} not reimbursed yet',
    description: 'I submitted the receipts for the trip to {office} three weeks ago.',
    words: { office: offices },
    turns: [
      ['agent', 'One receipt is missing: the hotel’s. Could you send it?'],
      ['requester', 'Here it is.'],
      ['agent', 'Approved. It will be paid with the next payroll run.'],
    ],
  },
];
