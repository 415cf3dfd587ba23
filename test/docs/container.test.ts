import { expect, test } from 'vitest';

import { isThere, textOf } from './documents.ts';

const dockerfile = textOf('Dockerfile');

test('everything that the image copies exists and is in the build context', () => {
  const allowed = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  );
  expect(copied.length).toBeGreaterThan(3);
  expect(copied.filter((file) => !isThere(file) || !allowed.includes(file))).toEqual([]);
  expect(allowed.filter((file) => !copied.includes(file))).toEqual([]);
});

test('the image has no development packages, and runs as an ordinary user', () => {
  expect(dockerfile).toMatch(/^RUN npm ci --omit=dev /m);
  expect(dockerfile.slice(dockerfile.lastIndexOf('\nFROM'))).toMatch(/^USER node$/m);
});
