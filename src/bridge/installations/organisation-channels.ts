import { Cache } from '../../platform/cache.ts';
import type { Within } from '../slack/organisation-client.ts';
import type { Installations, Installed } from './installations.ts';

const KEEP_ENTRIES = 20_000;

/**
 * By which workspace's bridge each channel of an organisation is worked. Kept while that workspace is served: a channel
 * moves on only when its workspace is left.
 */
export class OrganisationChannels {
  readonly #installations: Pick<Installations, 'homeOf' | 'all'>;
  readonly #homes = new Cache<string>(KEEP_ENTRIES);

  constructor(installations: Pick<Installations, 'homeOf' | 'all'>) {
    this.#installations = installations;
  }

  /** The workspace that works a channel; `team` from now on, where none does yet. */
  homeOf(organisation: string, channel: string, team: string): Promise<string> {
    return this.#homes.get(channel, () => this.#installations.homeOf(organisation, channel, team));
  }

  /** Who works which channel is looked up anew. */
  forget(): void {
    this.#homes.clear();
  }

  /** What a workspace's client has to know; undefined where its token opens that workspace alone. */
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
