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
const spoken = { origin: 'chat' as const, version: null, deleted: false, digest: null };

describe('what chat shows of a ticket message', () => {
  test.each<[string, MirrorFacts, string]>([
    ['B13 a new public message is posted', fresh, 'post'],
    ['B13 a newer version of a post edits it', { ...fresh, links: [posted], version: v2 }, 'edit'],
    [
      'B13 a newer version with the same text (a new reaction) does not edit it',
      { ...fresh, links: [posted], version: v2, digest: 'words' },
      'ignore',
    ],
    [
      'B13 a newer version edits the post if the shown text is unknown',
      { ...fresh, links: [{ ...posted, digest: null }], version: v2 },
      'edit',
    ],
    [
      'B14 a post whose edit was taken back is edited again, though its record did not change',
      { ...fresh, links: [{ ...posted, version: null, digest: null }] },
      'edit',
    ],
    ['B13 the same version is not posted again', { ...fresh, links: [posted] }, 'ignore'],
    [
      'B13 an older version never replaces a newer one',
      { ...fresh, links: [{ ...posted, version: v2 }] },
      'ignore',
    ],
    ['B13 a deleted message is deleted in chat', { ...fresh, links: [posted], deleted: true }, 'delete'],
    [
      'B13 a deletion runs once',
      { ...fresh, links: [{ ...posted, deleted: true }], deleted: true },
      'ignore',
    ],
    [
      'B13 a message that was deleted before it was posted is not posted',
      { ...fresh, deleted: true },
      'ignore',
    ],
    ['B14 an internal note is not posted', { ...fresh, private: true }, 'ignore'],
    [
      'B14 a message that becomes private is deleted in chat',
      { ...fresh, links: [posted], private: true, version: v2 },
      'delete',
    ],
    ['B14 a note is posted in the triage thread', note, 'post'],
    ['B14 a newer version of a note edits its post', { ...note, links: [posted], version: v2 }, 'edit'],
    ['B14 a public message is not repeated there', { ...fresh, forTeam: true }, 'ignore'],
    [
      'B14 a note that becomes public is deleted there',
      { ...note, private: false, links: [posted] },
      'delete',
    ],
    ['B16 a person’s message in this thread is not echoed', { ...fresh, links: [spoken] }, 'ignore'],
    [
      'B16 a record that names its chat message is linked, not posted',
      { ...fresh, namedCopy: true },
      'adopt',
    ],
    [
      'B16 linking takes precedence over privacy: the message is in chat already',
      { ...fresh, namedCopy: true, private: true },
      'adopt',
    ],
  ])('%s', (_, situation, expected) => {
    expect(decideMirror(situation).do).toBe(expected);
  });
});
