import fc from 'fast-check';
import { expect, test } from 'vitest';

import { drawTicket } from '../../src/bridge/features/ticket-page/plugin.ts';
import { chatToMarkdown } from '../../src/bridge/text/from-chat.ts';
import { markdownToChat } from '../../src/bridge/text/to-chat.ts';
import { withPresentation } from '../../src/desk/shown.ts';
import { markdownToHtml } from '../../src/platform/text/to-html.ts';
import { sanitizeMarkdown } from '../../src/service/answers/sanitize-markdown.ts';
import { cpuMs, longestBlockMs } from '../harness/event-loop.ts';
import { isTooSlow } from '../harness/machine.ts';

const CHARACTERS = 100_000;
/** CPU time of this thread, so that the load of the machine does not count. */
const MS_AT_MOST = 100;
const isSlow = (ms: number) => isTooSlow(ms, MS_AT_MOST);

const names = { user: () => undefined, channel: () => undefined };
const section = (elements: object[]) => ({ type: 'rich_text_section', elements });
const rich = (...elements: object[]) => ({ text: '', blocks: [{ type: 'rich_text', elements }] });

/** Every way a text takes through the program. */
const WAYS: Record<string, (text: string) => string> = {
  'to chat': (text) => JSON.stringify(markdownToChat(text, () => undefined)),
  'to the pages': (text) => markdownToHtml(text),
  'from an answer of an AI agent': (text) => sanitizeMarkdown(text, () => true),
  'from mrkdwn': (text) => chatToMarkdown({ text, blocks: [] }, names),
  'from many styles': (text) =>
    chatToMarkdown(
      rich(
        section(
          (text.match(/[^]{1,50}/g) ?? []).map((words, at) => ({
            type: 'text',
            text: words,
            style: { bold: at % 2 === 0 },
          })),
        ),
      ),
      names,
    ),
  'from code': (text) =>
    chatToMarkdown(rich({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }), names),
  'from a Markdown block': (text) =>
    chatToMarkdown({ text: '', blocks: [{ type: 'markdown', text }] }, names),
};

/** Repeated, these pieces are slow to parse. */
const PIECES = [
  '[a](<',
  '\\[a]\\(<',
  '[a][`x',
  '![',
  '[](',
  '[a](b)',
  '[a]: b\n',
  '*a ',
  '*a_',
  '**a*',
  '_a_ ',
  '~~a',
  '`a',
  '``a`',
  '```\n',
  '<',
  '<http://a',
  '<@U1>',
  '&amp;',
  '\\',
  '\n',
  'a\n',
  '- a\n',
  '> ',
  '# a\n',
  '| 1 | 2 |\n',
  'a|\n-|\n',
  ':+1::skin-tone-3:',
  'word ',
];
const repeated = (piece: string) => piece.repeat(Math.ceil(CHARACTERS / piece.length)).slice(0, CHARACTERS);
const HOSTILE: [name: string, text: string][] = [
  ...PIECES.map((piece): [string, string] => [JSON.stringify(piece), repeated(piece)]),
  ['blanks between words', `a${repeated(' ')}b`.slice(-CHARACTERS)],
  ['an address that ends with stops', `https://a${'!'.repeat(CHARACTERS - 10)}a`],
  ['a table', `| a | b |\n| - | - |\n${repeated('| 1 | 2 |\n')}`.slice(0, CHARACTERS)],
  ['a wide table', `${'|a'.repeat(900)}\n${'|-'.repeat(900)}\n${repeated('x')}`.slice(0, CHARACTERS)],
  ['long items', repeated('- aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n')],
  ['long brackets', repeated(`[${'a'.repeat(30)}`)],
  ['long styles', repeated(`**a_${'b'.repeat(30)}`)],
  [
    'lists in lists',
    Array.from({ length: 75 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n') + repeated('\n'),
  ],
  ['quotes in quotes', repeated(`${'> '.repeat(39)}a\n`)],
  ['more and more backticks', Array.from({ length: 440 }, (_, at) => `e${'`'.repeat(at)}`).join('')],
  ['code that is not closed', `\`\`\`\n${repeated('[a](<\n')}`.slice(0, CHARACTERS)],
];

/** For a slow call: the first one includes compilation. */
const TRIES = 4;

/** CPU milliseconds of a call, the best of a few if it was slow; and its result. */
function measured(call: () => string): { ms: number; result: string } {
  let ms = Infinity;
  let result = '';
  for (let round = 0; round < TRIES && ms > MS_AT_MOST / 2; round++) {
    const before = cpuMs();
    result = call();
    ms = Math.min(ms, Math.round(cpuMs() - before));
  }
  return { ms, result };
}

test.each(Object.entries(WAYS))(
  'a hostile text %s never blocks the event loop for long, and loses no words',
  (_, way) => {
    const results = HOSTILE.map(([name, text]) => {
      const { ms, result } = measured(() => way(`${text.slice(0, CHARACTERS - 20)}\n\nlast words`));
      return { name, ms, complete: result.includes('last words') };
    });
    expect(results.filter(({ ms, complete }) => isSlow(ms) || !complete)).toEqual([]);
  },
);

test('random combinations of hostile pieces never block the event loop for long', () => {
  const piece = fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 }), fc.constant('a'.repeat(30))), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join('') || ' ');
  fc.assert(
    fc.property(fc.constantFrom(...Object.entries(WAYS)), piece, ([, way], part) => {
      const { ms } = measured(() => way(repeated(part)));
      expect([ms, isSlow(ms)]).toEqual([ms, false]);
    }),
    { numRuns: 50, seed: 19 },
  );
});

test('a page of hostile messages lets other work run in between, at the desk and on the ticket’s page', async () => {
  const texts = HOSTILE.slice(0, 20).map(([, text]) => text);
  const messages = texts.map((content) => ({ content, author: 'Ada', at: new Date(0), ticketId: 'tkt_1' }));
  const showing = {
    threadUrl: () => Promise.resolve(undefined),
    pictures: { addressOf: (url: string) => url, serve: () => undefined },
  };
  const view = { code: 'IT-1', title: '', status: '', facts: [], description: '', messages, isCut: false };
  for (const draw of [
    () => withPresentation({ items: messages }, showing),
    () => drawTicket(view, { code: 'IT-1', key: 'key' }),
  ]) {
    const ms = await longestBlockMs(draw);
    expect([ms, isSlow(ms)]).toEqual([ms, false]);
  }
});
