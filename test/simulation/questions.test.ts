import { expect, test } from 'vitest';

import { checkQuestions, type Message } from './questions.ts';

const message = (id: string, by: Message['by'], isNote = false): Message => ({
  id,
  by,
  isNote,
  isDeleted: false,
});
const row = (questionId: string, outcome: string, messageId: string | null = null) => ({
  questionId,
  outcome,
  messageId,
});

/** A ticket whose opening was answered, and whose second question was handed over. */
const ROWS = [row('t1', 'answered', 'm1'), row('m2', 'handed-over')];
const MESSAGES = [
  message('m1', 'agent'),
  message('m2', 'requester'),
  message('m3', 'agent', true),
  message('m4', 'team'),
];

test('finds nothing where each question was settled once', () => {
  expect(checkQuestions('t1', ROWS, MESSAGES)).toEqual([]);
});

test.each<[string, Parameters<typeof checkQuestions>[1], Message[], string]>([
  ['a question that is forgotten', ROWS.slice(0, 1), MESSAGES, 'nothing came of the question m2'],
  ['a second answer', ROWS, [message('m0', 'agent'), ...MESSAGES], 'm0 answers no question'],
  ['an answer that is not there', ROWS, MESSAGES.slice(1), 'the answer m1'],
  ['an answer behind that of a person', ROWS, [message('m4', 'team'), ...MESSAGES], 'after a person had'],
  ['a second note', ROWS, [message('m0', 'agent', true), ...MESSAGES], '2 notes of 1 hand-overs'],
])('finds %s', (_, rows, messages, what) => {
  expect(checkQuestions('t1', rows, messages).map((each) => each.what)).toContainEqual(
    expect.stringContaining(what),
  );
});
