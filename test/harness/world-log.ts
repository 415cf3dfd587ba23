import { EventEmitter, once } from 'node:events';

export type LineMatch = (line: Record<string, unknown>) => boolean;

/** What programs have logged, and whoever waits for a line of it. */
export class WorldLog {
  readonly lines: Record<string, unknown>[] = [];
  readonly #added = new EventEmitter();

  add(line: string): void {
    if (!line.startsWith('{')) return;
    this.lines.push(JSON.parse(line) as Record<string, unknown>);
    this.#added.emit('line');
  }

  /** The line that is so, of those that are there or the next one. */
  async logged(matches: LineMatch): Promise<Record<string, unknown>> {
    for (let seen = 0; ;) {
      for (; seen < this.lines.length; seen++) {
        const line = this.lines[seen];
        if (line && matches(line)) return line;
      }
      // Told of the first of several lines that came in one go, it finds all of them there.
      await once(this.#added, 'line');
    }
  }
}
