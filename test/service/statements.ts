import { onTestFinished } from 'vitest';

import { Statements } from '../harness/statements.ts';

/**
 * The statements of the service while `work` runs, without lookups of keys. For a service whose work does not
 * start (`begins`): it caches no keys, and has no statements of its own.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements = new Statements();
  onTestFinished(() => statements.end());
  statements.begin();
  await work();
  const sent = statements.of('service');
  statements.end();
  return sent.filter((text) => !text.includes('"api_key"'));
}
