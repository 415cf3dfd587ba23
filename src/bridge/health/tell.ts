import type { Finding } from './finding.ts';
import type { States } from './states.ts';

/** A change to announce. */
export interface Change {
  became: 'bad' | 'well';
  finding: Finding;
}

/**
 * Returns the changes between checks. A change to bad or good is announced when two checks in a row agree: brief
 * problems are not. A check that could not run keeps its last result.
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

/** Returns one line for chat, not yet escaped. */
export function lineOf({ became, finding: { says, fix } }: Change): string {
  const line = became === 'bad' ? `🔴 ${says} ${fix ?? ''}` : `🟢 Well again: ${says}`;
  return line.trim();
}
