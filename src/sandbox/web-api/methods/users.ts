import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import type { Person } from '../../workspace/directory.ts';
import { profileObject, userObject } from '../../workspace/people-object.ts';
import { flag, required, text, whole } from '../arguments.ts';
import { type Call, method, SlackError } from '../method.ts';
import { pageOf } from '../paging.ts';
import { channelShape } from '../shapes.ts';
import { ofTypes } from './conversation-list.ts';

/** docs.slack.dev/reference/methods/users.{info, list, lookupByEmail, profile.get, getPresence, setPresence, conversations} */
export const USERS = [
  method(
    'users.info',
    z.object({ user: required, include_locale: flag.optional() }),
    async (call, { user, include_locale }) => ({
      user: seen(call, personFor(call, user), include_locale),
    }),
  ),

  method(
    'users.list',
    z.object({ cursor: text.optional(), limit: whole.optional(), include_locale: flag.optional() }),
    async (call, { cursor, limit, include_locale }) => {
      const people = call.workspace.directory.people.values();
      const { page, response_metadata } = pageOf(
        people,
        cursor,
        Math.min(limit || LIMITS.listMax, LIMITS.listMax),
      );
      return {
        members: page.map((person) => seen(call, person, include_locale)),
        cache_ts: Math.floor(call.workspace.clock.now().getTime() / 1000),
        response_metadata,
      };
    },
  ),

  method('users.lookupByEmail', z.object({ email: required }), async (call, { email }) => {
    const wanted = email.toLowerCase();
    const person = call.workspace.directory.people
      .values()
      .find((one) => one.email.toLowerCase() === wanted && !one.deleted && one.teamId === undefined);
    if (!person) throw new SlackError('users_not_found');
    return { user: seen(call, person) };
  }),

  method(
    'users.profile.get',
    z.object({ user: text.optional(), include_labels: flag.optional() }),
    async (call, { user }) => ({
      profile: profileObject(
        call.workspace,
        call.app,
        call.baseUrl,
        personFor(call, user === undefined || user === '' ? call.app.botUserId : user),
      ),
    }),
  ),

  method('users.getPresence', z.object({ user: text.optional() }), async (call, { user }) => {
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

  method('users.setPresence', z.object({ presence: text.default('') }), async (call, { presence }) => {
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
    z.object({
      user: text.optional(),
      types: text.optional(),
      exclude_archived: flag.optional(),
      cursor: text.optional(),
      limit: whole.optional(),
    }),
    async (call, args) => {
      const { id } = personFor(call, args.user ?? call.app.botUserId);
      const found = ofTypes(call, args.types, args.exclude_archived === true).filter((channel) =>
        channel.members.has(id),
      );
      const { page, response_metadata } = pageOf(found, args.cursor, Math.min(args.limit || 100, 999));
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
