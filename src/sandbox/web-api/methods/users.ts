import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import { userObject } from '../../workspace/people-object.ts';
import { flag, required, text, whole } from '../arguments.ts';
import { method, SlackError } from '../method.ts';
import { pageOf } from '../paging.ts';
import { channelShape } from '../shapes.ts';
import { ofTypes } from './conversation-list.ts';

/** docs.slack.dev/reference/methods/{users.info, users.list, users.lookupByEmail, users.conversations} */
export const USERS = [
  method('users.info', z.object({ user: required }), async (call, { user }) => {
    const person = call.workspace.directory.people.get(user);
    if (!person) throw new SlackError('user_not_found');
    return { user: userObject(call.workspace, call.app, call.baseUrl, person) };
  }),

  method(
    'users.list',
    z.object({ cursor: text.optional(), limit: whole.optional() }),
    async (call, { cursor, limit }) => {
      const people = [...call.workspace.directory.people.values()];
      const { page, response_metadata } = pageOf(
        people,
        cursor,
        Math.min(limit || LIMITS.listMax, LIMITS.listMax),
      );
      return {
        members: page.map((person) => userObject(call.workspace, call.app, call.baseUrl, person)),
        cache_ts: Math.floor(call.workspace.clock.now().getTime() / 1000),
        response_metadata,
      };
    },
  ),

  method('users.lookupByEmail', z.object({ email: required }), async (call, { email }) => {
    const wanted = email.toLowerCase();
    const person = [...call.workspace.directory.people.values()].find(
      (candidate) => candidate.email.toLowerCase() === wanted,
    );
    if (!person) throw new SlackError('users_not_found');
    return { user: userObject(call.workspace, call.app, call.baseUrl, person) };
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
      const { directory } = call.workspace;
      const user = args.user ?? call.app.botUserId;
      if (!directory.people.has(user)) throw new SlackError('user_not_found');
      const found = ofTypes(call, args.types, args.exclude_archived === true).filter((channel) =>
        channel.members.has(user),
      );
      const { page, response_metadata } = pageOf(found, args.cursor, Math.min(args.limit || 100, 999));
      return { channels: page.map((channel) => channelShape(call, channel, false)), response_metadata };
    },
  ),
];
