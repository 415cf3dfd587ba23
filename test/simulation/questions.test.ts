import { expect, test } from 'vitest';

import { type Asked, checkQuestions, type Message } from './questions.ts';

const message = (id: string, by: Message['by'], isNote = false): Message => ({
  id,
  by,
  isNote,
  isDeleted: false,
  reactions: [],
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

const ASKED: Asked = { id: 't1', isForTeam: true, rated: new Map() };

test('finds nothing where each question was settled once', () => {
  expect(checkQuestions(ASKED, ROWS, MESSAGES)).toEqual([]);
});

/** The first question again, whose answer did not help. */
const RATED = { ...ASKED, rated: new Map([['m1', '-1']]) };
const ANSWER = { ...message('m1', 'agent'), reactions: ['-1'] };
const NOTE = message('m3', 'agent', true);

test('an answer that did not help hands its ticket over once, and has the rating', () => {
  const rows = ROWS.slice(0, 1);
  expect(checkQuestions(RATED, rows, [ANSWER, NOTE])).toEqual([]);
  expect(checkQuestions(RATED, ROWS, MESSAGES.with(0, ANSWER))).toEqual([]);
  expect(checkQuestions(RATED, rows, [ANSWER])).toHaveLength(1);
  expect(checkQuestions(RATED, rows, [message('m1', 'agent'), NOTE])).toHaveLength(1);
  expect(checkQuestions({ ...RATED, isForTeam: false }, rows, [ANSWER, NOTE])).toHaveLength(1);
});

test.each<[string, Parameters<typeof checkQuestions>[1], Message[], string]>([
  ['a question that is forgotten', ROWS.slice(0, 1), MESSAGES, 'nothing came of the question m2'],
  ['a second answer', ROWS, [message('m0', 'agent'), ...MESSAGES], 'm0 answers no question'],
  ['an answer that is not there', ROWS, MESSAGES.slice(1), 'the answer m1'],
  ['an answer behind that of a person', ROWS, [message('m4', 'team'), ...MESSAGES], 'after a person had'],
  [
    'an answer behind a hand-over',
    ROWS,
    [NOTE, ...MESSAGES.with(2, message('m4', 'team'))],
    'after it had handed over',
  ],
  ['a second note', ROWS, [message('m0', 'agent', true), ...MESSAGES], '2 notes of 1 hand-overs'],
])('finds %s', (_, rows, messages, what) => {
  expect(checkQuestions(ASKED, rows, messages).map((each) => each.what)).toContainEqual(
    expect.stringContaining(what),
  );
});
