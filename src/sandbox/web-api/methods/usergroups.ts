import { z } from 'zod';

import { groupObject } from '../../workspace/usergroups.ts';
import { flag, required } from '../arguments.ts';
import { method, SlackError } from '../method.ts';

/** docs.slack.dev/reference/methods/{usergroups.list, usergroups.users.list} */
export const USERGROUPS = [
  method(
    'usergroups.list',
    z.object({
      include_count: flag.optional(),
      include_disabled: flag.optional(),
      include_users: flag.optional(),
    }),
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
    z.object({ usergroup: required, include_disabled: flag.optional() }),
    async ({ workspace }, args) => {
      const group = workspace.directory.groups.get(args.usergroup);
      if (!group || (group.deletedAt > 0 && args.include_disabled !== true))
        throw new SlackError('no_such_subteam');
      return { users: group.users };
    },
  ),
];
