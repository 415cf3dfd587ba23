import { describe, expect, test } from 'vitest';

import { decideMirror, type MirrorFacts } from '../../../src/bridge/threads/rules.ts';

const v1 = '2026-11-20T09:00:00.000Z';
const v2 = '2026-11-20T09:00:00.001Z';
const fresh: MirrorFacts = {
  deleted: false,
  private: false,
  forTeam: false,
  links: [],
  namedCopy: false,
  version: v1,
  digest: 'new words',
};
const note = { ...fresh, private: true, forTeam: true };
const posted = { origin: 'service' as const, version: v1, deleted: false, digest: 'words' };
const spoken = { origin: 'chat' as const, version: '1700000000.000100', deleted: false, digest: null };

describe('what chat shows of a ticket message', () => {
  test.each<[string, MirrorFacts, string]>([
    ['B13 a public message that is new here is posted', fresh, 'post'],
    ['B13 a newer version of a post is edited in', { ...fresh, links: [posted], version: v2 }, 'edit'],
    [
      'B13 a newer version with the same words (somebody reacted) is not edited in',
      { ...fresh, links: [posted], version: v2, digest: 'words' },
      'ignore',
    ],
    [
      'B13 a newer version is edited in where nobody knows which words are shown',
      { ...fresh, links: [{ ...posted, digest: null }], version: v2 },
      'edit',
    ],
    ['B13 the same version is not posted again', { ...fresh, links: [posted] }, 'ignore'],
    [
      'B13 an older version never wins over a newer',
      { ...fresh, links: [{ ...posted, version: v2 }] },
      'ignore',
    ],
    ['B13 a deleted message is taken back', { ...fresh, links: [posted], deleted: true }, 'delete'],
    [
      'B13 a deletion is carried out once',
      { ...fresh, links: [{ ...posted, deleted: true }], deleted: true },
      'ignore',
    ],
    [
      'B13 a message that was deleted before it was shown is not shown',
      { ...fresh, deleted: true },
      'ignore',
    ],
    ['B14 a private note is not posted', { ...fresh, private: true }, 'ignore'],
    [
      'B14 a message that becomes private is taken back',
      { ...fresh, links: [posted], private: true, version: v2 },
      'delete',
    ],
    ['B14 a note is posted where the team talks', note, 'post'],
    ['B14 a newer version of a note is edited in', { ...note, links: [posted], version: v2 }, 'edit'],
    ['B14 what the requester reads is not repeated there', { ...fresh, forTeam: true }, 'ignore'],
    [
      'B14 a note that becomes public is the team’s no more',
      { ...note, private: false, links: [posted] },
      'delete',
    ],
    ['B16 what a person wrote in this thread is not echoed', { ...fresh, links: [spoken] }, 'ignore'],
    [
      'B16 a record that names its chat message is adopted, not posted',
      { ...fresh, namedCopy: true },
      'adopt',
    ],
    [
      'B16 adoption comes before privacy: it stands in chat already',
      { ...fresh, namedCopy: true, private: true },
      'adopt',
    ],
  ])('%s', (_, situation, expected) => {
    expect(decideMirror(situation).do).toBe(expected);
  });
});
