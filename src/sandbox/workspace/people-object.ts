import { type App, type Directory, fullName, type Person } from './directory.ts';
import { zoneFacts } from './people-zone.ts';
import type { Workspace } from './workspace.ts';

/**
 * A person as an app sees them: users.info, users.list and the events about people
 * (docs.slack.dev/reference/objects/user-object). `baseUrl` is where the sandbox serves their picture.
 */
export function userObject(
  workspace: Workspace,
  app: App,
  baseUrl: string,
  person: Person,
): LiveUser | DeactivatedUser {
  return person.deleted
    ? deactivatedUser(workspace, app, baseUrl, person)
    : liveUser(workspace, app, baseUrl, person);
}

type DeactivatedUser = ReturnType<typeof deactivatedUser>;
export type LiveUser = ReturnType<typeof liveUser>;

/** What is left of someone, and what everybody has. */
function deactivatedUser(workspace: Workspace, app: App, baseUrl: string, person: Person) {
  return {
    id: person.id,
    team_id: person.teamId ?? workspace.directory.team.id,
    name: person.name,
    deleted: person.deleted,
    profile: profileObject(workspace, app, baseUrl, person),
    is_bot: person.isBot,
    is_app_user: false,
    updated: person.updatedAt,
  };
}

function liveUser(workspace: Workspace, app: App, baseUrl: string, person: Person) {
  const { directory, clock } = workspace;
  const zone = zoneFacts(person.timeZone, clock.now());
  const { role } = person;
  return {
    ...deactivatedUser(workspace, app, baseUrl, person),
    color: colourOf(person),
    real_name: fullName(person),
    tz: person.timeZone,
    tz_label: zone.label,
    tz_offset: zone.offsetSeconds,
    is_admin: role === 'admin' || role === 'owner' || role === 'primary_owner',
    is_owner: role === 'owner' || role === 'primary_owner',
    is_primary_owner: role === 'primary_owner',
    is_restricted: role === 'guest' || role === 'single_channel_guest',
    is_ultra_restricted: role === 'single_channel_guest',
    is_email_confirmed: !person.isBot && person.teamId === undefined,
    ...(person.isBot ? { is_workflow_bot: person.isWorkflowBot } : {}),
    ...(person.teamId === undefined ? {} : { is_stranger: isStranger(directory, app, person) }),
    locale: 'en-US',
    who_can_share_contact_card: 'EVERYONE',
  };
}

/** The profile alone: users.profile.get. */
export function profileObject({ directory }: Workspace, app: App, baseUrl: string, person: Person) {
  const realName = fullName(person);
  const displayName = person.displayName ?? (person.isBot ? '' : person.name);
  const picture = `${baseUrl}/avatar/${person.id}.svg?v=${avatarHash(person)}`;
  const own = directory.appOfBotUser(person.id);
  return {
    title: person.title,
    phone: '',
    skype: '',
    real_name: realName,
    real_name_normalized: plainLetters(realName),
    display_name: displayName,
    display_name_normalized: plainLetters(displayName),
    fields: {},
    status_text: '',
    status_text_canonical: '',
    status_emoji: '',
    status_emoji_display_info: [],
    status_expiration: 0,
    huddle_state: 'default_unset',
    huddle_state_expiration_ts: 0,
    avatar_hash: avatarHash(person),
    first_name: person.firstName,
    last_name: person.lastName,
    ...(person.email !== '' && person.teamId === undefined && mayReadEmail(app)
      ? { email: person.email }
      : {}),
    ...(own ? { bot_id: own.botId, api_app_id: own.id, always_active: false } : {}),
    ...(person.picture === '' ? {} : { is_custom_image: true, image_original: picture }),
    image_24: picture,
    image_32: picture,
    image_48: picture,
    image_72: picture,
    image_192: picture,
    image_512: picture,
    team: person.teamId ?? directory.team.id,
  };
}

/** Of another workspace, and in no channel with the app (docs.slack.dev/reference/objects/user-object). */
export function isStranger({ channels }: Directory, app: App, person: Person): boolean {
  if (person.teamId === undefined) return false;
  return !channels
    .values()
    .some(
      ({ kind, members }) =>
        (kind === 'channel' || kind === 'group') && members.has(app.botUserId) && members.has(person.id),
    );
}

/** docs.slack.dev/reference/scopes/users.read.email */
function mayReadEmail({ scopes }: App): boolean {
  return scopes === undefined || scopes.has('users:read.email');
}

/** Without the marks over letters, as `…_normalized` has it. */
function plainLetters(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

/** The pictures of a bot, as bots.info and `bot_profile` have them. */
export function botIcons(baseUrl: string, userId: string) {
  const picture = `${baseUrl}/avatar/${userId}.svg`;
  return { image_36: picture, image_48: picture, image_72: picture };
}

/** Twelve hexadecimal digits that change with the picture. */
export function avatarHash({ id, picture }: Pick<Person, 'id' | 'picture'>): string {
  const hash = Array.from(`${id} ${picture}`).reduce(
    (sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 0xffff_ffff_ffff,
    7,
  );
  return hash.toString(16).padStart(12, '0');
}

const COLOURS = ['9f69e7', '4bbe2e', 'e7392d', '3c989f', '674b1b', 'e96699', 'e0a729', '684b6c'];

function colourOf(person: Person): string {
  return (
    COLOURS[Number.parseInt(avatarHash({ id: person.id, picture: '' }).slice(-4), 16) % COLOURS.length] ?? ''
  );
}
