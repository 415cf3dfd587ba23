import type { App, Organisation } from '../workspace/directory.ts';
import { openTo } from '../workspace/organisation-access.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { teamOf } from './caller.ts';
import { SlackError } from './method.ts';

/** Methods that have to be told the workspace by an organisation's token: they list what is in one ("team_id" of their pages). */
const NEED_TEAM: ReadonlySet<string> = new Set([
  'conversations.create',
  'conversations.list',
  'emoji.list',
  'files.list',
  'team.info',
  'usergroups.list',
  'usergroups.users.list',
  'users.conversations',
  'users.list',
]);

/**
 * The workspace that a call with an organisation's token is about: that of the channel that it names, or the one of
 * `team_id`, or the only one that there is. Refusals (method pages): `missing_argument`,
 * `team_access_not_granted`, and `channel_not_found` for a channel of a workspace that the token does not open.
 */
export function workspaceOf(
  workspaces: Workspaces,
  { organisation, app, token }: { organisation: Organisation; app: App; token: { token: string } },
  name: string,
  args: Record<string, unknown>,
): Workspace {
  const open = openTo(workspaces, organisation, app);
  if (typeof args['team_id'] !== 'string' && NEED_TEAM.has(name))
    throw new SlackError('missing_argument', {
      response_metadata: { messages: ['[ERROR] missing required field: team_id'] },
    });
  const team = teamOf(workspaces, token.token, args);
  const user = args['user'] ?? args['user_id'] ?? args['users'];
  const found =
    team === undefined
      ? (open.find(({ directory }) => typeof user === 'string' && directory.people.has(user)) ?? open[0])
      : open.find(({ directory }) => directory.team.id === team);
  if (found) return found;
  const names = typeof (args['channel'] ?? args['channel_id']) === 'string';
  throw new SlackError(names ? 'channel_not_found' : 'team_access_not_granted');
}
