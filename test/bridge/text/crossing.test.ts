import { describe, expect, test } from 'vitest';

import { chatToMarkdown } from '../../../src/bridge/text/from-chat.ts';
import { withSigns } from '../../../src/platform/text/emoji.ts';
import { markdownToHtml } from '../../../src/platform/text/to-html.ts';
import { CROSSINGS } from './crossings.ts';
import { names } from './documents.ts';
import { readBack, rich, squeezed, textsIn, toChat } from './rules.ts';

/** HTML without what is the same for every link and table. */
function briefHtml(markdown: string): string {
  return markdownToHtml(markdown)
    .replaceAll(/<a href="([^"]*)" rel="noopener noreferrer nofollow">/g, '<a $1>')
    .replaceAll(/ tabindex="0"| class="wide"/g, '');
}

describe('P9 a text that is easily misread', () => {
  test.each(CROSSINGS)('%j is the same at the desk, in chat and back', (markdown, html, back) => {
    expect(briefHtml(markdown)).toBe(html);
    expect(readBack(markdown)).toBe(back);
    expect(readBack(back)).toBe(back);
  });

  test.each(CROSSINGS)('%j typed in chat is shown in chat again, sign by sign', (words) => {
    const stored = chatToMarkdown({ text: '', blocks: [rich({ type: 'text', text: words })] }, names);
    const shown = toChat(stored)
      .map(({ blocks }) => textsIn(blocks))
      .join('');
    // A host that a user's name imitates is added.
    expect(squeezed(shown).replace('(evil.example)', '')).toBe(squeezed(withSigns(words)));
    expect(stored).not.toMatch(/(?<!\\)&#x/);
  });

  /** Syntax that begins in one style and ends in another: no marker can express most of them. */
  const SPLIT: [begin: string, end: string][] = [
    ['1', '. '],
    ['1', '. a'],
    ['12', ') a'],
    ['-', '1. '],
    ['#', ' a'],
    ['-', ' a'],
    ['+', ' b'],
    ['-', '--'],
    ['=', '=='],
    ['a\n', '- '],
    ['a\n=', '=='],
    ['`', '``'],
    ['~~', '~a'],
    ['*', '*a**'],
    ['__', 'a__'],
    ['[', 'x] a'],
    ['[a]', '(https://x.example)'],
    ['!', '[a](https://x.example)'],
    ['<', 'https://x.example>'],
    ['http', 's://x.example'],
    ['www', '.x.example'],
    ['|', 'a|'],
    ['&', 'amp;'],
    ['\\', '*a*'],
  ];
  const STYLES = [{ bold: true }, { italic: true }, { strike: true }, { bold: true, italic: true }];

  test.each(SPLIT)('%j and %j in two styles keep their signs, wherever they stand', (begin, end) => {
    for (const style of STYLES) {
      for (const styles of [[undefined, style], [style], [style, { italic: true }]]) {
        const elements = [begin, end].map((text, at) => ({ type: 'text', text, style: styles[at] }));
        const section = { type: 'rich_text_section', elements };
        const empty = { type: 'rich_text_section', elements: [] };
        for (const element of [
          section,
          { type: 'rich_text_quote', elements },
          { type: 'rich_text_list', style: 'bullet', elements: [section, empty] },
          { type: 'rich_text_list', style: 'ordered', elements: [empty, section] },
        ]) {
          const message = { text: '', blocks: [{ type: 'rich_text', elements: [element] }] };
          const stored = chatToMarkdown(message, names);
          const shown = toChat(stored).flatMap(({ blocks }) => blocks);
          expect(squeezed(textsIn(shown)), stored).toBe(squeezed(begin + end));
          expect(readBack(stored)).toBe(stored);
        }
      }
    }
  });
});
