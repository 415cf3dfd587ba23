import { INSTALL_PATH } from '../bridge/paths.ts';
import { openInstallations } from '../start/installed.ts';
import { credentialsOf } from '../start/config.ts';
import { Parts } from '../platform/lifecycle.ts';
import { publicUrlOf } from '../start/config.ts';
import { databaseFor } from '../start/database.ts';
import { installKeyOf } from '../start/secrets.ts';
import { type Run, UsageError } from './command.ts';

/** Lists the workspaces that have installed the app, and the link to install it in another one. */
export const workspaces: Run = async ({ config, around }) => {
  const credentials = credentialsOf(config);
  if (!credentials)
    throw new UsageError(
      'This bridge serves one workspace, by its token. To let workspaces install the app themselves, set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET instead of SLACK_BOT_TOKEN.',
    );
  const parts = new Parts(around.log);
  try {
    const databaseUrl = await databaseFor(config, parts, around.log);
    const installations = await openInstallations(config, parts, around, databaseUrl);
    const installed = await installations.all();
    const lines = installed.map(({ team, name, schema, organisation }) =>
      [team, name, schema, ...(organisation ? [`by ${organisation}`] : [])].join('\t'),
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
