import { callerOf } from '../web-api/caller.ts';
import { type Answer, type Method, method, type OpenCall, SlackError, text } from '../web-api/method.ts';
import { fullName, type Person, type Team } from '../workspace/directory.ts';
import { avatarHash } from '../workspace/people.ts';
import { requireClient, redeemCode } from './access.ts';
import { accessTokenHash } from './sign-ins.ts';

/** docs.slack.dev/reference/methods/{openid.connect.token, openid.connect.userInfo} */
export const OPENID: readonly Method<OpenCall>[] = [
  method(
    'openid.connect.token',
    {
      client_id: text.optional(),
      client_secret: text.optional(),
      code: text.default(''),
      redirect_uri: text.optional(),
      grant_type: text.optional(),
      refresh_token: text.optional(),
    },
    async (call: OpenCall, args) => {
      const { workspaces, basic, signIns, baseUrl } = call;
      const app = requireClient(workspaces, basic?.id ?? args.client_id, basic?.secret ?? args.client_secret);
      const grantType = args.grant_type || 'authorization_code';
      if (grantType === 'refresh_token') throw new SlackError('invalid_refresh_token');
      if (grantType !== 'authorization_code') throw new SlackError('invalid_grant_type');
      const known = signIns.isStarted(args.code);
      const { teamId, userId, scopes } = redeemCode(
        workspaces,
        app,
        args.code,
        args.redirect_uri || undefined,
      );
      if (!known) throw new SlackError('oauth_authorization_url_mismatch');
      const token = `xoxp-${workspaces.default.ids.secret()}`;
      const granted = { teamId: teamId ?? '', userId, scopes };
      const nonce = signIns.complete(args.code, token, granted);
      const { sub, ...claims } = claimsOf(call, granted);
      const id_token = await signIns.idToken({
        iss: baseUrl,
        sub,
        aud: app.clientId,
        ...(nonce !== undefined && { nonce }),
        at_hash: accessTokenHash(token),
        ...claims,
      });
      return { access_token: token, token_type: 'Bearer', id_token };
    },
  ),

  method('openid.connect.userInfo', {}, async (call: OpenCall): Promise<Answer> => {
    const granted = call.signIns.grantedBy(call.token);
    if (granted) return claimsOf(call, granted);
    callerOf(call.workspaces, call.token);
    throw new SlackError('not_allowed_token_type');
  }),
];

/** What Slack says of a person, by the scopes that they granted. */
function claimsOf(
  { workspaces, baseUrl }: OpenCall,
  { teamId, userId, scopes }: { teamId: string; userId: string; scopes: readonly string[] },
) {
  const directory = workspaces.find(teamId)?.directory;
  const person = directory?.people.get(userId);
  if (!directory || !person || person.deleted) throw new SlackError('token_revoked');
  return {
    sub: person.id,
    'https://slack.com/user_id': person.id,
    'https://slack.com/team_id': teamId,
    ...(scopes.includes('email') && person.email !== '' && emailOf(person)),
    ...(scopes.includes('profile') && profileOf(person, directory.team, baseUrl)),
  };
}

function emailOf({ email, updatedAt }: Person) {
  return { email, email_verified: true, date_email_verified: updatedAt };
}

function profileOf(person: Person, { name, domain }: Team, baseUrl: string) {
  const picture = `${baseUrl}/avatar/${person.id}.svg?v=${avatarHash(person)}`;
  const sizes = [24, 32, 48, 72, 192, 512].map((size) => [`https://slack.com/user_image_${size}`, picture]);
  return {
    name: fullName(person) || person.name,
    picture,
    given_name: person.firstName,
    family_name: person.lastName,
    locale: 'en-US',
    'https://slack.com/team_name': name,
    'https://slack.com/team_domain': domain,
    ...(Object.fromEntries(sizes) as Record<string, string>),
    'https://slack.com/team_image_default': true,
  };
}
