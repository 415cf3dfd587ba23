import { expect, test } from 'vitest';

import { goneBack } from './older-states.ts';

test('a message that shows an older text after a newer one is found, and nothing else', () => {
  const states = (of: string, ...numbers: number[]) => numbers.map((n) => ({ of, text: `line ${n}` }));
  expect(goneBack([...states('a', 3, 4, 4), ...states('b', 1, 2)])).toEqual([]);
  expect(goneBack([...states('a', 3), ...states('b', 1), { of: 'a', text: '' }, ...states('a', 5)])).toEqual(
    [],
  );
  expect(goneBack(states('a', 3, 5, 4, 5))).toEqual(['a was line 5, and line 4 after that']);
});
