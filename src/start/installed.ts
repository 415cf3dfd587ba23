import {
  type ConnectOptions,
  type Installed,
  Installations,
  OrganisationChannels,
  tokenOf,
} from '../bridge/index.ts';
import { type Config, credentialsOf } from './config.ts';
import type { Clock } from '../platform/clock.ts';
import { type Parts, StartError } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createSealing } from '../platform/sealing.ts';
import { encryptionKeys } from './secrets.ts';

interface Around {
  log: Log;
  clock: Clock;
}

/** Opens the installations of the app, as one of `parts`. */
export async function openInstallations(
  config: Config,
  parts: Parts,
  { log, clock }: Around,
  databaseUrl: string,
): Promise<Installations> {
  const sealing = createSealing(await encryptionKeys(config));
  const installations = await Installations.open({ databaseUrl, sealing, clock, log });
  parts.add('installations', { stop: () => installations.close() });
  return installations;
}

/**
 * Returns what a bridge of the selected workspace needs: the one named by id or name, or the only one; undefined if the
 * bridge serves one workspace by its token.
 * @throws StartError if the choice is ambiguous.
 */
export async function installedChoice(
  config: Config,
  parts: Parts,
  around: Around,
  databaseUrl: string,
  named: string | undefined,
): Promise<(Pick<ConnectOptions, 'chat' | 'schema' | 'isFirst'> & { team: string }) | undefined> {
  const credentials = credentialsOf(config);
  if (!credentials) return undefined;
  const installations = await openInstallations(config, parts, around, databaseUrl);
  const chosen = choose(await installations.all(), named);
  const { team, schema, installation } = chosen;
  const isFirst = await installations.isFirst(team);
  const apiUrl = config.SLACK_API_URL;
  const botToken = tokenOf(installations, installation, { clock: around.clock, apiUrl, credentials });
  const within = new OrganisationChannels(installations).within(chosen);
  return { team, schema, isFirst, chat: { botToken, apiUrl, within } };
}

function choose(installed: readonly Installed[], named: string | undefined): Installed {
  const fits = installed.filter(
    ({ team, name }) => named === undefined || team === named || name.toLowerCase() === named.toLowerCase(),
  );
  const [only, ...others] = fits;
  if (only && others.length === 0) return only;
  if (installed.length === 0)
    throw new StartError(
      'No workspace has installed the app yet. `npx deskbridge workspaces` prints the install link.',
    );
  const all = installed.map(({ team, name }) => `${team} (${name})`).join(', ');
  throw new StartError(
    `Several workspaces have installed the app. Choose one with --workspace and its id or name: ${all}.`,
  );
}
