import { PROGRAMS } from '../programs.ts';
import type { CliCommand } from './command.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keys } from './keys.ts';
import { manifest } from './manifest.ts';
import { migrateAll } from './migrate.ts';
import { parked } from './parked.ts';
import { rebuild, reconcile } from './reconcile.ts';
import { people } from './people.ts';
import { serve } from './serve.ts';
import { workspaces } from './workspaces.ts';

export { UsageError } from './command.ts';

export const commands: Record<string, CliCommand> = {
  start: serve('start everything that is not configured to be elsewhere', PROGRAMS.start),
  service: serve('start the ticketing service alone', PROGRAMS.service),
  bridge: serve('start the bridge alone (SERVICE_URL; SLACK_BOT_TOKEN or SLACK_CLIENT_ID)', PROGRAMS.bridge),
  sandbox: serve('start the sandbox workspace alone', PROGRAMS.sandbox),
  migrate: migrateAll,
  keys,
  import: importCommand,
  export: exportCommand,
  doctor,
  parked,
  people,
  reconcile,
  rebuild,
  manifest,
  workspaces,
};
