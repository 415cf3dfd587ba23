import { Cache } from '../../platform/cache.ts';
import type { Within } from '../slack/organisation-client.ts';
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

  /** Clears the cache. */
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
