import { LIMITS } from '../../limits.ts';
import type { Person } from '../../workspace/directory.ts';
import { botIcons, emojiAddress, findOtherBot, profileObject, userObject } from '../../workspace/people.ts';
import { groupObject } from '../../workspace/usergroups.ts';
import {
  type Answer,
  type Call,
  flag,
  method,
  pageOf,
  paging,
  required,
  SlackError,
  text,
} from '../method.ts';
import { channelShape } from '../shapes.ts';
import { ofTypes } from './conversations.ts';

/**
 * docs.slack.dev/reference/methods/users.{info, list, lookupByEmail, profile.get, getPresence, setPresence,
 * conversations}
 */
export const USERS = [
  method(
    'users.info',
    { user: required, include_locale: flag.optional() },
    async (call, { user, include_locale }) => ({ user: seen(call, personFor(call, user), include_locale) }),
  ),

  method(
    'users.list',
    { ...paging, include_locale: flag.optional() },
    async (call, { cursor, limit, include_locale }) => {
      const people = call.workspace.directory.people.values();
      const { page, response_metadata } = pageOf(people, { cursor, limit }, LIMITS.listMax, LIMITS.listMax);
      return {
        members: page.map((person) => seen(call, person, include_locale)),
        cache_ts: Math.floor(call.workspace.clock.now().getTime() / 1000),
        response_metadata,
      };
    },
  ),

  method('users.lookupByEmail', { email: required }, async (call, { email }) => {
    const wanted = email.toLowerCase();
    const person = call.workspace.directory.people
      .values()
      .find((one) => one.email.toLowerCase() === wanted && !one.deleted && one.teamId === undefined);
    if (!person) throw new SlackError('users_not_found');
    return { user: seen(call, person) };
  }),

  method(
    'users.profile.get',
    { user: text.optional(), include_labels: flag.optional() },
    async (call, { user }) => ({
      profile: profileObject(
        call.workspace,
        call.app,
        call.baseUrl,
        personFor(call, user === undefined || user === '' ? call.app.botUserId : user),
      ),
    }),
  ),

  method('users.getPresence', { user: text.optional() }, async (call, { user }) => {
    const person = personFor(call, user === undefined || user === '' ? call.app.botUserId : user);
    const presence = person.isAway || person.deleted ? 'away' : 'active';
    if (person.id !== call.app.botUserId) return { presence };
    // More of oneself only.
    return {
      presence,
      online: presence === 'active',
      auto_away: false,
      manual_away: person.isAway,
      connection_count: 1,
      last_activity: Math.floor(call.workspace.clock.now().getTime() / 1000),
    };
  }),

  method('users.setPresence', { presence: text.default('') }, async (call, { presence }) => {
    if (presence !== 'auto' && presence !== 'away') throw new SlackError('invalid_presence');
    const { db, directory } = call.workspace;
    db.update(
      'person',
      { id: call.app.botUserId, workspace_id: directory.team.id },
      { is_away: presence === 'away' },
    );
    return {};
  }),

  method(
    'users.conversations',
    { user: text.optional(), types: text.optional(), exclude_archived: flag.optional(), ...paging },
    async (call, args) => {
      const { id } = personFor(call, args.user ?? call.app.botUserId);
      const found = ofTypes(call, args.types, args.exclude_archived === true).filter((channel) =>
        channel.members.has(id),
      );
      const { page, response_metadata } = pageOf(found, args, 999);
      return { channels: page.map((channel) => channelShape(call, channel, false)), response_metadata };
    },
  ),
];

/** Without the locale unless it was asked for; people of other organisations never have one. */
function seen({ workspace, app, baseUrl }: Call, person: Person, includeLocale = false) {
  const user = userObject(workspace, app, baseUrl, person);
  if ((includeLocale && person.teamId === undefined) || !('locale' in user)) return user;
  const { locale: _locale, ...rest } = user;
  return rest;
}

function personFor({ workspace }: Call, id: string): Person {
  const person = workspace.directory.people.get(id);
  if (!person) throw new SlackError('user_not_found');
  return person;
}

/** docs.slack.dev/reference/methods/{usergroups.list, usergroups.users.list} */
export const USERGROUPS = [
  method(
    'usergroups.list',
    { include_count: flag.optional(), include_disabled: flag.optional(), include_users: flag.optional() },
    async ({ workspace }, args) => ({
      usergroups: workspace.directory.groups
        .values()
        .filter(({ deletedAt }) => deletedAt === 0 || args.include_disabled === true)
        .map((group) => {
          const { user_count, channel_count, ...rest } = groupObject(
            workspace,
            group,
            args.include_users === true,
          );
          return args.include_count === true ? { ...rest, user_count, channel_count } : rest;
        }),
    }),
  ),

  method(
    'usergroups.users.list',
    { usergroup: required, include_disabled: flag.optional() },
    async ({ workspace }, args) => {
      const group = workspace.directory.groups.get(args.usergroup);
      if (!group || (group.deletedAt > 0 && args.include_disabled !== true))
        throw new SlackError('no_such_subteam');
      return { users: group.users };
    },
  ),
];

/** docs.slack.dev/reference/methods/team.info */
export const TEAM = [
  method('team.info', { team: text.optional() }, async ({ workspace, baseUrl }, args) => {
    const { id, name, domain } = workspace.directory.team;
    if (args.team !== undefined && args.team !== '' && args.team !== id)
      throw new SlackError('team_not_found');
    const picture = `${baseUrl}/page/icon.svg`;
    return {
      team: {
        id,
        name,
        domain,
        url: `${baseUrl}/`,
        email_domain: '',
        icon: {
          image_default: true,
          image_34: picture,
          image_44: picture,
          image_68: picture,
          image_88: picture,
          image_102: picture,
          image_132: picture,
          image_230: picture,
        },
        avatar_base_url: 'https://ca.slack-edge.com/',
        is_verified: false,
      },
    };
  }),
];

/** docs.slack.dev/reference/methods/bots.info */
export const BOTS = [
  method('bots.info', { bot: text.optional() }, async ({ workspace, app, baseUrl }, args) => {
    if (args.bot === undefined || args.bot === '' || args.bot === app.botId)
      return {
        bot: botObject(baseUrl, { id: app.botId, appId: app.id, userId: app.botUserId, name: app.name }),
      };
    const other = findOtherBot(workspace, { id: args.bot });
    if (!other) throw new SlackError('bot_not_found');
    const person = workspace.directory.people.get(other.user_id);
    return {
      bot: {
        ...botObject(baseUrl, { id: other.id, appId: other.app_id, userId: other.user_id, name: other.name }),
        deleted: person?.deleted ?? false,
        ...(person?.isWorkflowBot === true ? { is_workflow_bot: true } : {}),
      },
    };
  }),
];

function botObject(
  baseUrl: string,
  bot: { id: string; appId: string; userId: string; name: string },
): Answer {
  return {
    id: bot.id,
    deleted: false,
    name: bot.name,
    updated: 0,
    app_id: bot.appId,
    user_id: bot.userId,
    icons: botIcons(baseUrl, bot.userId),
  };
}

/** docs.slack.dev/reference/methods/emoji.list: only the custom ones, by name. */
export const EMOJI = [
  method('emoji.list', { include_categories: flag.optional() }, async ({ workspace, baseUrl }) => ({
    emoji: Object.fromEntries(
      [...workspace.directory.emoji].map(([name, value]) => [name, emojiAddress(baseUrl, name, value)]),
    ),
    cache_ts: String(workspace.clock.now().getTime() / 1000),
  })),
];
