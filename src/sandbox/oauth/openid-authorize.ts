import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { storable } from '../values.ts';
import { type Directory, fullName, type Person } from '../workspace/directory.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { makeCode } from './access.ts';
import {
  authorizeQuery,
  AuthorizeRefused,
  type AuthorizeRequest,
  cancelUrl,
  parseRequest,
  redirectUrl,
  showRefusal,
} from './authorize.ts';
import { escaped, hiddenFields, htmlPage, sendErrorPage, sendPage } from './page.ts';
import type { SignIns } from './sign-ins.ts';

/** docs.slack.dev/authentication/sign-in-with-slack, "Request with scopes" */
const SCOPES = ['openid', 'email', 'profile'];

const signInQuery = authorizeQuery.extend({
  response_type: z.string().default(''),
  nonce: z.string().optional(),
  /** The e-mail address of the user to preselect. */
  login_hint: z.string().optional(),
});
type SignInQuery = z.output<typeof signInQuery>;

const decision = signInQuery.extend({
  as: z
    .string()
    .regex(/^\S+ \S+$/)
    .optional(),
  decision: z.enum(['allow', 'cancel']),
});

/** Serves Sign in with Slack (docs.slack.dev/authentication/sign-in-with-slack): discovery, keys and consent page. */
export function serveOpenId(server: FastifyInstance, workspaces: Workspaces, signIns: SignIns): void {
  server.get('/.well-known/openid-configuration', (request) =>
    discoveryDocument(`http://${request.headers.host ?? ''}`),
  );
  server.get('/openid/connect/keys', () => signIns.keys());

  server.get('/openid/connect/authorize', (request, reply) => {
    const query = signInQuery.safeParse(storable(request.query));
    if (!query.success) return sendErrorPage(reply, 'invalid_arguments');
    return showRefusal(reply, async () => {
      const asked = parseSignIn(workspaces, query.data);
      return sendPage(reply, 200, consentPage(workspaces, asked, query.data), asked.target);
    });
  });

  server.post('/openid/connect/authorize', (request: FastifyRequest, reply) => {
    const form = decision.safeParse(storable(request.body));
    if (!form.success) return sendErrorPage(reply, 'invalid_arguments');
    return showRefusal(reply, async () => {
      const asked = parseSignIn(workspaces, form.data);
      if (form.data.decision === 'cancel') return reply.redirect(cancelUrl(asked));
      const [teamId = '', userId = ''] = (form.data.as ?? '').split(' ');
      const workspace = workspaces.find(teamId);
      const person = workspace && members(workspace.directory).find(({ id }) => id === userId);
      if (!person) return sendErrorPage(reply, 'invalid_arguments');
      const { app, scopes, redirectUri } = asked;
      const code = makeCode(workspace, app, { userId, scopes, redirectUri, organisation: undefined });
      signIns.start(code, form.data.nonce);
      return reply.redirect(redirectUrl(asked, { code }));
    });
  });
}

/** Checks the query of a sign-in. Throws AuthorizeRefused if it is invalid. */
function parseSignIn(workspaces: Workspaces, query: SignInQuery): AuthorizeRequest {
  const asked = parseRequest(workspaces, query);
  if (query.response_type !== 'code') throw new AuthorizeRefused('unsupported_response_type');
  if (!asked.scopes.includes('openid') || !asked.scopes.every((scope) => SCOPES.includes(scope)))
    throw new AuthorizeRefused('invalid_scope');
  return asked;
}

/** Returns who may sign in: the members of the workspace. */
function members({ people }: Directory): Person[] {
  return people.values().filter(({ isBot, deleted, teamId }) => !isBot && !deleted && teamId === undefined);
}

/** The data that each scope gives an app, in words. */
const SHARED_DATA = [
  ['profile', 'name'],
  ['email', 'e-mail'],
] as const;

function consentPage(workspaces: Workspaces, asked: AuthorizeRequest, query: SignInQuery): string {
  const groups = workspaces.all.map(({ directory }) => {
    const { team } = directory;
    const offered = members(directory);
    const first = offered.find(({ email }) => query.login_hint !== undefined && email === query.login_hint);
    const chosen = first ?? (query.team === team.id ? offered[0] : undefined);
    const people = offered.map(
      (person) =>
        `<option value="${escaped(`${team.id} ${person.id}`)}"${person === chosen ? ' selected' : ''}>${escaped(fullName(person) || person.name)}</option>`,
    );
    return `<optgroup label="${escaped(team.name)}">${people.join('')}</optgroup>`;
  });
  const shared = SHARED_DATA.filter(([scope]) => asked.scopes.includes(scope)).map(([, word]) => word);
  return htmlPage(
    `Sign in to ${asked.app.name} with Slack`,
    `<p>${escaped(asked.app.name)} will see your ${escaped(shared.join(' and ') || 'account')}, and you return to <code>${escaped(asked.target.origin)}</code>.</p>
<form method="post" action="/openid/connect/authorize">${hiddenFields({ ...query, team: undefined })}
<label>Who you are<br><select name="as" required>${groups.join('')}</select></label>
<p class="do"><button name="decision" value="allow">Allow</button> <button name="decision" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/** Returns Slack's discovery document for this issuer (slack.com/.well-known/openid-configuration). */
function discoveryDocument(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/openid/connect/authorize`,
    token_endpoint: `${issuer}/api/openid.connect.token`,
    userinfo_endpoint: `${issuer}/api/openid.connect.userInfo`,
    jwks_uri: `${issuer}/openid/connect/keys`,
    scopes_supported: ['openid', 'profile', 'email'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['sub', 'auth_time', 'iss'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  };
}
