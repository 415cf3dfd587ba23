import pg from 'pg';
import { vi } from 'vitest';

/** Looks for due work and for dead processes; how often depends on the machine. */
const POLLING = /^with (due|others) |from "cursor"|^select 1$/;

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
      const { text = '' } = typeof statement === 'string' ? { text: statement } : statement;
      const line = text.replaceAll(/\s+/g, ' ').trim();
      return POLLING.test(line) ? [] : [line];
    });
  }

  end(): void {
    this.#sent.mockRestore();
  }
}
