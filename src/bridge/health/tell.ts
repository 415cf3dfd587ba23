import type { Finding } from './finding.ts';
import type { States } from './states.ts';

/** A change that somebody is told of. */
export interface Change {
  became: 'bad' | 'well';
  finding: Finding;
}

/**
 * What a look changes. Something is told when it turned bad, or well again, and two looks in a row agree: what passes
 * within one is no news. A check that could not be made keeps what was known of it.
 */
export function compareLooks(
  before: States | undefined,
  findings: readonly Finding[],
  at: Date,
): { after: States; changes: Change[] } {
  const checks = { ...before?.checks };
  const changes: Change[] = [];
  for (const finding of findings) {
    const { id, state } = finding;
    const known = before?.checks[id];
    const isBad = state === 'bad';
    const told = known?.told ?? false;
    const agree = (known?.state === 'bad') === isBad;
    const news = isBad !== told && agree;
    if (news) changes.push({ became: isBad ? 'bad' : 'well', finding });
    checks[id] = { state, told: news ? isBad : told };
  }
  return { after: { at: at.toISOString(), checks }, changes };
}

/** One line for chat, not escaped yet. */
export function lineOf({ became, finding: { says, fix } }: Change): string {
  const line = became === 'bad' ? `🔴 ${says} ${fix ?? ''}` : `🟢 Well again: ${says}`;
  return line.trim();
}
