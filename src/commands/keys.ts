import { role } from '../contract/index.ts';
import { Parts } from '../platform/lifecycle.ts';
import { databaseFor } from '../start/database.ts';
import { openKeys } from '../service/index.ts';
import { type Run, UsageError } from './command.ts';

const USAGE =
  'Usage: `deskbridge keys list`, `deskbridge keys create <name> --role read|agent|admin`, or `deskbridge keys revoke <id>`.';

/** Manages the embedded service's API keys, on its own database; running programs see a change at once. */
export const keys: Run = async ({ config, around, values, positionals }) => {
  if (!config.embeddedService)
    throw new UsageError('SERVICE_URL points to another service: create keys in its own settings.');
  const [action = 'list', argument] = positionals;
  const parts = new Parts(around.log);
  try {
    const databaseUrl = await databaseFor(config, parts, around.log, ['service']);
    const service = parts.add('keys', await openKeys(databaseUrl, around));
    switch (action) {
      case 'list':
        for (const key of await service.list()) {
          const used = key.lastUsedAt ? `used ${key.lastUsedAt.toISOString()}` : 'never used';
          const state = key.revokedAt ? 'revoked' : used;
          print(
            `${key.id}\t${key.prefix}…\t${key.role}\t${key.name}\tmade ${key.createdAt.toISOString()}\t${state}`,
          );
        }
        return;
      case 'create': {
        const wanted = role.safeParse(values.role);
        if (!argument || !wanted.success) throw new UsageError(USAGE);
        print(await service.create({ name: argument, role: wanted.data }));
        print('Copy it now: it can’t be shown again.');
        return;
      }
      case 'revoke':
        if (!argument) throw new UsageError(USAGE);
        if (!(await service.revoke(argument)))
          throw new UsageError(
            `There is no valid key with the id ${argument}. \`npx deskbridge keys list\` shows them.`,
          );
        print('Revoked; it stopped working at once.');
        return;
      default:
        throw new UsageError(USAGE);
    }
  } finally {
    await parts.stop();
  }
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
