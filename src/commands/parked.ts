import { openParked } from '../bridge/index.ts';
import { installedChoice } from '../installed.ts';
import { Parts } from '../platform/lifecycle.ts';
import { databaseFor } from '../database.ts';
import { type Run, UsageError, workspaceIn } from './command.ts';

const USAGE =
  'Type `deskbridge parked list`, `deskbridge parked retry <id…|all>` or `deskbridge parked drop <id…>`.';

/** Lists dead letters, retries or discards them (B49). */
export const parked: Run = async ({ config, around, positionals, values }) => {
  const { log, clock } = around;
  const [action = 'list', ...which] = positionals;
  const parts = new Parts(log);
  try {
    const databaseUrl = await databaseFor(config, parts, log);
    const chosen = await installedChoice(config, parts, around, databaseUrl, workspaceIn({ values }));
    const items = parts.add('bridge', await openParked(databaseUrl, log, clock, chosen?.schema));
    switch (action) {
      case 'list': {
        const list = await items.list();
        for (const { id, queue, what, reason, parkedAt } of list)
          process.stdout.write(`${id}\t${parkedAt.toISOString()}\t${queue}\t${what}\t${reason}\n`);
        process.stdout.write(
          list.length === 0 ? 'Nothing is parked.\n' : `${list.length} parked. ${USAGE}\n`,
        );
        return;
      }
      case 'retry':
        process.stdout.write(`${await items.retry(idsOf(which))} put back in their lanes.\n`);
        return;
      case 'drop':
        process.stdout.write(`${await items.drop(idsOf(which))} dropped.\n`);
        return;
      default:
        throw new UsageError(USAGE);
    }
  } finally {
    await parts.stop();
  }
};

function idsOf(which: readonly string[]): number[] | 'all' {
  if (which.length === 1 && which[0] === 'all') return 'all';
  const ids = which.map(Number);
  if (ids.length === 0 || ids.some((id) => !Number.isSafeInteger(id))) throw new UsageError(USAGE);
  return ids;
}
