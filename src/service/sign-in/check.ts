import type { Clock } from '../../platform/clock.ts';
import { createProvider, type ProviderOptions, type SettingProblem } from './provider.ts';

/** A provider, with the problems of its settings; empty if there are none. */
export interface CheckedProvider {
  id: string;
  name: string;
  problems: readonly SettingProblem[];
}

/**
 * Asks each provider whether people can sign in with its settings. Never rejects; each may take half a minute.
 * @param redirectUriOf where the provider of an id sends people back to.
 */
export async function checkSignIn(
  providers: readonly ProviderOptions[],
  redirectUriOf: (id: string) => string,
  clock: Clock,
): Promise<CheckedProvider[]> {
  return Promise.all(
    providers.map(async (options) => ({
      id: options.id,
      name: options.name,
      problems: await createProvider(options, clock).problems(redirectUriOf(options.id)),
    })),
  );
}
