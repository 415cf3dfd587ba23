import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';

import { storable } from '../values.ts';
import type { RegisteredApp } from '../workspace/apps.ts';
import { type Directory, fullName, type Organisation, type Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { makeCode } from './access.ts';
import { escaped, hiddenFields, page, refuse, show } from './page.ts';

/** The query of `/oauth/v2/authorize`. `user_scope` is ignored. */
export const authorizeQuery = z.object({
  client_id: z.string().default(''),
  scope: z.string().default(''),
  redirect_uri: z.string().default(''),
  state: z.string().optional(),
  /** The workspace that the app would like. */
  team: z.string().default(''),
});
export type AuthorizeQuery = z.output<typeof authorizeQuery>;

/** The request is invalid, so the person sees an error and is not redirected. */
export class AuthorizeRefused extends Error {
  override readonly name = 'AuthorizeRefused';
  readonly code: 'invalid_client_id' | 'bad_redirect_uri' | 'invalid_scope' | 'unsupported_response_type';

  constructor(code: AuthorizeRefused['code']) {
    super(code);
    this.code = code;
  }
}

/** A valid authorisation request. */
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
 * Creates a code, which the app exchanges for its token. Returns the redirect URL.
 * @param organisation to install it for, instead of only the workspace.
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

/** Returns the redirect URL after Cancel. */
export function cancel(asked: Asked): string {
  return back(asked, { error: 'access_denied' });
}

/** Who may install an app: members of the workspace, but no guests, bots or members of other organisations. */
export function installers({ people }: Directory): Person[] {
  return people
    .values()
    .filter(
      ({ isBot, deleted, teamId, role }) =>
        !isBot && !deleted && teamId === undefined && role !== 'guest' && role !== 'single_channel_guest',
    );
}

/** Returns the address that the person is sent back to, with these parameters. */
export function back({ target, state }: Asked, said: Record<string, string>): string {
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

/** Asks a person whether an app may be installed: which workspace and who they are, Allow and Cancel. */
export function consentPage(workspaces: Workspaces, asked: Asked, query: AuthorizeQuery): string {
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
  return page(
    `${asked.app.name} asks to be installed`,
    `<p>It will be able to do what these scopes allow, and you go back to <code>${escaped(asked.target.origin)}</code>.</p>
<ul>${scopes.join('')}</ul>
<form method="post" action="/oauth/v2/authorize">${hiddenFields({ ...query, team: undefined })}
<label>Workspace, and who you are<br><select name="as" required>${groups.join('')}</select></label>
<p class="do"><button name="decision" value="allow">Allow</button> <button name="decision" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/** What the page's form sends: the question as it was put, for what and who answers (`T… U…`, `E… U…`), and how. */
const decision = authorizeQuery.extend({
  as: z
    .string()
    .regex(/^\S+ \S+$/)
    .optional(),
  decision: z.enum(['allow', 'cancel']),
});

/**
 * `/oauth/v2/authorize` (docs.slack.dev/authentication/installing-with-oauth): where an app sends people to install it.
 */
export function serveOAuth(server: FastifyInstance, workspaces: Workspaces): void {
  server.get('/oauth/v2/authorize', (request, reply) => {
    const query = authorizeQuery.safeParse(storable(request.query));
    if (!query.success) return refuse(reply, 'invalid_arguments');
    return orRefuse(reply, async () => {
      const asked = askedIn(workspaces, query.data);
      return show(reply, 200, consentPage(workspaces, asked, query.data), asked.target);
    });
  });

  server.post('/oauth/v2/authorize', (request, reply) => {
    const said = decision.safeParse(storable(request.body));
    if (!said.success) return refuse(reply, 'invalid_arguments');
    return orRefuse(reply, async () => {
      const asked = askedIn(workspaces, said.data);
      if (said.data.decision === 'cancel') return reply.redirect(cancel(asked));
      const [placeId = '', userId = ''] = (said.data.as ?? '').split(' ');
      const organisation = workspaces.organisations.get(placeId);
      const workspace = organisation
        ? workspaces.all.find(
            ({ directory }) =>
              directory.team.organisation?.id === organisation.id && directory.people.has(userId),
          )
        : workspaces.find(placeId);
      const may = organisation ? organisationInstallers : installers;
      const person = workspace && may(workspace.directory).find(({ id }) => id === userId);
      if (!person) return refuse(reply, 'invalid_arguments');
      return reply.redirect(allow(workspace, asked, person, organisation));
    });
  });
}

export async function orRefuse(
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizeRefused) return refuse(reply, error.code);
    throw error;
  }
}
