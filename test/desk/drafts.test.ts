import { expect, test } from 'vitest';

import { draftFrom, isReadTooEarly, type Kept, type Stored } from '../../src/ui/desk/ticket/draft-from.ts';

const there = (content: string, updatedAt = 'v1', more: Partial<Stored> = {}): Stored => ({
  content,
  isPrivate: false,
  updatedAt,
  ...more,
});
const here = (content: string, more: Partial<Kept> = {}): Kept => ({
  content,
  isPrivate: false,
  change: '1',
  from: 'v1',
  isStored: false,
  ...more,
});

test.for<[what: string, Kept | undefined, Stored | null, string | undefined]>([
  ['nothing was written', undefined, null, undefined],
  ['another device wrote', undefined, there('theirs'), 'theirs'],
  ['the service has what was written here', here('mine', { isStored: true }), there('mine'), 'mine'],
  ['another device wrote after that', here('mine', { isStored: true }), there('theirs', 'v2'), 'theirs'],
  ['another device sent it', here('mine', { isStored: true }), null, undefined],
  ['the page was closed before the first write', here('mine', { from: null }), null, 'mine'],
  ['the page was closed before a later write', here('mine and more'), there('mine'), 'mine and more'],
  ['it was emptied here, and the page closed', here(''), there('mine'), undefined],
  ['it was emptied here, and another device wrote', here(''), there('theirs', 'v2'), 'theirs'],
  ['both devices wrote', here('mine'), there('theirs', 'v2'), 'theirs\n\nmine'],
  ['both wrote, one the beginning of the other', here('mine and more'), there('mine', 'v2'), 'mine and more'],
  ['both wrote, the other one more', here('mine'), there('mine and theirs', 'v2'), 'mine and theirs'],
  ['another device emptied it while more was written here', here('mine'), there('  ', 'v2'), 'mine'],
  ['another device sent it while more was written here', here('mine'), null, 'mine'],
])('a draft goes on where %s', ([, own, stored, expected]) => {
  expect(draftFrom(own, stored)?.content).toBe(expected);
});

test.for<[what: string, Kept | undefined, Stored | null, boolean]>([
  ['nothing was written here', undefined, null, false],
  ['the service had none yet', here('mine', { isStored: true }), null, true],
  ['the service had an older one', here('mine', { from: 'v2', isStored: true }), there('old', 'v1'), true],
  ['the service had this one', here('mine', { isStored: true }), there('mine'), false],
  ['another device wrote since', here('mine', { isStored: true }), there('theirs', 'v2'), false],
  ['the service does not have it yet', here('mine'), null, false],
])('whether a draft was read too early where %s', ([, own, stored, expected]) => {
  expect(isReadTooEarly(own, stored)).toBe(expected);
});

test('files of both devices stay, and a note stays a note', () => {
  const file = (id: string) => ({ id });
  const found = draftFrom(
    here('mine', { files: [file('a'), file('b')], isPrivate: true }),
    there('theirs', 'v2', { files: [file('b'), file('c')] }),
  );
  expect(found?.files?.map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  expect(found?.isPrivate).toBe(true);
});
