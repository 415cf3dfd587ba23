import { shorten } from '../../contract/index.ts';

/** Characters of a value of a step as people see it; the step itself has all of them. */
const SHOWN = 1_000;

/** Returns inputs or outputs as a run shows them: of two hundred steps, whole messages would be too large an answer. */
export function shownValues(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (typeof value === 'string') return [key, shorten(value, SHOWN)];
      const text = JSON.stringify(value) as string | undefined;
      return [key, text !== undefined && text.length > SHOWN ? shorten(text, SHOWN) : value];
    }),
  );
}
