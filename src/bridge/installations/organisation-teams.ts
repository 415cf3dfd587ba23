import { WebClient } from '@slack/web-api';
import { z } from 'zod';

import { chatErrorOf } from '../slack/errors.ts';
import { LIMITS } from '../slack/limits.ts';

const Teams = z.object({
  teams: z.array(z.object({ id: z.string(), name: z.string().optional() })),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional().catch(undefined),
});

/** Workspaces per call; Slack's maximum is a thousand. */
const PAGE = 1000;

/**
 * Returns the workspaces in which an organisation allows the app; initially none, because its admins add them after the
 * installation (https://docs.slack.dev/reference/methods/auth.teams.list). Throws ChatError.
 */
export async function teamsOf(
  token: string,
  apiUrl: string | undefined,
): Promise<{ id: string; name: string }[]> {
  const client = new WebClient(token, {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: LIMITS.callTimeoutMs,
  });
  const teams: { id: string; name: string }[] = [];
  let cursor: string | undefined;
  do {
    try {
      const answer = await client.auth.teams.list({ limit: PAGE, ...(cursor ? { cursor } : {}) });
      const page = Teams.parse(answer);
      teams.push(...page.teams.map(({ id, name = id }) => ({ id, name })));
      cursor = page.response_metadata?.next_cursor;
    } catch (error) {
      throw chatErrorOf('auth.teams.list', error);
    }
  } while (cursor);
  return teams;
}
