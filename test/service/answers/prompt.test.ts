import { expect, test } from 'vitest';

import { promptFor } from '../../../src/service/answers/prompt.ts';
import type { PromptContext } from '../../../src/service/answers/provider.ts';

const CONTEXT: PromptContext = {
  agent: { name: 'Aide', description: null, personality: null },
  workspace: 'Acme',
  ticket: { title: 'Printer', description: null },
  conversation: [],
  passages: [],
  isFirst: true,
  handsOver: false,
};
const PERSONALITY = { persona: null, tone: null, emoji: null, length: null, greeting: null, branding: null };

/** The lines of the instructions that are there for one agent but not for one without a style. */
function styleOf(agent: Partial<PromptContext['agent']>): string[] {
  const lines = (context: PromptContext) => promptFor(context)[0]?.content.split('\n') ?? [];
  const plain = lines(CONTEXT);
  return lines({ ...CONTEXT, agent: { ...CONTEXT.agent, ...agent } }).filter((line) => !plain.includes(line));
}

test.each([
  ['no style', {}, []],
  ['an empty personality', { personality: PERSONALITY }, []],
  ['a description', { description: 'laptops' }, ['What you know about: laptops']],
  [
    'a persona',
    { personality: { ...PERSONALITY, persona: 'a patient engineer' } },
    ['You are: a patient engineer.'],
  ],
  ['a tone', { personality: { ...PERSONALITY, tone: 'friendly' } }, ['Tone: friendly.']],
  ['a length', { personality: { ...PERSONALITY, length: 'short' } }, ['Length of your answers: short.']],
  ['emoji', { personality: { ...PERSONALITY, emoji: 'none' } }, ['Emoji: none.']],
] as const)('the instructions of an agent with %s say so, and nothing else', (_, agent, wanted) => {
  expect(styleOf(agent)).toEqual(wanted);
});
