/** Word stems of a text as in the search, each once. */
export type Stems = readonly string[];

/** A text that may answer, by its stems. */
export interface Candidate {
  title: Stems;
  text: Stems;
}

/** This many words are enough to identify the subject of a long question. */
const WORDS_COUNTED = 8;
const TITLE_POINTS = 2;
const TEXT_POINTS = 1;
/** The threshold: points per counted word of the question, and a minimum. */
const BAR = 0.6;
const POINTS_AT_LEAST = 2;

/**
 * Returns how much of a question a text covers: two points for each of its words in the title, one for each in the
 * text.
 */
export function similarity(question: Stems, { title, text }: Candidate): number {
  let points = 0;
  for (const stem of new Set(question))
    points += title.includes(stem) ? TITLE_POINTS : text.includes(stem) ? TEXT_POINTS : 0;
  return points;
}

/** Returns the points from which a text is quoted as the answer; below that, no answer is better. */
export function similarityThreshold(question: Stems): number {
  return Math.max(POINTS_AT_LEAST, BAR * Math.min(new Set(question).size, WORDS_COUNTED));
}
