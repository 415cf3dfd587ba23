import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';

import { storable } from '../values.ts';
import type { RegisteredApp } from '../workspace/apps.ts';
import { type Directory, fullName, type Organisation, type Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { makeCode } from './access.ts';
import { escaped, hiddenFields, htmlPage, sendErrorPage, sendPage } from './page.ts';

/** The query of `/oauth/v2/authorize`. `user_scope` is ignored. */
export const authorizeQuery = z.object({
  client_id: z.string().default(''),
  scope: z.string().default(''),
  redirect_uri: z.string().default(''),
  state: z.string().optional(),
  /** The workspace that the app prefers. */
  team: z.string().default(''),
});
export type AuthorizeQuery = z.output<typeof authorizeQuery>;

/** The request is invalid: the user sees an error and is not redirected. */
export class AuthorizeRefused extends Error {
  override readonly name = 'AuthorizeRefused';
  readonly code: 'invalid_client_id' | 'bad_redirect_uri' | 'invalid_scope' | 'unsupported_response_type';

  constructor(code: AuthorizeRefused['code']) {
    super(code);
    this.code = code;
  }
}

/** A valid authorization request. */
export interface AuthorizeRequest {
  app: RegisteredApp;
  scopes: string[];
  /** As the app sent it. */
  redirectUri: string | undefined;
  /** The URL that the user is redirected to. */
  target: URL;
  state: string | undefined;
}

/** Checks the query of an authorization request. Throws AuthorizeRefused if it is invalid. */
export function parseRequest(workspaces: Workspaces, query: AuthorizeQuery): AuthorizeRequest {
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
 * Creates a code, which the app exchanges for its token. Returns the redirect URL.
 * @param organisation to install it for, instead of only the workspace.
 */
export function allowUrl(
  workspace: Workspace,
  asked: AuthorizeRequest,
  person: Person,
  organisation?: Organisation,
): string {
  const { app, scopes, redirectUri } = asked;
  const allowed = { userId: person.id, scopes, redirectUri, organisation };
  return redirectUrl(asked, { code: makeCode(workspace, app, allowed) });
}

/** Returns who may install an app for an organisation: the owners and admins of any of its workspaces. */
export function organisationInstallers(directory: Directory): Person[] {
  if (!directory.team.organisation) return [];
  return installers(directory).filter(({ role }) => role !== 'member');
}

/** Returns the redirect URL after Cancel. */
export function cancelUrl(asked: AuthorizeRequest): string {
  return redirectUrl(asked, { error: 'access_denied' });
}

/**
 * Returns who may install an app: members of the workspace, without guests, bots and members of other organisations.
 */
export function installers({ people }: Directory): Person[] {
  return people
    .values()
    .filter(
      ({ isBot, deleted, teamId, role }) =>
        !isBot && !deleted && teamId === undefined && role !== 'guest' && role !== 'single_channel_guest',
    );
}

/** Returns the app's redirect URL with these parameters. */
export function redirectUrl({ target, state }: AuthorizeRequest, parameters: Record<string, string>): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries({ ...parameters, ...(state === undefined ? {} : { state }) }))
    url.searchParams.set(name, value);
  return url.href;
}

/** Returns whether a URL is a registered one, or below it (docs.slack.dev/authentication/installing-with-oauth). */
function isUnder(registered: string, { origin, pathname }: URL): boolean {
  const known = URL.parse(registered);
  if (known?.origin !== origin) return false;
  const folder = known.pathname.replace(/\/$/, '');
  return pathname === known.pathname || pathname === folder || pathname.startsWith(`${folder}/`);
}

/** Returns the page that asks whether an app may be installed: a workspace and user to choose, Allow and Cancel. */
export function consentPage(workspaces: Workspaces, asked: AuthorizeRequest, query: AuthorizeQuery): string {
  const groups = workspaces.all.map(({ directory }) => {
    const { team } = directory;
    const wanted = query.team === team.id;
    const people = installers(directory).map(
      (person, index) =>
        `<option value="${escaped(`${team.id} ${person.id}`)}"${wanted && index === 0 ? ' selected' : ''}>${escaped(`${fullName(person) || person.name} (${team.name})`)}</option>`,
    );
    return `<optgroup label="${escaped(team.name)}">${people.join('')}</optgroup>`;
  });
  for (const organisation of workspaces.organisations.all()) {
    const people = workspaces.all
      .filter(({ directory }) => directory.team.organisation?.id === organisation.id)
      .flatMap(({ directory }) => organisationInstallers(directory))
      .map(
        (person) =>
          `<option value="${escaped(`${organisation.id} ${person.id}`)}">${escaped(`${fullName(person) || person.name} (all of ${organisation.name})`)}</option>`,
      );
    groups.push(
      `<optgroup label="${escaped(`The organisation ${organisation.name}`)}">${people.join('')}</optgroup>`,
    );
  }
  const scopes = asked.scopes.map((scope) => `<li><code>${escaped(scope)}</code></li>`);
  return htmlPage(
    `${asked.app.name} asks to be installed`,
    `<p>It will be able to do what these scopes allow, and you go back to <code>${escaped(asked.target.origin)}</code>.</p>
<ul>${scopes.join('')}</ul>
<form method="post" action="/oauth/v2/authorize">${hiddenFields({ ...query, team: undefined })}
<label>Workspace, and who you are<br><select name="as" required>${groups.join('')}</select></label>
<p class="do"><button name="decision" value="allow">Allow</button> <button name="decision" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/**
 * The page's form: the original query, the workspace or organisation and the user (`T… U…`, `E… U…`), and the decision.
 */
const decision = authorizeQuery.extend({
  as: z
    .string()
    .regex(/^\S+ \S+$/)
    .optional(),
  decision: z.enum(['allow', 'cancel']),
});

/**
 * Serves `/oauth/v2/authorize`, to which an app sends users to install it
 * (docs.slack.dev/authentication/installing-with-oauth).
 */
export function serveOAuth(server: FastifyInstance, workspaces: Workspaces): void {
  server.get('/oauth/v2/authorize', (request, reply) => {
    const query = authorizeQuery.safeParse(storable(request.query));
    if (!query.success) return sendErrorPage(reply, 'invalid_arguments');
    return showRefusal(reply, async () => {
      const asked = parseRequest(workspaces, query.data);
      return sendPage(reply, 200, consentPage(workspaces, asked, query.data), asked.target);
    });
  });

  server.post('/oauth/v2/authorize', (request, reply) => {
    const form = decision.safeParse(storable(request.body));
    if (!form.success) return sendErrorPage(reply, 'invalid_arguments');
    return showRefusal(reply, async () => {
      const asked = parseRequest(workspaces, form.data);
      if (form.data.decision === 'cancel') return reply.redirect(cancelUrl(asked));
      const [placeId = '', userId = ''] = (form.data.as ?? '').split(' ');
      const organisation = workspaces.organisations.get(placeId);
      const workspace = organisation
        ? workspaces.all.find(
            ({ directory }) =>
              directory.team.organisation?.id === organisation.id && directory.people.has(userId),
          )
        : workspaces.find(placeId);
      const may = organisation ? organisationInstallers : installers;
      const person = workspace && may(workspace.directory).find(({ id }) => id === userId);
      if (!person) return sendErrorPage(reply, 'invalid_arguments');
      return reply.redirect(allowUrl(workspace, asked, person, organisation));
    });
  });
}

/** Runs `work`, and shows an error page if it throws AuthorizeRefused. */
export async function showRefusal(
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizeRefused) return sendErrorPage(reply, error.code);
    throw error;
  }
}
