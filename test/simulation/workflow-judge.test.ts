import { expect, test } from 'vitest';

import { checkWorkflows, type Expected, type WorkflowRecords } from './workflow-judge.ts';

const RUN = { id: 'r1', workflowId: 'w1', ticketId: 't1', eventId: 'e1', state: 'finished', chain: ['w1'] };
const step = (stepId: string, outputs: Record<string, unknown> = {}) => ({
  runId: 'r1',
  stepId,
  state: 'done',
  outputs,
  error: null,
});
const REQUEST = { runId: 'r1', stepId: 'post-2', state: 'done', content: 'flow posts', messageTs: '1.1' };

/** A run for a reply, which answered, posted and opened a child. */
const RECORDS: WorkflowRecords = {
  runs: [RUN],
  steps: [
    step('start', { messageId: 'm1' }),
    step('answer-1', { messageId: 'm2' }),
    step('post-2'),
    step('child-3', { ticketId: 't2' }),
    step('approval-4', { decision: 'approved' }),
  ],
  requests: [REQUEST],
  messages: ['m2'],
  tickets: ['t2'],
  decisions: new Map([['t1', 'approved']]),
  posts: [{ text: 'flow posts', ts: '1.1' }],
};
const EXPECTED: Expected = {
  workflowId: 'w1',
  what: 'a reply',
  times: 1,
  isOf: (_run, { outputs }) => outputs?.['messageId'] === 'm1',
};

const found = (change: Partial<WorkflowRecords>, expected = [EXPECTED]) =>
  checkWorkflows({ ...RECORDS, ...change }, expected).map(({ what }) => what);

test('finds nothing in a run that did each step once', () => {
  expect(found({})).toEqual([]);
});

test('what failed waits for a person, and what was stopped may have left things open', () => {
  const waiting = { ...step('wait-4'), state: 'waiting' };
  expect(found({ runs: [{ ...RUN, state: 'failed' }] })).toEqual([]);
  expect(found({ runs: [{ ...RUN, state: 'stopped' }], steps: [...RECORDS.steps, waiting] })).toEqual([]);
});

test.each<[string, Partial<WorkflowRecords>, string]>([
  ['a run that does not end', { runs: [{ ...RUN, state: 'waiting' }] }, 'the run r1 is waiting'],
  ['a chain that goes on', { runs: [{ ...RUN, chain: Array(11).fill('w1') }] }, '11 runs led to r1'],
  [
    'a step that is never done',
    { steps: [...RECORDS.steps, { ...step('tag-4'), state: 'pending' }] },
    'tag-4 of r1 is pending',
  ],
  [
    'a step that deskbridge itself cannot do',
    { steps: [...RECORDS.steps, { ...step('tag-4'), error: 'deskbridge itself failed at this step.' }] },
    'deskbridge itself failed',
  ],
  [
    'a request that chat never answers',
    { requests: [{ ...REQUEST, state: 'pending' }], posts: [] },
    'in vain',
  ],
  [
    'a message that was written twice',
    { messages: ['m2', 'm3'] },
    'no step is done that made the message m3',
  ],
  ['a message that is lost', { messages: [] }, 'no message of the step answer-1'],
  ['a second child', { tickets: ['t2', 't3'] }, 'no step is done that made the ticket t3'],
  [
    'two steps with one effect',
    { steps: [...RECORDS.steps, step('remark-4', { messageId: 'm2' })] },
    'two steps made the message m2',
  ],
  [
    'a post that stands twice',
    { posts: [...RECORDS.posts, { text: 'flow posts', ts: '2.2' }] },
    'stands at 1.1, 2.2, not at 1.1',
  ],
  [
    'a decision that its step does not know',
    { decisions: new Map([['t1', 'declined']]) },
    'says approved, not declined',
  ],
  ['a post that is not there', { posts: [] }, 'stands at no place, not at 1.1'],
  ['a post that nobody asked for', { requests: [] }, 'stands at 1.1, not at'],
])('finds %s', (_, change, what) => {
  expect(found(change)).toEqual([expect.stringContaining(what)]);
});

test('finds a change that started a workflow twice, and one that did not', () => {
  const again = { ...step('start', { messageId: 'm1' }), runId: 'r2' };
  expect(found({ runs: [RUN, { ...RUN, id: 'r2' }], steps: [...RECORDS.steps, again] })).toEqual(
    ['2 runs of w1 for the message m1', '2 runs of w1, not 1: a reply'].map(
      (what) => `not once by a workflow: ${what}`,
    ),
  );
  expect(found({}, [{ ...EXPECTED, workflowId: 'w2' }])).toEqual([
    'not once by a workflow: 0 runs of w2, not 1: a reply',
  ]);
});
