import { expect, it } from 'vitest';

import { problemsOf } from '../../../src/service/workflows/checks.ts';
import { copyOf } from '../../../src/service/workflows/content.ts';
import {
  contentOf,
  otherwise,
  when,
  type WorkflowOutline,
} from '../../../src/service/workflow-config/outline.ts';
import { TEMPLATES } from '../../../src/service/workflow-config/templates.ts';

type Parts = Pick<WorkflowOutline, 'steps' | 'leads'>;

const OPENED = ['Opened', 'ticket.created'] as const;
const NOTE = ['Note', 'message.note', { content: 'x' }] as const;
const WHOLE: Parts = { steps: { opened: OPENED, note: NOTE }, leads: [['opened', 'note']] };

const problems = (parts: Parts) =>
  problemsOf(contentOf(parts)).map(({ path, message }) => `${path}: ${message}`);

it('a whole workflow has no problems', () => {
  expect(problems(WHOLE)).toEqual([]);
  expect(
    problems({
      steps: {
        opened: OPENED,
        ask: ['Ask', 'approval.request', { approverIds: ['usr_1'], ticketId: 'opened' }],
        note: ['Note', 'message.note', { content: '{{ask.decision}} {{ticket.customFields.floor}}' }],
        other: NOTE,
      },
      leads: [
        ['opened', 'ask', when('customFields.floor', 'equals', '2')],
        ['ask', 'note', when('ask.decision', 'equals', 'approved')],
        ['ask', 'other', otherwise],
      ],
    }),
  ).toEqual([]);
});

const WRONG: Record<string, [Parts, string[]]> = {
  'an old value of no field': [
    { ...WHOLE, steps: { opened: ['Changed', 'ticket.updated', { from: 'sts_1' }], note: NOTE } },
    ['steps.0.inputs.fields: Name the field that has these values'],
  ],
  'an old value of a text': [
    {
      ...WHOLE,
      steps: { opened: ['Changed', 'ticket.updated', { fields: 'priority,title', to: 'HIGH' }], note: NOTE },
    },
    ['steps.0.inputs.fields: The old and the new value of "title" cannot be asked for'],
  ],
  'a schedule that is none': [
    {
      ...WHOLE,
      steps: {
        opened: ['Then', 'schedule.due', { days: '1,8', time: '9', timeZone: 'Mars' }],
        note: ['Note', 'message.note', { ticketId: 'tkt_1', content: 'x' }],
      },
    },
    [
      'steps.0.inputs.days: Expected days from 1 (Monday) to 7',
      'steps.0.inputs.time: Expected a time of day, such as 09:00',
      'steps.0.inputs.timeZone: Not an IANA time zone',
    ],
  ],
  'a ticket on a schedule': [
    {
      ...WHOLE,
      steps: {
        opened: ['Then', 'schedule.due', { time: '09:00', timeZone: 'UTC' }],
        note: ['Note', 'message.note', { content: 'About {{ticket.code}}' }],
      },
    },
    [
      'steps.1.inputs.ticketId: A schedule runs on no ticket: name one that a step before this one opens or finds',
      'steps.1.inputs.content: A schedule runs on no ticket: name one that a step before this one opens or finds',
    ],
  ],
  'a time that is none': [
    { ...WHOLE, steps: { opened: ['Idle', 'ticket.idle', { of: 'sleep', minutes: 0 }], note: NOTE } },
    [
      'steps.0.inputs.of: Expected activity, team-reply, requester-reply or status-change',
      'steps.0.inputs.minutes: Expected a minute or more',
    ],
  ],
  'no trigger': [
    { steps: { note: NOTE }, leads: [] },
    ['steps: A workflow needs a trigger', 'steps.0: No connection leads to this step'],
  ],
  'nothing to do': [
    { steps: { opened: OPENED }, leads: [] },
    ['steps: A workflow needs a step that does something'],
  ],
  'a cycle': [
    {
      steps: { opened: OPENED, a: NOTE, b: NOTE },
      leads: [
        ['opened', 'a'],
        ['a', 'b'],
        ['b', 'a'],
      ],
    },
    ['steps.1: This step leads back to itself', 'steps.2: This step leads back to itself'],
  ],
  'a missing input': [
    { ...WHOLE, steps: { opened: OPENED, note: ['Note', 'message.note', { content: '' }] } },
    ['steps.1.inputs.content: This step needs a value here'],
  ],
  'words of a ticket in chat': [
    {
      ...WHOLE,
      steps: {
        opened: OPENED,
        note: ['Post', 'chat.post', { channelId: 'chn_1', content: '{{ticket.code}}: {{ticket.title}}' }],
      },
    },
    ['steps.1.inputs.content: A post in chat names a ticket by its code: others may read it there'],
  ],
  'the output of a step in chat': [
    {
      ...WHOLE,
      steps: { opened: OPENED, note: ['Post', 'chat.post', { channelId: 'chn_1', content: 'opened' }] },
    },
    ['steps.1.inputs.content: A post in chat names a ticket by its code: others may read it there'],
  ],
  'the output of a later step': [
    {
      steps: { opened: OPENED, a: ['Move', 'ticket.move', { queueId: 'b' }], b: ['Open', 'ticket.create'] },
      leads: [
        ['opened', 'a'],
        ['a', 'b'],
      ],
    },
    ['steps.1.inputs.queueId: The step "b" does not come before this one'],
  ],
  'a reference to nothing in a field': [
    {
      ...WHOLE,
      steps: { opened: OPENED, note: ['Change', 'ticket.update', { data: { title: '{{gone.x}}' } }] },
    },
    ['steps.1.inputs.data: There is no step "gone"'],
  ],
  'a missing status': [
    { ...WHOLE, steps: { opened: OPENED, note: ['Close', 'ticket.set-status'] } },
    ['steps.1.inputs.statusId: This step needs a value here'],
  ],
  'a step that nothing leads to': [
    { ...WHOLE, steps: { ...WHOLE.steps, lost: NOTE } },
    ['steps.2: No connection leads to this step'],
  ],
  'a step that leads to a trigger': [
    {
      steps: { opened: OPENED, note: NOTE, run: ['Run', 'ticket.run'] },
      leads: [
        ['opened', 'note'],
        ['note', 'run'],
      ],
    },
    ['steps.2: A trigger begins a run: no connection leads to it'],
  ],
  'references to nothing': [
    {
      ...WHOLE,
      steps: {
        opened: OPENED,
        note: ['Note', 'message.note', { content: '{{gone.x}} {{ticket.mood}} {{opened.mood}}' }],
      },
    },
    [
      'steps.1.inputs.content: There is no step "gone"',
      'steps.1.inputs.content: A ticket has no field "mood"',
      'steps.1.inputs.content: The step "opened" has no output "mood"',
    ],
  ],
  'a reference to a later step': [
    {
      steps: {
        opened: OPENED,
        note: ['Note', 'message.note', { content: '{{ask.decision}}' }],
        ask: ['Ask', 'approval.request', { approverIds: ['usr_1'] }],
      },
      leads: [
        ['opened', 'note'],
        ['note', 'ask'],
      ],
    },
    ['steps.1.inputs.content: The step "ask" does not come before this one'],
  ],
  'criteria of nothing': [
    { ...WHOLE, leads: [['opened', 'note', when('mood', 'equals', 'x')]] },
    ['connections.0.criteria: A ticket has no field "mood"'],
  ],
};

it.each(Object.entries(WRONG))('finds %s', (_what, [parts, expected]) => {
  expect(problems(parts)).toEqual(expected);
});

it('finds criteria that cannot be read, and unknown actions', () => {
  const content = contentOf(WHOLE);
  const [connection] = content.connections;
  const [opened, note] = content.steps;
  if (!connection || !opened || !note) throw new Error('incomplete');
  expect(problemsOf({ ...content, connections: [{ ...connection, criteria: { equals: 'x' } }] })[0]).toEqual({
    path: 'connections.0.criteria',
    message: 'These criteria cannot be read',
  });
  expect(problemsOf({ ...content, steps: [opened, { ...note, action: 'rocket.launch' }] })[0]).toEqual({
    path: 'steps.1.action',
    message: 'There is no action "rocket.launch"',
  });
});

it.each(TEMPLATES)(
  'the template $name, and a copy of it, lack nothing but what a person fills in',
  (template) => {
    const content = contentOf(template);
    let last = 0;
    const copy = copyOf(content, (prefix) => `${prefix}_${++last}`);
    for (const each of [content, copy])
      expect(problemsOf(each).filter(({ message }) => message !== 'This step needs a value here')).toEqual(
        [],
      );
  },
);

it.each(TEMPLATES)('a copy of the template $name does what the template does', (template) => {
  const content = contentOf(template);
  let last = 0;
  const copy = copyOf(content, (prefix) => `${prefix}_${++last}`);
  const idOf = new Map(copy.steps.map(({ id }, at) => [id, content.steps[at]?.id ?? '']));
  const values = ({ connections: each }: typeof content) => JSON.stringify(each).match(/"value":"[^"]*"/g);
  expect(values(copy)).toEqual(values(content));
  const withOldIds = JSON.stringify(copy).replaceAll(/[a-z]+_\d+/g, (id) => idOf.get(id) ?? id);
  const withoutId = ({ id: _id, ...connection }: (typeof content.connections)[number]) => connection;
  const { steps, connections } = JSON.parse(withOldIds) as typeof content;
  expect([steps, connections.map(withoutId)]).toEqual([content.steps, content.connections.map(withoutId)]);
});
