import { timingSafeEqual } from 'node:crypto';

import { type CodedError, type Installation, InstallProvider, type InstallURLOptions } from '@slack/oauth';
import { LogLevel } from '@slack/web-api';
import type { FastifyPluginAsync } from 'fastify';

import type { Log } from '../../platform/log.ts';
import { PAGE_HEADERS, sayingPage } from '../page/layout.ts';
import type { Installations, NewInstallation } from './installations.ts';
import type { AppCredentials } from './token.ts';

/** Where an owner of a chat workspace begins to install the app; with the key as `?key=`. */
export const INSTALL_PATH = '/slack/install';
/** Where chat sends them back to; the app's settings at Slack name it as a redirect URL. */
export const REDIRECT_PATH = '/slack/oauth_redirect';

export interface InstallOptions {
  installations: Installations;
  credentials: AppCredentials & { stateSecret: string };
  /** Whoever has it may install the app: all workspaces share one help desk, so it is not for everybody. */
  key: string;
  scopes: readonly string[];
  publicUrl: string;
  apiUrl: string | undefined;
  log: Log;
  /** A workspace was installed; resolves once it is served, or tells that this takes a moment. */
  installed(team: string): Promise<void>;
}

/**
 * OAuth 2 at Slack (https://docs.slack.dev/authentication/installing-with-oauth). The state that chat sends back is
 * signed, ten minutes old at most, and compared with a cookie of the browser that began.
 */
export function installPages(options: InstallOptions): FastifyPluginAsync {
  const { installations, credentials, key, scopes, publicUrl, apiUrl, log } = options;
  const provider = new InstallProvider({
    ...credentials,
    ...(apiUrl
      ? {
          authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href,
          clientOptions: { slackApiUrl: apiUrl },
        }
      : {}),
    directInstall: true,
    logger: sdkLogger(log),
    installationStore: {
      storeInstallation: async (installation) => {
        const { team, ...grant } = readInstallation(installation);
        await installations.save({ team, ...grant });
        log.info({ event: 'installation.saved', team }, 'the app was installed in a chat workspace');
      },
      fetchInstallation: () => Promise.reject(new Error('tokens are read by `Installations`')),
    },
  });
  const asked: InstallURLOptions = {
    scopes: [...scopes],
    redirectUri: `${publicUrl}${REDIRECT_PATH}`,
  };

  return async (server) => {
    server.get<{ Querystring: { key?: unknown } }>(INSTALL_PATH, async (request, reply) => {
      if (!isKey(request.query.key, key))
        return reply.code(404).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(NO_KEY);
      reply.hijack();
      await provider.handleInstallPath(request.raw, reply.raw, {}, asked);
      return reply;
    });
    server.get(REDIRECT_PATH, async (request, reply) => {
      let page = FAILED;
      let status = 400;
      reply.hijack();
      await provider.handleCallback(request.raw, reply.raw, {
        successAsync: async ({ team }: Installation) => {
          await options.installed(team?.id ?? '');
          ({ status, page } = { status: 200, page: doneIn(team?.name ?? 'your workspace') });
        },
        failureAsync: async (error: CodedError) => {
          log.warn({ event: 'installation.failed', code: error.code }, 'the app could not be installed');
        },
      });
      reply.raw.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' }).end(page);
      return reply;
    });
  };
}

const NO_KEY = sayingPage(
  'This link is not complete',
  'The app is installed by the link that whoever runs the help desk gives you.',
);
const FAILED = sayingPage(
  'The app was not installed',
  'It was cancelled, or took more than ten minutes, or went on in another browser. Begin again with the link that you were given.',
);
const doneIn = (name: string) =>
  sayingPage(
    `The help desk is in ${name}`,
    'Invite it to a channel, and mention it there: that opens the first ticket.',
  );

/** What `oauth.v2.access` answered, as far as it is kept. An installation in a whole organisation is refused. */
function readInstallation({ team, bot, user, isEnterpriseInstall }: Installation): NewInstallation {
  if (isEnterpriseInstall || !team || !bot)
    throw new Error('only an installation in one workspace, with a bot, can be served');
  const { token: botToken, refreshToken, expiresAt, scopes } = bot;
  return {
    team: team.id,
    name: team.name ?? team.id,
    botToken,
    // In seconds.
    refresh:
      refreshToken !== undefined && expiresAt !== undefined
        ? { token: refreshToken, expiresAt: new Date(expiresAt * 1000) }
        : undefined,
    scopes,
    installedBy: user.id,
  };
}

function isKey(given: unknown, key: string): boolean {
  if (typeof given !== 'string') return false;
  const [left, right] = [Buffer.from(given), Buffer.from(key)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The library logs whole requests and answers, tokens too, where it is told to: it is given nothing to write with. */
function sdkLogger(log: Log): NonNullable<ConstructorParameters<typeof InstallProvider>[0]['logger']> {
  const quiet = () => undefined;
  return {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: () => log.warn({ event: 'installation.trouble' }, 'the app could not be installed'),
    setLevel: quiet,
    getLevel: () => LogLevel.ERROR,
    setName: quiet,
  };
}
