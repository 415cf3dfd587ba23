import pg from 'pg';
import { vi } from 'vitest';

/** The statements that each module of the programs in this process sends to its database. */
export class Statements {
  readonly #sent = vi.spyOn(pg.Client.prototype, 'query');

  begin(): void {
    this.#sent.mockClear();
  }

  of(module: 'bridge' | 'service'): string[] {
    const { calls, contexts } = this.#sent.mock;
    return calls.flatMap(([statement], at): string[] => {
      const { connectionParameters } = contexts[at] as {
        connectionParameters: { options?: string };
      };
      if (!connectionParameters.options?.includes(`search_path=${module}`)) return [];
      const { text = '' } =
        typeof statement === 'string' ? { text: statement } : (statement);
      return [text.replaceAll(/\s+/g, ' ').trim()];
    });
  }

  end(): void {
    this.#sent.mockRestore();
  }
}

/** How often each comes, the most frequent first: to be read where there are too many. */
export function tally(statements: readonly string[], times: number): string {
  const counts = Map.groupBy(statements, (text) => text.slice(0, 150));
  return [...counts]
    .map(([text, all]) => ({ text, each: all.length / times }))
    .toSorted((a, b) => b.each - a.each)
    .map(({ text, each }) => `${each.toFixed(1)} ${text}`)
    .join('\n');
}
