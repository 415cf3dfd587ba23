import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { PAGE_LOOK } from '../../src/platform/http/page-look.ts';

const tokensOf = (css: string): Record<string, string> =>
  Object.fromEntries(
    [...css.matchAll(/^\s*(--[\w-]+): (.+);$/gm)].map(([, name = '', value = '']) => [name, value] as const),
  );

test.each([
  ['the pages of tickets and of sign-in links', PAGE_LOOK],
  ['the page of a wrong address', readFileSync('src/ui/desk/not-found.css', 'utf8')],
])('%s have the colours of the desk', (_, css) => {
  const desk = tokensOf(readFileSync('src/ui/kit/tokens.css', 'utf8'));
  const own = tokensOf(css);
  expect(own).not.toEqual({});
  expect(own).toEqual(Object.fromEntries(Object.keys(own).map((name) => [name, desk[name]])));
});
