import { INSTALL_PATH } from '../bridge/paths.ts';
import { openInstallations } from '../start/installed.ts';
import { credentialsOf } from '../start/config.ts';
import { Parts } from '../platform/lifecycle.ts';
import { publicUrlOf } from '../start/config.ts';
import { databaseFor } from '../start/database.ts';
import { installKeyOf } from '../start/secrets.ts';
import { type ChatTeams, openChatTeams } from '../service/index.ts';
import { type Run, UsageError } from './command.ts';
import { isUntrusted, listTeams, noneOf, openService } from './trust.ts';

const TEAM = /^[TE][A-Z0-9]{1,40}$/;
const USAGE =
  'Usage: `deskbridge workspaces`, `deskbridge workspaces trust <id>` or `deskbridge workspaces untrust <id>`, with the id of a Slack workspace (T…) or organisation (E…).';

/**
 * Lists the workspaces that have installed the app, and the link to install it in another one; trusts one or no longer.
 */
export const workspaces: Run = async (input) => {
  const [action, id = ''] = input.positionals;
  if (action === undefined) {
    await list(input);
    return;
  }
  if (!['trust', 'untrust'].includes(action) || !TEAM.test(id)) throw new UsageError(USAGE);
  const parts = new Parts(input.around.log);
  try {
    const teams = await openTeams(input, parts);
    await teams.trust(id, action === 'trust');
    process.stdout.write(
      action === 'trust'
        ? `${id} is trusted: its people are matched to users by e-mail address.\n`
        : `${id} is not trusted any more: its people are guests, and accounts of its that belonged to other users are taken from them.\n`,
    );
  } finally {
    await parts.stop();
  }
};

/** The list of trusted Slack workspaces: on the embedded service's database, else over the service's interface. */
async function openTeams(
  { config, around }: Parameters<Run>[0],
  parts: Parts,
): Promise<Pick<ChatTeams, 'list' | 'trust'>> {
  if (config.embeddedService) {
    const databaseUrl = await databaseFor(config, parts, around.log, ['service']);
    return parts.add('chat teams', await openChatTeams(databaseUrl, around));
  }
  const service = await openService(config, parts, around);
  return {
    list: () => listTeams(service),
    trust: async (id, isTrusted) => void (await service.putChatTeam({ body: { id, isTrusted } })),
  };
}

const list: Run = async (input) => {
  const { config, around } = input;
  const credentials = credentialsOf(config);
  if (!credentials)
    throw new UsageError(
      'This bridge serves one workspace, by its token. To let workspaces install the app themselves, set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET instead of SLACK_BOT_TOKEN.',
    );
  const parts = new Parts(around.log);
  try {
    const uses = config.embeddedService ? (['service', 'bridge'] as const) : (['bridge'] as const);
    const databaseUrl = await databaseFor(config, parts, around.log, uses);
    const installations = await openInstallations(config, parts, around, databaseUrl);
    const installed = await installations.all();
    const teams = await (await openTeams(input, parts)).list().catch(noneOf);
    const lines = installed.map(({ team, name, schema, organisation }) =>
      [
        team,
        name,
        schema,
        ...(organisation ? [`by ${organisation}`] : []),
        ...(isUntrusted(teams, team, organisation) ? ['not trusted'] : []),
      ].join('\t'),
    );
    const link = `${publicUrlOf(config)}${INSTALL_PATH}?key=${installKeyOf(credentials.stateSecret)}`;
    const count = installed.length === 1 ? '1 workspace has' : `${installed.length} workspaces have`;
    process.stdout.write(
      `${[...lines, `${count} installed the app. Anyone with this link can install it in another one:`, link].join('\n')}\n`,
    );
  } finally {
    await parts.stop();
  }
};
