import { z } from 'zod';

import type { RegisteredApp } from '../workspace/apps.ts';
import type { Directory, Organisation, Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { makeCode } from './codes.ts';

/** What an app asks for when it sends somebody to `/oauth/v2/authorize`. `user_scope` counts for nothing here. */
export const authorizeQuery = z.object({
  client_id: z.string().default(''),
  scope: z.string().default(''),
  redirect_uri: z.string().default(''),
  state: z.string().optional(),
  /** The workspace that the app would like. */
  team: z.string().default(''),
});
export type AuthorizeQuery = z.output<typeof authorizeQuery>;

/** The person cannot be asked, and is not sent back: they read why. */
export class AuthorizeRefused extends Error {
  override readonly name = 'AuthorizeRefused';
  readonly code: 'invalid_client_id' | 'bad_redirect_uri' | 'invalid_scope';

  constructor(code: AuthorizeRefused['code']) {
    super(code);
    this.code = code;
  }
}

/** A question that can be put to a person, and where the answer goes. */
export interface Asked {
  app: RegisteredApp;
  scopes: string[];
  /** As the app named it. */
  redirectUri: string | undefined;
  /** Where the person is sent back to. */
  target: URL;
  state: string | undefined;
}

/** @throws AuthorizeRefused */
export function askedIn(workspaces: Workspaces, query: AuthorizeQuery): Asked {
  const app = workspaces.apps.byClientId(query.client_id);
  if (!app) throw new AuthorizeRefused('invalid_client_id');
  const redirectUri = query.redirect_uri === '' ? undefined : query.redirect_uri;
  const named = redirectUri ?? app.redirectUrls[0];
  const target = named === undefined ? null : URL.parse(named);
  if (!target || !app.redirectUrls.some((registered) => isUnder(registered, target)))
    throw new AuthorizeRefused('bad_redirect_uri');
  const scopes = query.scope
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter(Boolean);
  if (scopes.length === 0 || !scopes.every((one) => /^[a-z][a-z0-9._:-]*$/.test(one)))
    throw new AuthorizeRefused('invalid_scope');
  return { app, scopes: [...new Set(scopes)], redirectUri, target, state: query.state };
}

/**
 * Installs nothing yet: the app is sent a code, which it changes for its token. Gives where the person goes.
 * @param organisation for which it is to be installed, in place of the workspace alone.
 */
export function allow(
  workspace: Workspace,
  asked: Asked,
  person: Person,
  organisation?: Organisation,
): string {
  const { app, scopes, redirectUri } = asked;
  const allowed = { userId: person.id, scopes, redirectUri, organisation };
  return back(asked, { code: makeCode(workspace, app, allowed) });
}

/** Who may install an app for their whole organisation: its owners and admins; here, those of any of its workspaces. */
export function organisationInstallers(directory: Directory): Person[] {
  if (!directory.team.organisation) return [];
  return installers(directory).filter(({ role }) => role !== 'member');
}

/** Where the person goes who pressed Cancel. */
export function cancel(asked: Asked): string {
  return back(asked, { error: 'access_denied' });
}

/** Who may install an app: members of the workspace, no guests, no bots, nobody of another organisation. */
export function installers({ people }: Directory): Person[] {
  return people
    .values()
    .filter(
      ({ isBot, deleted, teamId, role }) =>
        !isBot && !deleted && teamId === undefined && role !== 'guest' && role !== 'single_channel_guest',
    );
}

function back({ target, state }: Asked, said: Record<string, string>): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries({ ...said, ...(state === undefined ? {} : { state }) }))
    url.searchParams.set(name, value);
  return url.href;
}

/** An address that was registered, or one below it (docs.slack.dev/authentication/installing-with-oauth). */
function isUnder(registered: string, { origin, pathname }: URL): boolean {
  const known = URL.parse(registered);
  if (known?.origin !== origin) return false;
  const folder = known.pathname.replace(/\/$/, '');
  return pathname === known.pathname || pathname === folder || pathname.startsWith(`${folder}/`);
}
