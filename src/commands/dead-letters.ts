import { openDeadLetters } from '../bridge/index.ts';
import { installedChoice } from '../start/installed.ts';
import { Parts } from '../platform/lifecycle.ts';
import { databaseFor } from '../start/database.ts';
import { type Run, UsageError, workspaceIn } from './command.ts';

const USAGE =
  'Usage: `deskbridge dead-letters list`, `deskbridge dead-letters retry <id…|all>` or `deskbridge dead-letters discard <id…>`.';

/** Lists dead letters, retries or discards them (B49). */
export const deadLetters: Run = async ({ config, around, positionals, values }) => {
  const { log, clock } = around;
  const [action = 'list', ...which] = positionals;
  const parts = new Parts(log);
  try {
    const databaseUrl = await databaseFor(config, parts, log, ['bridge']);
    const chosen = await installedChoice(config, parts, around, databaseUrl, workspaceIn({ values }));
    const items = parts.add('bridge', await openDeadLetters(databaseUrl, log, clock, chosen?.schema));
    switch (action) {
      case 'list': {
        const list = await items.list();
        for (const { id, class: ofClass, what, reason, deadAt } of list)
          process.stdout.write(`${id}\t${deadAt.toISOString()}\t${ofClass}\t${what}\t${reason}\n`);
        process.stdout.write(
          list.length === 0 ? 'No dead letters.\n' : `${list.length} dead letters. ${USAGE}\n`,
        );
        return;
      }
      case 'retry':
        process.stdout.write(`${await items.retry(idsOf(which))} will be retried.\n`);
        return;
      case 'discard':
        process.stdout.write(`${await items.discard(idsOf(which))} discarded.\n`);
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
