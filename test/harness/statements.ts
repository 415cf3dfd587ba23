import pg from 'pg';
import { vi } from 'vitest';

/** Looks for due work and for dead processes; how often depends on the machine. */
const POLLING = /^with (due|others) |^select \(extract\(epoch from wake_at|from "cursor"|^select 1$/;

/** The statements that each module of the programs in this process sends to its database. */
export class Statements {
  readonly #sent = vi.spyOn(pg.Client.prototype, 'query');

  begin(): void {
    this.#sent.mockClear();
  }

  /** In the order in which they were sent, without looks, and without transactions that only look. */
  of(module: 'bridge' | 'service'): string[] {
    const { calls, contexts } = this.#sent.mock;
    const sent = calls.flatMap(([statement], at) => {
      const client = contexts[at] as { connectionParameters: { options?: string } };
      if (!client.connectionParameters.options?.includes(`search_path=${module}`)) return [];
      const { text = '' } = typeof statement === 'string' ? { text: statement } : statement;
      return [{ client, line: text.replaceAll(/\s+/g, ' ').trim() }];
    });
    const shown = sent.map(({ line }) => !POLLING.test(line));
    // A transaction of which nothing else is shown.
    for (const [at, { client, line }] of sent.entries()) {
      if (line !== 'commit') continue;
      const begin = sent.findLastIndex(
        (other, index) => index < at && other.client === client && other.line === 'begin',
      );
      if (begin < 0) continue;
      const isEmpty = !sent.some(
        (other, index) => index > begin && index < at && other.client === client && shown[index],
      );
      if (isEmpty) shown[begin] = shown[at] = false;
    }
    return sent.filter((_, at) => shown[at]).map(({ line }) => line);
  }

  end(): void {
    this.#sent.mockRestore();
  }
}
