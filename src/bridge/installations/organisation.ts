import { z } from 'zod';

import { Cache } from '../../platform/cache.ts';
import { createWebClient, type Within } from '../slack/client.ts';
import type { Installations, Installed } from './installations.ts';

const KEEP_ENTRIES = 20_000;

/**
 * The workspace whose bridge handles each channel of an organisation. Kept while that workspace is served: a channel
 * moves only when its workspace is removed.
 */
export class OrganisationChannels {
  readonly #installations: Pick<Installations, 'homeOf' | 'all'>;
  readonly #homes = new Cache<string>(KEEP_ENTRIES);

  constructor(installations: Pick<Installations, 'homeOf' | 'all'>) {
    this.#installations = installations;
  }

  /** Returns the workspace that handles a channel; `team` from now on if there is none. */
  homeOf(organisation: string, channel: string, team: string): Promise<string> {
    return this.#homes.get(channel, () => this.#installations.homeOf(organisation, channel, team));
  }

  forget(): void {
    this.#homes.clear();
  }

  /** Returns the context for a workspace's client; undefined if its token is for that workspace only. */
  within({ team, organisation }: Installed): Within | undefined {
    if (organisation === undefined) return undefined;
    return {
      team,
      isOurs: async (channel, host) => {
        const kept = this.#homes.peek(channel);
        if (kept !== undefined) return kept === team;
        const named = await host();
        const open = (await this.#installations.all()).some(
          (one) => one.team === named && one.organisation === organisation,
        );
        return (await this.homeOf(organisation, channel, open && named ? named : team)) === team;
      },
    };
  }
}

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
  const client = createWebClient(token, apiUrl);
  const teams: { id: string; name: string }[] = [];
  let cursor: string | undefined;
  do {
    const page = Teams.parse(await client.auth.teams.list({ limit: PAGE, ...(cursor ? { cursor } : {}) }));
    teams.push(...page.teams.map(({ id, name = id }) => ({ id, name })));
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return teams;
}
