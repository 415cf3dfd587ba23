import type { BotToken, RegisteredApp } from '../workspace/apps.ts';
import type { App, Organisation } from '../workspace/directory.ts';
import { openTo } from '../workspace/installations.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { SlackError } from './method.ts';

/**
 * Who calls: an app in a workspace, by its bot token (an organisation's opens several), an app as an organisation has
 * it, or an app as such, by its app-level token.
 */
export type Caller =
  | { kind: 'bot'; workspace: Workspace; app: App; token: BotToken }
  | { kind: 'organisation'; organisation: Organisation; app: App; token: BotToken }
  | { kind: 'app'; app: RegisteredApp };

/**
 * Returns the owner of a token. Errors (see every method page): `not_authed` without one, `invalid_auth` if it is
 * unknown or replaced, `account_inactive` if the bot user is deactivated, `token_expired`.
 */
export function callerOf(workspaces: Workspaces, token: unknown): Caller {
  if (typeof token !== 'string' || token === '') throw new SlackError('not_authed');
  const registered = workspaces.apps.byAppToken(token);
  if (registered) return { kind: 'app', app: registered };
  const known = workspaces.tokens.get(token);
  if (known?.organisation_id !== undefined && known.organisation_id !== null) {
    const organisation = workspaces.organisations.get(known.organisation_id);
    const app = organisation && workspaces.organisations.app(organisation.id, known.app_id);
    if (!organisation || !app) throw new SlackError('account_inactive');
    mustLast(workspaces, known);
    return { kind: 'organisation', organisation, app, token: known };
  }
  const workspace = known && workspaces.find(known.team_id ?? '');
  if (!workspace) throw new SlackError('invalid_auth');
  const app = workspace.directory.apps.get(known.app_id);
  const bot = app && workspace.directory.people.get(app.botUserId);
  if (!app || bot?.deleted === true) throw new SlackError('account_inactive');
  mustLast(workspaces, known);
  return { kind: 'bot', workspace, app, token: known };
}

/** Whether a token was given out, to a bot or to an app. */
export function isToken(workspaces: Workspaces, token: string | undefined): boolean {
  return (
    token !== undefined &&
    (workspaces.apps.byAppToken(token) !== undefined || workspaces.tokens.get(token) !== undefined)
  );
}

function mustLast({ tokens }: Workspaces, token: BotToken): void {
  if (token.ended) throw new SlackError('invalid_auth');
  if (tokens.isExpired(token)) throw new SlackError('token_expired');
}

/** The workspace a call is about, by its token, or by what it names where an organisation's token opens several. */
export function teamOfCall(
  workspaces: Workspaces,
  token: unknown,
  args: Record<string, unknown> = {},
): string | undefined {
  const known = typeof token === 'string' ? workspaces.tokens.get(token) : undefined;
  if (known?.organisation_id === undefined || known.organisation_id === null)
    return known?.team_id ?? undefined;
  const place = args['channel'] ?? args['channel_id'];
  const host = typeof place === 'string' ? workspaces.ofChannel(place)?.directory.team.id : undefined;
  return host ?? (typeof args['team_id'] === 'string' ? args['team_id'] : undefined);
}

/** The token in the header, and the client's name and secret in HTTP Basic authentication. */
export function authorizationIn(header: string | undefined): {
  bearer?: string | undefined;
  basic?: { id: string; secret: string } | undefined;
} {
  const [, scheme = '', value = ''] = /^(Bearer|Basic)\s+(.+)$/i.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { bearer: value };
  if (scheme === '') return {};
  const [id = '', ...secret] = Buffer.from(value, 'base64').toString('utf8').split(':');
  return { basic: { id, secret: secret.join(':') } };
}

/** Methods that need `team_id` with an organisation's token: they list what is in one ("team_id" of their pages). */
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
export function workspaceOfCall(
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
  const team = teamOfCall(workspaces, token.token, args);
  const user = args['user'] ?? args['user_id'] ?? args['users'];
  const found =
    team === undefined
      ? (open.find(({ directory }) => typeof user === 'string' && directory.people.has(user)) ?? open[0])
      : open.find(({ directory }) => directory.team.id === team);
  if (found) return found;
  const names = typeof (args['channel'] ?? args['channel_id']) === 'string';
  throw new SlackError(names ? 'channel_not_found' : 'team_access_not_granted');
}
