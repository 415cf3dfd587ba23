import { WebClient } from '@slack/web-api';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { chatErrorOf } from '../slack/errors.ts';
import { LIMITS } from '../slack/limits.ts';
import type { Grant, Installations } from './installations.ts';

/** A token is renewed this long before it expires, in case Slack is unavailable. */
const BEFORE_MS = 60 * 60 * 1000;
/** Interval between attempts while the old token works. */
const TRY_AGAIN_MS = 30_000;

/** https://docs.slack.dev/authentication/using-token-rotation */
const Refreshed = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() });

/** The app's OAuth credentials. */
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
    const client = new WebClient(undefined, {
      ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
      retryConfig: { retries: 0 },
      timeout: LIMITS.callTimeoutMs,
    });
    try {
      const answer = await client.oauth.v2.access({
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      const { access_token, refresh_token, expires_in } = Refreshed.parse(answer);
      const expiresAt = new Date(now() + expires_in * 1000);
      return { botToken: access_token, refresh: { token: refresh_token, expiresAt } };
    } catch (error) {
      throw chatErrorOf('oauth.v2.access', error);
    }
  }
}
