import { EventEmitter, once } from 'node:events';

export type LineMatch = (line: Record<string, unknown>) => boolean;

/** The log lines of programs, with waiting for a line. */
export class WorldLog {
  readonly lines: Record<string, unknown>[] = [];
  readonly #added = new EventEmitter();

  add(line: string): void {
    if (!line.startsWith('{')) return;
    this.lines.push(JSON.parse(line) as Record<string, unknown>);
    this.#added.emit('line');
  }

  /** Resolves with the first matching line, already logged or later. */
  async find(matches: LineMatch): Promise<Record<string, unknown>> {
    for (let seen = 0; ;) {
      for (; seen < this.lines.length; seen++) {
        const line = this.lines[seen];
        if (line && matches(line)) return line;
      }
      // Several lines may arrive with one event; the loop checks all of them.
      await once(this.#added, 'line');
    }
  }
}
