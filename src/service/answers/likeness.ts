/** Words of a text as the search reduces them to their stems, each once. */
export type Stems = readonly string[];

/** A text that may answer, by its stems. */
export interface Candidate {
  title: Stems;
  text: Stems;
}

/** Of a long question, this many words are enough to tell what it is about. */
const WORDS_COUNTED = 8;
const TITLE_POINTS = 2;
const TEXT_POINTS = 1;
/** The bar: points per counted word of the question, and at least so many. */
const BAR = 0.6;
const POINTS_AT_LEAST = 2;

/** How much of a question a text is about: two points for each of its words in the title, one for each in the text. */
export function pointsOf(question: Stems, { title, text }: Candidate): number {
  let points = 0;
  for (const stem of new Set(question))
    points += title.includes(stem) ? TITLE_POINTS : text.includes(stem) ? TEXT_POINTS : 0;
  return points;
}

/** The points from which a text is quoted as the answer: below, silence is better. */
export function barFor(question: Stems): number {
  return Math.max(POINTS_AT_LEAST, BAR * Math.min(new Set(question).size, WORDS_COUNTED));
}
