import { recordOf, type Role } from '../store/tables.ts';
import { botUser } from './apply-seed.ts';
import { type App, type Directory, fullName, type Person } from './directory.ts';
import { storableText } from '../values.ts';
import { formatTs } from './timestamps.ts';
import type { Workspace } from './workspace.ts';

/** A person to add; default an ordinary member. */
export interface NewPerson {
  id?: string | undefined;
  name: string;
  firstName: string;
  lastName: string;
  displayName?: string | undefined;
  title?: string | undefined;
  email: string;
  timeZone: string;
  role: Role;
  /** The workspace of someone from another organisation (Slack Connect). */
  teamId?: string | undefined;
}

/** The fields of a person that can change; absent ones stay. */
export interface PersonChange {
  name?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  displayName?: string | undefined;
  title?: string | undefined;
  email?: string | undefined;
  timeZone?: string | undefined;
  role?: Role | undefined;
  deleted?: boolean | undefined;
  /** Any word; another word is another picture. */
  picture?: string | undefined;
}

/** Adds a person (`team_join`). People of other workspaces come without it: they join a channel, not the workspace. */
export function addPerson(workspace: Workspace, wanted: NewPerson): Person {
  const { db, directory, ids } = workspace;
  const person = recordOf(
    db.insert('person', {
      id: wanted.id ?? ids.slackId('U'),
      workspace_id: directory.team.id,
      ...columnsOf(wanted),
      is_bot: false,
      team_id: wanted.teamId,
      updated_at: seconds(workspace),
    }),
  );
  if (person.teamId === undefined) tellOfPerson(workspace, 'team_join', person);
  workspace.journal.record('person', { person: person.id, change: 'added' });
  return person;
}

/** Changes a person: `user_change` and, at the same moment, `user_profile_changed` (of one's own workspace). */
export function changePerson(workspace: Workspace, person: Person, change: PersonChange): Person {
  const set = { ...columnsOf(change), updated_at: seconds(workspace) };
  workspace.db.update('person', { id: person.id }, set);
  const after = workspace.directory.people.get(person.id) ?? person;
  tellOfPerson(workspace, 'user_change', after);
  tellOfPerson(workspace, 'user_profile_changed', after);
  workspace.journal.record('person', { person: person.id, change: 'changed' });
  return after;
}

function columnsOf(said: PersonChange) {
  const text = (value: string | undefined) => (value === undefined ? undefined : storableText(value));
  return {
    name: text(said.name),
    first_name: text(said.firstName),
    last_name: text(said.lastName),
    display_name: text(said.displayName),
    title: text(said.title),
    email: said.email,
    time_zone: said.timeZone,
    role: said.role,
    deleted: said.deleted,
    picture: text(said.picture),
  };
}

function tellOfPerson(
  workspace: Workspace,
  type: 'team_join' | 'user_change' | 'user_profile_changed',
  person: Person,
): void {
  for (const app of workspace.directory.apps.values())
    workspace.tell(personEvent(workspace, app, type, person), [app]);
}

/** docs.slack.dev/reference/events/{team_join, user_change, user_profile_changed} */
export function personEvent<Type extends 'team_join' | 'user_change' | 'user_profile_changed'>(
  workspace: Workspace,
  app: App,
  type: Type,
  person: Person,
) {
  return {
    type,
    user: userObject(workspace, app, workspace.baseUrl, person),
    cache_ts: seconds(workspace),
    event_ts: eventTs(workspace),
  };
}

/** The `event_ts` of what happens outside channels. */
export function eventTs({ clock }: Workspace): string {
  return formatTs(clock.now().getTime() * 1000);
}

function seconds({ clock }: Workspace): number {
  return Math.floor(clock.now().getTime() / 1000);
}

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

/** The fields of a deleted person, and the fields of everyone. */
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

/** The name and UTC offset of a time zone at a moment: daylight saving changes both. */
export function zoneFacts(timeZone: string, now: Date): { label: string; offsetSeconds: number } {
  const part = (style: 'long' | 'longOffset') =>
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: style })
      .formatToParts(now)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(part('longOffset'));
  const seconds = match ? (Number(match[2]) * 60 + Number(match[3])) * 60 : 0;
  return { label: part('long'), offsetSeconds: match?.[1] === '-' ? -seconds : seconds };
}

/**
 * Adds a custom emoji, gives it another picture, or (`value` undefined) takes it away; apps hear `emoji_changed`
 * (docs.slack.dev/reference/events/emoji_changed). An empty value is a picture that the sandbox draws.
 */
export function putEmoji(workspace: Workspace, name: string, value: string | undefined): void {
  const { db, directory } = workspace;
  const apps = directory.apps.values();
  const team_id = directory.team.id;
  if (value === undefined) {
    if (db.run('delete from emoji where team_id = ? and name = ?', team_id, name) === 0) return;
    workspace.tell(
      { type: 'emoji_changed', subtype: 'remove', names: [name], event_ts: eventTs(workspace) },
      apps,
    );
    return;
  }
  db.upsert('emoji', ['team_id', 'name'], { team_id, name, value });
  workspace.tell(
    {
      type: 'emoji_changed',
      subtype: 'add',
      name,
      value: emojiAddress(workspace.baseUrl, name, value),
      event_ts: eventTs(workspace),
    },
    apps,
  );
}

/** Where its picture is, or `alias:` and the name of another. */
export function emojiAddress(baseUrl: string, name: string, value: string): string {
  return value === '' ? `${baseUrl}/emoji/${encodeURIComponent(name)}.svg` : value;
}

/** The bot of an app that is not connected here: it only posts. */
export interface OtherBot {
  id: string;
  app_id: string;
  user_id: string;
  name: string;
}

/** The bot of this name; made, with its bot user, where there is none yet. A workflow's bot user says so. */
export function otherBot(workspace: Workspace, name: string, isWorkflowBot = false): OtherBot {
  const { db, ids, directory } = workspace;
  const known = findOtherBot(workspace, { name });
  if (known) return known;
  const team_id = directory.team.id;
  const bot: OtherBot = { id: ids.slackId('B'), app_id: ids.slackId('A'), user_id: ids.slackId('U'), name };
  db.transaction(() => {
    db.insert('other_bot', { ...bot, team_id });
    db.insert('person', { ...botUser(name, team_id, bot.user_id), is_workflow_bot: isWorkflowBot });
  });
  workspace.journal.record('person', { person: bot.user_id, change: 'added' });
  return bot;
}

export function findOtherBot(
  { db, directory }: Workspace,
  by: { id: string } | { name: string },
): OtherBot | undefined {
  const [column, value] = 'id' in by ? ['id', by.id] : ['name', by.name];
  return db
    .query<OtherBot>(`select * from other_bot where team_id = ? and ${column} = ?`)
    .get(directory.team.id, value);
}
