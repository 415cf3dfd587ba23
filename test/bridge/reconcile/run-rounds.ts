import type { Part } from '../../../src/bridge/reconcile/findings.ts';
import type { Reconciler } from '../../../src/bridge/reconcile/reconciler.ts';
import { handleRounds, RECONCILE } from '../../../src/bridge/reconcile/rounds.ts';
import { EVENT, MIRROR, workFor } from '../../../src/bridge/work.ts';

/**
 * Plans reconciliation of one part, and has the reconciler's engine do it.
 * @returns a function that does all rounds which are due, as if the time of the next one had come.
 */
export async function runRounds(reconciler: Reconciler, part: Part): Promise<() => Promise<void>> {
  const { engine, bot } = reconciler.bridge;
  handleRounds(reconciler);
  // What a comparison has done in conversations is none of these tests' business.
  engine.handle(EVENT, { work: async () => ({ outcome: 'left out' }) });
  engine.handle(MIRROR, { work: async () => ({ outcome: 'left out' }) });
  await engine.add(workFor(RECONCILE, `${part}:${bot.team}`, { part }, { delayMs: 60_000 }));
  await engine.start();
  return async () => {
    await engine.dueNow(RECONCILE.class);
    await engine.settled();
  };
}
