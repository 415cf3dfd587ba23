import type { Clock } from '../platform/clock.ts';
import type { CheckedProvider, ProviderOptions } from '../service/index.ts';
import { type Config, publicUrlOf } from './config.ts';
import { isLoopback } from './settings.ts';
import { DEMO } from './demo.ts';

const SLACK = 'https://slack.com';

/**
 * Returns the OpenID providers that people sign in with.
 * @param sandboxUrl the sandbox of this program, if it runs. Everyone who reaches it can be anyone, so it counts only
 * while nothing here can be reached from another machine.
 */
export function signInProviders(config: Config, sandboxUrl: string | undefined): ProviderOptions[] {
  const providers: ProviderOptions[] = [];
  const { SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = config;
  if (SLACK_CLIENT_ID !== undefined && SLACK_CLIENT_SECRET !== undefined)
    providers.push({
      id: 'slack',
      name: 'Slack',
      issuer: SLACK,
      isSlack: true,
      clientId: SLACK_CLIENT_ID,
      clientSecret: SLACK_CLIENT_SECRET,
    });
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID !== undefined && OIDC_CLIENT_SECRET !== undefined)
    providers.push({
      id: 'oidc',
      name: config.OIDC_NAME,
      issuer: OIDC_ISSUER,
      isSlack: false,
      clientId: OIDC_CLIENT_ID,
      clientSecret: OIDC_CLIENT_SECRET,
    });
  if (sandboxUrl !== undefined && isOnThisMachine(config)) {
    const { clientId, clientSecret } = DEMO.app;
    providers.push({
      id: 'sandbox',
      name: 'Slack (sandbox)',
      issuer: sandboxUrl,
      isSlack: true,
      clientId,
      clientSecret,
      loginHint: DEMO.people.mira.email,
    });
  }
  return providers;
}

/** Returns where a provider sends people back to; it must be registered there. */
export function redirectUriOf(config: Config, provider: string): string {
  return `${publicUrlOf(config)}/auth/callback/${provider}`;
}

/**
 * Checks the configured providers of the embedded service, but not the sandbox, which is part of the program. Never
 * rejects; takes up to half a minute.
 */
export async function checkedProviders(config: Config, clock: Clock): Promise<CheckedProvider[]> {
  const providers = config.embeddedService ? signInProviders(config, undefined) : [];
  if (providers.length === 0) return [];
  const { checkSignIn } = await import('../service/index.ts');
  return checkSignIn(providers, (id) => redirectUriOf(config, id), clock);
}

function isOnThisMachine(config: Config): boolean {
  const hosts = [config.HOST, config.SANDBOX_HOST, new URL(publicUrlOf(config)).hostname];
  return config.sandbox && hosts.every(isLoopback);
}
