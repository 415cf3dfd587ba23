import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { routes } from '../../src/contract/index.ts';
import { INTERFACE_DOC, interfaceDoc } from '../harness/write-docs.ts';

test('docs/interface.md is what the contract says (else run: node test/harness/write-docs.ts)', async () => {
  expect(await readFile(INTERFACE_DOC, 'utf8')).toBe(await interfaceDoc());
});

test('no operation is left out of docs/interface.md', async () => {
  const text = await readFile(INTERFACE_DOC, 'utf8');
  const headings = [...text.matchAll(/^#### (.+)$/gm)].map(([, heading]) => heading);
  expect(headings.sort()).toEqual(
    Object.values(routes)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
});
