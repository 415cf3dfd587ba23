import { expect, it } from 'vitest';

import { LIMITS } from '../../../src/contract/index.ts';
import { sharedService } from '../harness.ts';

const newWorkspace = sharedService();

const MOST = LIMITS.shortText;
const times = (count: number, signs: string) => Array.from({ length: count }, () => signs).join('');

/** Texts of one word, by their length. */
const WORDS: Record<string, (length: number) => string> = {
  'one letter': (length) => times(length, 'a'),
  'letters and numbers': (length) => times(length / 2, 'x7'),
  'parts with hyphens': (length) => `${times(length / 2 - 1, 'b-')}bb`,
  'accents without a letter between them': (length) => `c${times(length - 1, '\u0301')}`,
  'four scripts': (length) => times(length / 4, 'aあб中'),
  'a script without spaces': (length) => times(length / 4, 'กขคง'),
  'signs that stand for eighteen letters each': (length) => times(length, '\uFDFA'),
};

it.each(Object.entries(WORDS))(
  'a word without an end, of %s, is found as far as a search may be long; a longer one is refused at once',
  async (_name, word) => {
    const { call } = await newWorkspace();
    const { id } = (await call('POST', '/tickets', { body: { title: 'T', description: word(2_000) } })).body;
    await call('POST', '/tickets', { body: { title: 'Another', description: 'Something else' } });
    const searched = async (text: string) => {
      const encoded = encodeURIComponent(text);
      const filters = [{ key: 'x', query: { search: text } }];
      return [
        await call('GET', `/tickets/semantic-search?query=${encoded}`),
        await call('GET', `/tickets?search=${encoded}`),
        await call('POST', '/tickets/counts', { body: { filters } }),
      ];
    };
    const [ranked, listed, counted] = await searched(word(MOST));
    expect([ranked, listed].map((answer) => answer?.body.items.map((item) => item.id))).toEqual([[id], [id]]);
    expect(counted?.body).toEqual({ counts: [{ key: 'x', count: 1, isCapped: false }] });
    for (const length of [MOST + 4, 1_000]) {
      const refused = await searched(word(length));
      expect(refused.map(({ status, body }) => [status, body.issues?.[0]?.path])).toEqual([
        [400, 'query'],
        [400, 'search'],
        [400, 'filters.0.query.search'],
      ]);
    }
  },
);
