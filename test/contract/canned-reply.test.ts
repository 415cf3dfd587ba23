import { expect, test } from 'vitest';

import { renderCannedReply, unknownVariables } from '../../src/contract/index.ts';

test('every variable is filled in once; one without a value is empty, and values are not read again', () => {
  const values = {
    'requester.first_name': 'Ada',
    'ticket.title': '{{agent.name}} $& $1',
    'agent.name': null,
  } as const;
  const content =
    'Hi {{requester.first_name}} {{ requester.first_name }}: {{ticket.title}}{{agent.name}}{{queue.name}}.';
  expect(renderCannedReply(content, values)).toBe('Hi Ada Ada: {{agent.name}} $& $1.');
});

test('what is no variable is named once and stays in the text', () => {
  const content =
    '{{requester.nick}} {{}} {{ requester.nick }} {{agent.name}} {single} {{open {{queue.name}}';
  expect(unknownVariables(content)).toEqual(['requester.nick', '']);
  expect(renderCannedReply(content, { 'agent.name': 'Bo', 'queue.name': 'IT' })).toBe(
    '{{requester.nick}} {{}} {{ requester.nick }} Bo {single} {{open IT',
  );
});

test('a text of many braces is read in time that grows with its length alone', () => {
  for (const text of ['{'.repeat(100_000), `{{${' '.repeat(99_998)}`, '{{ '.repeat(33_000)])
    expect(renderCannedReply(text, {})).toBe(text);
});
