import { expect, test } from 'vitest';

import { PROMPTS, questionIn } from '../../src/bridge/features/assistant/rules.ts';

test.each([
  ['I want to open a request', { asks: 'request' }],
  ['show my open requests.', { asks: 'mine' }],
  ['Search tickets', { asks: 'search', words: '' }],
  ['what else can I do here', { asks: 'help' }],
  ['search: vpn on my phone', { asks: 'search', words: 'vpn on my phone' }],
  ['Search:', { asks: 'search', words: '' }],
  ['Search in the wiki finds nothing', undefined],
  ['I want to open a request for a laptop', undefined],
  ['', undefined],
])('B61 %s is understood in the assistant pane', (words, question) => {
  expect(questionIn(words)).toEqual(question);
});

test('B61 whatever is offered in the assistant pane is understood, and chat takes no more than four', () => {
  expect(PROMPTS.length).toBeLessThanOrEqual(4);
  expect(PROMPTS.filter(({ message }) => !questionIn(message))).toEqual([]);
});
