import { describe, expect, test } from 'vitest';

import { withoutRefused } from '../../../src/bridge/people/people.ts';
import { profileDigest, profileOf, RawUser, unknownProfile } from '../../../src/bridge/slack/profile.ts';

/** A standalone workspace. */
const ALONE = { team: 'T1' };
/** A workspace of an organisation. */
const OF_GRID = { team: 'T1', enterprise: 'E1' };

const MINA = {
  id: 'U1',
  team_id: 'T1',
  name: 'mina',
  deleted: false,
  tz: 'Europe/London',
  profile: {
    email: 'mina@acme.example',
    real_name: 'Mina Maria Lind',
    display_name: 'mina',
    first_name: 'Mina',
    last_name: 'Lind',
    image_192: 'https://pictures.example/mina.png',
  },
};

const shown = (raw: object, home: Parameters<typeof profileOf>[1] = ALONE) =>
  profileOf(RawUser.parse({ ...MINA, ...raw }), home);
const grid = (enterprise_id: string, ...teams: string[]) => ({ enterprise_user: { enterprise_id, teams } });

describe('whose e-mail is trusted', () => {
  test.each<[string, object, { team: string; enterprise?: string }]>([
    ['a member of the workspace', {}, ALONE],
    ['a member of the workspace, which belongs to an organisation', {}, OF_GRID],
    ['a member of the workspace with the organisation’s id', { team_id: 'E1', ...grid('E1', 'T1') }, OF_GRID],
    ['a user of the organisation without a workspace', { team_id: 'E1' }, OF_GRID],
    ['a colleague in another workspace of the organisation', { team_id: 'T2', ...grid('E1', 'T2') }, OF_GRID],
    [
      'a member by the list of their workspaces, when the app knows no organisation',
      { team_id: 'E1', ...grid('E1', 'T2', 'T1') },
      ALONE,
    ],
  ])('B10 %s is known by e-mail and not a guest', (_, raw, home) => {
    expect(shown(raw, home)).toMatchObject({ email: 'mina@acme.example', isGuest: false });
  });

  test.each<[string, object, { team: string; enterprise?: string }]>([
    ['a user of another workspace (Slack Connect)', { team_id: 'T2' }, ALONE],
    ['a stranger, whatever the workspace id', { is_stranger: true }, ALONE],
    ['a stranger with the organisation’s id', { is_stranger: true, ...grid('E1', 'T1') }, OF_GRID],
    ['a user of another organisation', { team_id: 'T2', ...grid('E2', 'T2') }, OF_GRID],
    ['a user of another organisation, by its id', { team_id: 'E2', ...grid('E2', 'T2') }, OF_GRID],
    ['a user of a standalone workspace, seen from an organisation', { team_id: 'T2' }, OF_GRID],
    [
      'a user of an organisation, seen from a standalone workspace',
      { team_id: 'T2', ...grid('E2', 'T2') },
      ALONE,
    ],
    [
      'a user with an unreadable organisation',
      { team_id: 'T2', enterprise_user: { enterprise_id: 7, teams: 'T1' } },
      OF_GRID,
    ],
  ])('B9 B10 the e-mail of %s is ignored: they are a guest', (_, raw, home) => {
    expect(shown(raw, home)).toMatchObject({ email: undefined, isGuest: true });
  });

  test.each([{ is_restricted: true }, { is_restricted: true, is_ultra_restricted: true }])(
    'B9 a guest of the workspace is a guest, known by e-mail: %j',
    (raw) => {
      expect(shown(raw)).toMatchObject({ email: 'mina@acme.example', isGuest: true });
    },
  );

  test('B9 a user whom Slack does not show is a guest without an e-mail', () => {
    expect(unknownProfile('U9', 'ada')).toMatchObject({ id: 'U9', displayName: 'ada', firstName: 'ada' });
    expect(unknownProfile('U9')).toMatchObject({ id: 'U9', email: undefined, isGuest: true, isBot: false });
  });
});

describe('names of a person', () => {
  const real_name = 'Mina Maria Lind';
  test.each<[string, object, { displayName: string; firstName: string; lastName: string | undefined }]>([
    ['all names', MINA, { displayName: 'mina', firstName: 'Mina', lastName: 'Lind' }],
    [
      'a real name alone',
      { profile: { real_name } },
      { displayName: real_name, firstName: 'Mina', lastName: 'Maria Lind' },
    ],
    [
      'a real name and empty other names',
      { profile: { real_name, display_name: '', first_name: '', last_name: '' } },
      { displayName: real_name, firstName: 'Mina', lastName: 'Maria Lind' },
    ],
    [
      'one word',
      { profile: { real_name: 'Mina' } },
      { displayName: 'Mina', firstName: 'Mina', lastName: undefined },
    ],
    ['an account name', { profile: {} }, { displayName: 'mina', firstName: 'mina', lastName: undefined }],
    [
      'an unreadable profile',
      { profile: 'none' },
      { displayName: 'mina', firstName: 'mina', lastName: undefined },
    ],
    [
      'only the id',
      { name: null, profile: { real_name: null, email: 7 } },
      { displayName: 'U1', firstName: 'U1', lastName: undefined },
    ],
  ])('B10 a person is named by %s', (_, raw, expected) => {
    expect(shown(raw)).toMatchObject(expected);
  });
});

describe('optional fields of a profile', () => {
  const NOTHING = ['', ' ', '\u200b', '\u00a0\u2060', null, undefined, 7, {}];
  test.each([
    ['email', 'email'],
    ['last_name', 'lastName'],
    ['image_192', 'image'],
  ] as const)('B10 a %s that says nothing is none', (field, known) => {
    for (const value of NOTHING)
      expect([
        value,
        shown({ profile: { ...MINA.profile, real_name: 'Mina', [field]: value } })[known],
      ]).toEqual([value, undefined]);
  });

  test.each([
    ['display_name', 'displayName', 'Mina Maria Lind'],
    ['first_name', 'firstName', 'Mina'],
    ['real_name', 'displayName', 'mina'],
  ] as const)('B10 a %s that says nothing is replaced by another name', (field, known, name) => {
    for (const value of NOTHING)
      expect([value, shown({ profile: { ...MINA.profile, [field]: value } })[known]]).toEqual([value, name]);
  });

  test('B10 an empty time zone is none', () => {
    expect(NOTHING.map((tz) => shown({ tz }).timeZone)).toEqual(NOTHING.map(() => undefined));
  });

  test.each<[readonly string[], object | undefined]>([
    [['email'], { email: undefined }],
    [['image'], { image: undefined }],
    [['chatUsers.0.chatImageUrl', 'image'], { image: undefined }],
    [['lastName', 'email'], { lastName: undefined, email: undefined }],
    [['firstName'], { firstName: `${'M'.repeat(99)}…` }],
    [['chatUsers.0.chatDisplayName'], { displayName: `${'m'.repeat(99)}…` }],
    [['chatUsers.0.chatTeamId'], undefined],
    [[], undefined],
  ])('B10 a user whose %j is refused is created without it', (refused, change) => {
    const whole = { ...shown({}), firstName: 'M'.repeat(300), displayName: 'm'.repeat(300) };
    expect(withoutRefused(whole, refused)).toEqual(change && { ...whole, ...change });
  });
});

describe('whether a profile has changed', () => {
  const digest = (raw: object) => profileDigest(shown(raw));

  test.each<[string, object]>([
    ['a status', { profile: { ...MINA.profile, status_text: 'at lunch', status_emoji: ':apple:' } }],
    ['another field', { updated: 1_700_000_000, color: '757575' }],
  ])('B10 %s is not a change', (_, raw) => {
    expect(digest(raw)).toBe(digest({}));
  });

  test.each<[string, object]>([
    ['a name', { profile: { ...MINA.profile, display_name: 'Mina L.' } }],
    ['a picture', { profile: { ...MINA.profile, image_192: 'https://pictures.example/new.png' } }],
    ['an e-mail', { profile: { ...MINA.profile, email: 'lind@acme.example' } }],
    ['becoming a guest', { is_restricted: true }],
    ['leaving', { deleted: true }],
    ['another time zone', { tz: 'Asia/Tokyo' }],
  ])('B10 %s is a change', (_, raw) => {
    expect(digest(raw)).not.toBe(digest({}));
  });

  test('B10 for a person who left, missing fields are not a change', () => {
    expect(digest({ deleted: true, tz: undefined, profile: {} })).toBe(digest({ deleted: true }));
  });
});
