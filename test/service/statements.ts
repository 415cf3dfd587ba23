import pg from 'pg';
import { onTestFinished, vi } from 'vitest';

/**
 * Returns the statements that this process sends to a database while `work` runs, but for look-ups of keys. For a
 * service whose work does not begin (`begins`): it keeps no keys, and has no statements of its own.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  await work();
  const texts = query.mock.calls.map(([config]) => (config as unknown as pg.QueryConfig).text);
  query.mockRestore();
  return texts.filter((text) => !text.includes('api_key'));
}
