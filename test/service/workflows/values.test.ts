import { expect, it } from 'vitest';

import { flowOf } from '../../../src/service/workflow-config/flow.ts';
import { contentOf } from '../../../src/service/workflow-config/outline.ts';
import { inputsOf, type Scope, StepFailure, valueIn } from '../../../src/service/workflows/values.ts';

const SCOPE: Scope = {
  ticket: { code: 'IT-1', title: 'A *bold* title', description: null, tags: ['tag_1', 'tag_2'] },
  outputs: new Map([['opened', { ticketId: 'tkt_1', assigneeId: 'usr_1', requesterId: 'usr_2' }]]),
};

/** The inputs of a step after a trigger. */
function inputs(action: string, given: Record<string, unknown>) {
  const { steps } = flowOf(
    contentOf({
      steps: { opened: ['Opened', 'ticket.created'], step: ['Step', action, given] },
      leads: [['opened', 'step']],
    }),
  );
  const step = steps[1];
  if (!step) throw new Error('no step');
  return inputsOf(step, steps, SCOPE);
}

it.each([
  ['a value', 'ticket.assign', { assigneeId: 'usr_9' }, { assigneeId: 'usr_9' }],
  ['a whole reference', 'ticket.assign', { assigneeId: '{{opened.requesterId}}' }, { assigneeId: 'usr_2' }],
  ['a step’s id: its output of that name', 'ticket.assign', { ticketId: 'opened' }, { ticketId: 'tkt_1' }],
  [
    'a step’s id: its first output of that kind',
    'chat.direct-message',
    { userId: 'opened' },
    { userId: 'usr_1' },
  ],
  [
    'a list',
    'ticket.add-tags',
    { tagIds: ['tag_9', '{{ticket.tags}}'] },
    { tagIds: ['tag_9', 'tag_1', 'tag_2'] },
  ],
  [
    'words, plain in a title',
    'ticket.create',
    { title: 'On {{ticket.title}}' },
    { title: 'On A *bold* title' },
  ],
  [
    'fields, of which the description is Markdown',
    'ticket.update',
    {
      data: {
        title: 'On {{ticket.title}}',
        description: 'On {{ticket.title}}',
        assigneeId: 'opened',
        private: true,
      },
    },
    {
      data: {
        title: 'On A *bold* title',
        description: String.raw`On A \*bold\* title`,
        assigneeId: 'usr_1',
        private: true,
      },
    },
  ],
  ['nothing, if it is a condition’s', 'condition.if', { value: '{{ticket.dueAt}}' }, { value: undefined }],
  ['a number', 'wait.for', { minutes: 5 }, { minutes: 5 }],
  ['no reference', 'message.note', { content: 'a {{ brace }}' }, { content: 'a {{ brace }}' }],
])('an input is %s', (_what, action, given, resolved) => {
  expect(inputs(action, given)).toEqual(resolved);
});

it('escapes what it inserts into Markdown', () => {
  expect(inputs('message.reply', { content: '**{{ticket.code}}**: {{ ticket.title }}' })).toEqual({
    content: String.raw`**IT-1**: A \*bold\* title`,
  });
  expect(inputs('message.reply', { content: '{{ticket.title}}' })).toEqual({
    content: String.raw`A \*bold\* title`,
  });
});

it.each(['{{ticket.description}}', 'See {{ticket.dueAt}}', '{{opened.content}}', '{{gone.ticketId}}'])(
  'fails the step whose input %s has no value',
  (content) => {
    expect(() => inputs('message.note', { content })).toThrow(StepFailure);
  },
);

it('criteria read fields of the ticket and outputs of steps', () => {
  const valueOf = valueIn({
    ticket: { priority: 'LOW', 'customFields.floor': 2 },
    outputs: new Map([['ask', { decision: 'approved' }]]),
  });
  expect(['priority', 'customFields.floor', 'ask.decision', 'ask.reason', 'nothing'].map(valueOf)).toEqual([
    'LOW',
    2,
    'approved',
    undefined,
    undefined,
  ]);
});
