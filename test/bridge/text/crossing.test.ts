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
});
