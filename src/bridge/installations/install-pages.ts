import { z } from 'zod';
import { timingSafeEqual } from 'node:crypto';
import { type CodedError, type Installation, InstallProvider, type InstallURLOptions } from '@slack/oauth';
import type { FastifyPluginAsync } from 'fastify';

import type { Clock } from '../../platform/clock.ts';
import type { Grant, Installations, NewInstallation } from './installations.ts';
import { cookieName } from '../../platform/http/index.ts';
import type { Log } from '../../platform/log.ts';
import { createWebClient, sdkLogger } from '../slack/client.ts';
import { PAGE_HEADERS, sayingPage } from '../features/ticket-page/layout.ts';
import { INSTALL_PATH, REDIRECT_PATH } from '../paths.ts';

/** A token is renewed this long before it expires, in case Slack is unavailable. */
const BEFORE_MS = 60 * 60 * 1000;
/** Interval between attempts while the old token works. */
const TRY_AGAIN_MS = 30_000;

/** https://docs.slack.dev/authentication/using-token-rotation */
const Refreshed = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() });

export interface AppCredentials {
  clientId: string;
  clientSecret: string;
}

/**
 * Returns a workspace's current token. One that expires is renewed in time, once for all replicas (and all workspaces
 * of an organisation); if Slack cannot, the old one is used until it expires.
 * @param installation its owner: the workspace's id, or its organisation's.
 */
export function tokenOf(
  installations: Installations,
  installation: string,
  { clock, apiUrl, credentials }: { clock: Clock; apiUrl: string | undefined; credentials: AppCredentials },
): () => Promise<string> {
  let kept: Grant | undefined;
  let notBefore = 0;
  const now = () => clock.now().getTime();
  const isDue = ({ refresh }: Grant) =>
    refresh !== undefined && refresh.expiresAt.getTime() - now() < BEFORE_MS;
  const lasts = ({ refresh }: Grant) => refresh === undefined || refresh.expiresAt.getTime() > now();
  const replaced = async (grant: Grant) =>
    grant.refresh && isDue(grant) ? exchange(grant.refresh.token) : grant;
  return async () => {
    const waits = now() < notBefore;
    if (kept && lasts(kept) && (waits || !isDue(kept))) return kept.botToken;
    const stored = await installations.grant(installation);
    kept = stored;
    if (stored && isDue(stored))
      try {
        kept = await installations.renew(installation, replaced);
      } catch (error) {
        notBefore = now() + TRY_AGAIN_MS;
        if (!lasts(stored)) throw error;
      }
    // Without one Slack reports a missing token; the workspace is stopped soon.
    return kept?.botToken ?? '';
  };

  async function exchange(refreshToken: string): Promise<Grant> {
    const answer = await createWebClient(undefined, apiUrl).oauth.v2.access({
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    const { access_token, refresh_token, expires_in } = Refreshed.parse(answer);
    const expiresAt = new Date(now() + expires_in * 1000);
    return { botToken: access_token, refresh: { token: refresh_token, expiresAt } };
  }
}

interface InstallOptions {
  installations: Installations;
  credentials: AppCredentials & { stateSecret: string };
  /** Anyone with this key may install the app: all workspaces share one help desk, so it is not public. */
  key: string;
  scopes: readonly string[];
  publicUrl: string;
  apiUrl: string | undefined;
  log: Log;
  /** A workspace or an organisation has installed the app; resolves once it is served, or after a moment. */
  installed(id: string): Promise<void>;
}

/**
 * Slack's OAuth 2 flow (https://docs.slack.dev/authentication/installing-with-oauth). The returned state is signed, at
 * most ten minutes old, and compared with a cookie of the browser that started.
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
    stateCookieName: cookieName({ name: 'deskbridge_install', secure: publicUrl.startsWith('https:') }),
    // Its lines contain whole requests and responses with tokens, so only the fact is logged.
    logger: sdkLogger({
      error: () => log.warn({ event: 'installation.trouble' }, 'the app could not be installed'),
    }),
    installationStore: {
      storeInstallation: async (installation) => {
        const kept = readInstallation(installation);
        await installations.save(kept);
        const { id, isOrganisation } = kept;
        log.info({ event: 'installation.saved', id, isOrganisation }, 'the app was installed');
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
        successAsync: async (installation: Installation) => {
          const { id, name, isOrganisation } = readInstallation(installation);
          await options.installed(id);
          status = 200;
          page = isOrganisation ? doneForAll(name) : installedPage(name);
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
  'Use the installation link that you got from the help desk’s administrators.',
);
const FAILED = sayingPage(
  'The app was not installed',
  'It was cancelled, or took more than ten minutes, or went on in another browser. Begin again with the link that you were given.',
);
const installedPage = (name: string) =>
  sayingPage(
    `The help desk is in ${name}`,
    'Invite it to a channel, and mention it there: that opens the first ticket.',
  );

const doneForAll = (name: string) =>
  sayingPage(
    `The help desk is approved for ${name}`,
    'Now add it to workspaces: in Slack, under Manage organisation, Integrations. Then invite it to a channel there, and mention it: that opens the first ticket.',
  );

/**
 * Returns the stored parts of `oauth.v2.access`. An organisation's (`is_enterprise_install`) has no `team`
 * (https://docs.slack.dev/reference/methods/oauth.v2.access).
 */
function readInstallation(installation: Installation): NewInstallation {
  const { team, enterprise, bot, user, isEnterpriseInstall = false } = installation;
  const whose = isEnterpriseInstall ? enterprise : team;
  if (!whose || !bot) throw new Error('an installation without a bot, or of nobody, cannot be served');
  const { token: botToken, refreshToken, expiresAt, scopes } = bot;
  return {
    id: whose.id,
    name: whose.name ?? whose.id,
    isOrganisation: isEnterpriseInstall,
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
