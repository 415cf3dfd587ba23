import { describe, expect, test } from 'vitest';

import { saysMoreThan } from '../../src/bridge/text/from-chat.ts';
import {
  isBlank,
  tagCreate,
  ticketCreate,
  ticketMessageCreate,
  ticketMessageUpdate,
  ticketUpdate,
  trimmed,
  userCreate,
} from '../../src/contract/index.ts';
import { escapeMrkdwn } from '../../src/platform/text/mrkdwn.ts';

const BLANKS = [
  ' ',
  '\n\t ',
  '\u00A0',
  '\u3000',
  '\u200B',
  '\u200D\u200C',
  '\uFEFF',
  '\u2060',
  '\u00AD',
  '\u034F',
  '\u061C\u200E\u200F',
  '\u202E\u202C',
  '\u115F\u1160\u3164\uFFA0',
  '\u2800',
  '\uFE0F',
  '\u{E0061}\u{E007F}',
  '\u180E',
  '\uFFF9\uFFFB',
  '\u0007',
  ` \u200B\n\u2800`,
];
const SEEN = [
  'a',
  '.',
  '#',
  '>',
  '-',
  '👍',
  '\u200Ba',
  '漢',
  '\u0600',
  '\uFFFD',
  '❤\uFE0F',
  'e\u0301',
  '&nbsp;',
];

describe('a text that nobody would see', () => {
  test.each(BLANKS.map((text) => [JSON.stringify(text), text] as const))('%s is blank', (_, text) => {
    expect(isBlank(text)).toBe(true);
    expect(trimmed(text)).toBe('');
    const refused = [
      ticketMessageCreate.safeParse({ content: text, ticketId: 'IT-1' }),
      ticketMessageUpdate.safeParse({ content: text }),
      ticketCreate.safeParse({ title: text, description: 'words' }),
      ticketCreate.safeParse({ description: text }),
      ticketUpdate.safeParse({ data: { title: text } }),
      tagCreate.safeParse({ name: text }),
    ];
    expect(refused.map(({ success }) => success)).toEqual(refused.map(() => false));
    expect(saysMoreThan('UBOT', { text, blocks: [] })).toBe(false);
    expect(saysMoreThan('UBOT', { text: `<@UBOT> ${text}`, blocks: [] })).toBe(false);
  });

  test.each(SEEN)('%j is not', (text) => {
    expect(isBlank(text)).toBe(false);
    expect(ticketMessageCreate.safeParse({ content: text, ticketId: 'IT-1' }).success).toBe(true);
    // As chat writes what a person typed.
    const blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
    ];
    expect(saysMoreThan('UBOT', { text: escapeMrkdwn(text), blocks })).toBe(true);
  });

  test('an empty title is none, and a user’s name may be invisible', () => {
    expect(ticketCreate.safeParse({ title: '', description: 'words' }).success).toBe(true);
    expect(userCreate.safeParse({ firstName: '\u3164', chatUsers: [] }).success).toBe(true);
  });
});
