/** Maximum number of named statements per process; later ones are planned each time. */
const NAMES = 1_000;
/** Texts that list their values one by one vary and are rarely repeated. */
const SEEN = 5_000;

/**
 * A statement with this comment is never named, so that Postgres plans it for the values of each call. For the few
 * statements whose right plan depends on their values.
 */
export const PLANNED_FOR_ITS_VALUES = '/* planned for its values */';

/**
 * Names repeated statements, so that each connection prepares them once: planning most of ours takes several times as
 * long as running them. Postgres still plans for each set of values where that pays. Only statements with parameters
 * are named: others are rare, or contain several statements.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #seen = new Set<string>();

  /** Returns the name of a statement that was run before, undefined for any other. */
  of(text: string, values: readonly unknown[]): string | undefined {
    if (values.length === 0) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= NAMES) return known;
    if (text.includes(PLANNED_FOR_ITS_VALUES)) return undefined;
    if (!this.#seen.has(text)) {
      if (this.#seen.size >= SEEN) this.#seen = new Set();
      this.#seen.add(text);
      return undefined;
    }
    this.#seen.delete(text);
    const name = `deskbridge-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
