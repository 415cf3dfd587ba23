import { describe, expect, test } from 'vitest';

import { decideMirror, isShownIn, type MirrorFacts } from '../../../src/bridge/threads/rules.ts';

const v1 = '2026-11-20T09:00:00.000Z';
const v2 = '2026-11-20T09:00:00.001Z';
const fresh: MirrorFacts = {
  deleted: false,
  private: false,
  shown: true,
  links: [],
  namedCopy: false,
  version: v1,
  digest: 'new words',
};
const note = { ...fresh, private: true };
const posted = { origin: 'service' as const, version: v1, deleted: false, digest: 'words' };
const takenBack = { ...posted, version: null, deleted: true };
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
    ['B14 an internal note is not posted', { ...fresh, private: true, shown: false }, 'ignore'],
    [
      'B14 a message that becomes private is deleted in chat',
      { ...fresh, links: [posted], private: true, shown: false, version: v2 },
      'delete',
    ],
    ['B14 a note is posted in the triage thread', note, 'post'],
    ['B14 a newer version of a note edits its post', { ...note, links: [posted], version: v2 }, 'edit'],
    ['B14 a public message is not repeated where notes alone stand', { ...fresh, shown: false }, 'ignore'],
    [
      'B14 a note that becomes public is deleted there',
      { ...fresh, shown: false, links: [posted] },
      'delete',
    ],
    ['B14 what was taken back with its ticket is posted anew', { ...fresh, links: [takenBack] }, 'post'],
    ['B14 and not while its place may not show it', { ...fresh, links: [takenBack], shown: false }, 'ignore'],
    [
      'B14 what stands again beside what was taken back is not posted twice',
      { ...fresh, links: [takenBack, posted] },
      'ignore',
    ],
    [
      'B13 a post that a person deleted in chat stays deleted',
      { ...fresh, links: [{ ...posted, deleted: true }], version: v2 },
      'ignore',
    ],
    ['B16 a person’s message in this thread is not echoed', { ...fresh, links: [spoken] }, 'ignore'],
    [
      'B16 a record that names its chat message is linked, not posted',
      { ...fresh, namedCopy: true },
      'adopt',
    ],
    [
      'B16 linking takes precedence over privacy: the message is in chat already',
      { ...fresh, namedCopy: true, private: true, shown: false },
      'adopt',
    ],
  ])('%s', (_, situation, expected) => {
    expect(decideMirror(situation).do).toBe(expected);
  });
});

describe('B14 which messages a place shows', () => {
  const kinds = {
    reply: { private: false, fromRequester: true },
    answer: { private: false, fromRequester: false },
    note: { private: true, fromRequester: false },
    'note of the requester': { private: true, fromRequester: true },
  };
  const notes = ['note', 'note of the requester'];
  test.each([
    ['request', 'everything', ['reply', 'answer']],
    ['request', 'notes', ['reply', 'answer']],
    ['direct', 'everything', ['reply', 'answer']],
    ['direct', 'notes', ['reply', 'answer']],
    ['triage', 'everything', ['reply', 'answer', ...notes]],
    ['triage', 'answers', ['answer', ...notes]],
    ['triage', 'notes', notes],
  ] as const)('%s, set to %s: %s', (role, teamThread, shown) => {
    const all = Object.entries(kinds).filter(([, message]) => isShownIn({ role, teamThread }, message));
    expect(all.map(([kind]) => kind)).toEqual(shown);
  });
});
