/** Set by `npm run test:drills -- --long`. */
export const LONG = Boolean(process.env['DRILL_LONG']);

/**
 * The seed of this run, the same for all drills: `--seed N` repeats it. Each drill prints it with its
 * figures.
 */
export const SEED = Number(process.env['DRILL_SEED'] ?? Math.floor(Math.random() * 2 ** 32));

/** All items in the long form; in the short form one of `oneOf`, others with another seed. */
export const drawn = <Item>(items: readonly Item[], oneOf: number): Item[] =>
  items.filter((_, at) => LONG || at % oneOf === SEED % oneOf);
