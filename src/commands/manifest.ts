import { EVENTS_PATH, REDIRECT_PATH } from '../bridge/paths.ts';
import { type Config, credentialsOf, publicUrlOf } from '../start/config.ts';
import { redirectUriOf } from '../start/sign-in.ts';
import { manifestText } from '../start/manifest.ts';
import { type Run, UsageError } from './command.ts';

/**
 * Prints the Slack app's manifest, to be pasted on Slack's page *Create app → From a manifest*, and on standard error
 * what to do with it (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests).
 */
export const manifest: Run = async ({ config, values }) => {
  const text = await manifestText();
  const named = text.replaceAll('command: /ticket', `command: ${config.COMMAND}`);
  const byHttp =
    values.http === true || (config.SLACK_SIGNING_SECRET !== undefined && !config.SLACK_APP_TOKEN);
  const linked = withUnfurls(named, config);
  const forAll = values.organisation === true;
  if (forAll && !credentialsOf(config))
    throw new UsageError(
      'An organisation installs the app by OAuth: set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET instead of SLACK_BOT_TOKEN.',
    );
  const installable = credentialsOf(config)
    ? withEvents(linked, ['app_uninstalled', 'tokens_revoked'])
    : linked;
  const back = withRedirects(installable, config);
  const deployed = forAll ? forOrganisations(back) : back;
  const asked = values.mcp === true ? withTools(deployed, config) : deployed;
  process.stdout.write(byHttp ? overHttp(asked, config) : asked);
  process.stderr.write(whatToDo(byHttp, signsIn(config)));
};

function whatToDo(byHttp: boolean, people: boolean): string {
  const steps = [
    'Open https://api.slack.com/apps?new_app=1, choose "From a manifest" and your workspace, paste the manifest, and create the app.',
    'OAuth & Permissions: install the app, and copy the Bot User OAuth Token (xoxb-…) to SLACK_BOT_TOKEN.',
    byHttp
      ? 'Basic Information: copy the Signing Secret to SLACK_SIGNING_SECRET.'
      : 'Basic Information, App-Level Tokens: generate one with the scope connections:write, and copy it (xapp-…) to SLACK_APP_TOKEN.',
    ...(people
      ? [
          'Basic Information: copy the Client ID and Client Secret to SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, so that people sign in with Slack.',
        ]
      : []),
    'Set them in the environment, and run `npx deskbridge doctor`: it prints the next step.',
    ...(byHttp
      ? ['When it runs at PUBLIC_URL, open Event Subscriptions and have Slack verify the request URL.']
      : []),
  ];
  return ['', 'Next steps:', ...steps.map((step, at) => `  ${at + 1}. ${step}`), ''].join('\n');
}

/** Adds where people come back to: from installing the app, and from Sign in with Slack, which needs https. */
function withRedirects(text: string, config: Config): string {
  const urls = [
    ...(credentialsOf(config) ? [`${publicUrlOf(config)}${REDIRECT_PATH}`] : []),
    ...(signsIn(config) ? [redirectUriOf(config, 'slack')] : []),
  ];
  if (urls.length === 0) return text;
  return text.replace(
    /^oauth_config:$/m,
    ['$&', '  redirect_urls:', ...urls.map((url) => `    - ${url}`)].join('\n'),
  );
}

function signsIn({ PUBLIC_URL }: Config): boolean {
  return PUBLIC_URL?.startsWith('https:') === true;
}

/**
 * Allows org-wide installation. Slack does not let an app undo it (https://docs.slack.dev/enterprise), so it needs an
 * option.
 */
function forOrganisations(text: string): string {
  const hears = withEvents(text, ['team_access_granted', 'team_access_revoked']);
  return hears.replace('org_deploy_enabled: false', 'org_deploy_enabled: true');
}

function withEvents(text: string, events: readonly string[]): string {
  return text.replace(/^( *)bot_events:$/m, (line, indent: string) =>
    [line, ...events.map((event) => `${indent}  - ${event}`)].join('\n'),
  );
}

/** Adds link unfurling, if ticket links lead to a public host: Slack accepts no other (B41). */
function withUnfurls(text: string, { PUBLIC_URL }: Config): string {
  const host = PUBLIC_URL === undefined ? undefined : publicHost(PUBLIC_URL);
  if (host === undefined) return text;
  return text.replace(/^( *)slash_commands:$/m, `$1unfurl_domains:\n$1  - ${host}\n$&`);
}

/** Returns the host of a URL if its name is public; undefined for IP addresses and names of a local network. */
function publicHost(address: string): string | undefined {
  const { hostname } = new URL(address);
  const isName = /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]+$/i.test(hostname);
  return isName && !/\.(local|localhost|internal|lan|home\.arpa)$/i.test(hostname) ? hostname : undefined;
}

/**
 * Lets Slackbot use the AI tools: it signs what it asks, and says for whom
 * (https://docs.slack.dev/ai/slackbot-mcp-client).
 */
function withTools(text: string, { PUBLIC_URL, SLACK_SIGNING_SECRET }: Config): string {
  if (!PUBLIC_URL?.startsWith('https:') || !SLACK_SIGNING_SECRET)
    throw new UsageError(
      'Slackbot uses the AI tools at PUBLIC_URL, an https address that Slack can reach, and signs with SLACK_SIGNING_SECRET. Set both.',
    );
  const server = [
    'mcp_servers:',
    '  deskbridge:',
    `    url: ${PUBLIC_URL}/mcp`,
    '    auth_type: slack_identity_auth',
  ];
  const scoped = text.replace(/^( *)- links:write$/m, '$&\n$1- mcp:connect');
  return `${scoped.trimEnd()}\n${server.join('\n')}\n`;
}

/** Replaces Socket Mode with one request URL for events, the command and interactions. */
function overHttp(text: string, { PUBLIC_URL }: Config): string {
  if (!PUBLIC_URL)
    throw new UsageError(
      'PUBLIC_URL is missing: Slack sends events to it. Set it to an https address of the bridge that Slack can reach.',
    );
  const url = `${PUBLIC_URL}${EVENTS_PATH}`;
  return text
    .replace(/^( *)- command: .*$/m, `$&\n$1  url: ${url}`)
    .replace(/^( *)event_subscriptions:$/m, `$&\n$1  request_url: ${url}`)
    .replace(/^( *)interactivity:$/m, `$&\n$1  request_url: ${url}`)
    .replace('socket_mode_enabled: true', 'socket_mode_enabled: false');
}
