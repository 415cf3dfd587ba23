import { openReconciliation } from '../bridge/index.ts';
import { Parts } from '../platform/lifecycle.ts';
import { connectionFor } from '../start/connection.ts';
import { type Run, type Invocation, workspaceIn } from './command.ts';
import { progress } from './progress.ts';

/** Compares chat and service immediately, next to a running bridge (B50). */
export const reconcile: Run = async (invocation) => {
  const { terminal } = invocation;
  await withReconciliation(invocation, async (reconciliation) => {
    const show = progress(terminal);
    let found = 0;
    for await (const now of reconciliation.compare()) {
      ({ found } = now);
      const channels = now.channels === undefined ? 'listing channels' : `${now.channels} channels`;
      show(`to compare: ${channels}, ${now.threads} threads; differences so far: ${found}`);
    }
    show.end(
      found === 0
        ? 'No differences found.'
        : `${found} differences found. A running bridge repairs them now; a stopped one repairs them when it starts.`,
    );
  });
};

/** Restores the bridge's links after its tables are lost (docs/reliability.md). */
export const rebuild: Run = async (invocation) => {
  const { terminal } = invocation;
  await withReconciliation(invocation, async (reconciliation) => {
    const show = progress(terminal, 100);
    let line = 'no tickets';
    for await (const { tickets, conversations, links, cards, unreadable } of reconciliation.rebuild()) {
      line = `${tickets} tickets read: ${conversations} threads, ${links} messages and ${cards} cards restored; ${unreadable} threads cannot be read`;
      show(line);
    }
    show.end(`${line}. \`npx deskbridge reconcile\` compares both sides now.`);
  });
};

async function withReconciliation(
  { config, around, values }: Invocation,
  work: (reconciliation: Awaited<ReturnType<typeof openReconciliation>>) => Promise<void>,
): Promise<void> {
  const parts = new Parts(around.log);
  try {
    const options = {
      ...(await connectionFor(config, parts, around, workspaceIn({ values }))),
      readsPerMinute: config.CHAT_READS_PER_MINUTE,
      retentionDays: config.RETENTION_DAYS,
    };
    await work(parts.add('reconciliation', await openReconciliation(options)));
  } finally {
    await parts.stop();
  }
}
