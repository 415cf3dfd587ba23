import { expect, test } from 'vitest';

import { BUDGETS, LIMITS as CHAT_LIMITS } from '../../src/bridge/chat/limits.ts';
import { TITLE_CHARACTERS } from '../../src/bridge/decide/title.ts';
import { BLOCKS_CHARACTERS, PART_CHARACTERS } from '../../src/bridge/text/split.ts';
import { readConfig } from '../../src/config.ts';
import { LIMITS } from '../../src/contract/index.ts';
import { codeIn, rowsUnder } from './documents.ts';

/** What a table of docs/limits.md says, by the constant's name. */
const shown = (heading: string) =>
  Object.fromEntries(
    rowsUnder('docs/limits.md', heading).map(([, name = '', value = '']) => [codeIn(name), Number(value)]),
  );

test('the limits towards chat are the ones that are kept', () => {
  const { CHAT_POSTS_PER_SECOND, CHAT_FILE_MEGABYTES } = readConfig({});
  expect(shown('Of the bridge, towards chat')).toEqual({
    ...CHAT_LIMITS,
    CHAT_POSTS_PER_SECOND,
    CHAT_FILE_MEGABYTES,
    PART_CHARACTERS,
    BLOCKS_CHARACTERS,
    TITLE_CHARACTERS,
  });
});

test('the budgets of chat’s methods are the ones that are kept, each with its source', () => {
  const rows = rowsUnder('docs/limits.md', 'Calls of chat');
  expect(
    rows.map(([method = '', per, perMinute]) => ({
      method: codeIn(method),
      per,
      perMinute: Number(perMinute),
    })),
  ).toEqual(BUDGETS);
  expect(rows.filter(([, , , source = '']) => source === '')).toEqual([]);
});

test('the limits of the interface are the ones that are kept', () => {
  const flat = Object.entries(LIMITS).flatMap(([name, value]): [string, number][] =>
    typeof value === 'number'
      ? [[name, value]]
      : Object.entries(value).map(([key, inner]: [string, number]) => [`${name}.${key}`, inner]),
  );
  expect(shown('Of the interface')).toEqual(Object.fromEntries(flat));
});
