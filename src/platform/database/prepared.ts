/** Statements that a process knows by name at most: what comes later is planned each time, as without any of this. */
const NAMES = 1_000;
/** A text that varies, for it lists its values one by one, comes rarely twice. */
const SEEN = 5_000;

/**
 * In a statement's text: it is never named, so that Postgres plans it for the values of each call. For the few whose
 * right plan depends on them: of a value that it learns later, Postgres takes the usual share.
 */
export const PLANNED_FOR_ITS_VALUES = '/* planned for its values */';

/**
 * Names statements that come again, so that each connection prepares them once: planning most of ours costs several
 * times as much as running them. Postgres goes on planning those for each of their values where that pays. Only what
 * has values is named: the rest comes seldom, or is several statements in one.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #seen = new Set<string>();

  /** The name of a statement that was asked for before; undefined for any other. */
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
