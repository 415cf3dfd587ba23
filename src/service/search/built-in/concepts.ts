import { readFileSync } from 'node:fs';

import { MOST_CONCEPTS } from '../vectors/bytes.ts';

/** Dimensions of the model's vectors. */
export const DIMENSIONS = 512;

/** Concepts kept of a search, strongest first; of a ticket, as many as are stored. */
const OF_SEARCH = 8;
/** Concepts that are near count much more than those that are half as near. */
const SHARPNESS = 3;
/** Characters of a ticket after its title whose words say what it is about. */
const BEGINNING = 200;
/** Weight of a word that no concept has. */
const UNKNOWN = 3;
/** A word says more of a concept that has few words. With so many it counts as it is; between these bounds. */
const USUAL_WORDS = 8;
const LEAST_COUNT = 0.4;
const MOST_COUNT = 1.6;
const SHORTEST_STEM = 3;
const ENDINGS = ['ations', 'ation', 'ings', 'ing', 'ies', 'ed', 'es', 'ly', 's', 'e', 'y'];
const SAYS_NOTHING = new Set(
  (
    'the a an of to and in for on is was with as it by at be has are have but were not this which or its from that i ' +
    'me my we our you your can do does did how what when where there if so am been would any some get got t s m ve re ' +
    'd ll no into out up off over'
  ).split(' '),
);

/** A concept, by its line in the list, and how strongly a text is about it, from 0 to 1. */
export type Strengths = ReadonlyMap<number, number>;

/** The topic of a search. */
export interface Subject {
  concepts: Strengths;
  /** Similarity to the nearest concept before scaling: low for topics that are not on the list. */
  strength: number;
  /** The concepts that each word of the search belongs to. */
  words: [word: string, concepts: number[]][];
}

/**
 * Common requests at work: `concepts.txt` has one concept a line, in different words. Each has the mean of its
 * phrases' vectors (`concepts.bin`). A small model hardly knows that a beamer is a projector; two texts near the same
 * concept, by their vectors or by its words, are about the same.
 */
export class Concepts {
  /** The mean of all such texts, which says nothing about a single one. */
  readonly #mean: Float32Array;
  readonly #centres: Float32Array[];
  readonly #having = new Map<string, number[]>();
  readonly #weights = new Map<string, number>();
  /** How much each word of a concept counts. */
  readonly #counts: number[];

  constructor(lines: readonly string[], { mean, centres }: Centres) {
    this.#mean = mean;
    this.#centres = centres;
    this.#counts = lines.map((line, concept) => {
      const words = stemsOf(line);
      for (const word of words) this.#having.set(word, [...(this.#having.get(word) ?? []), concept]);
      return Math.min(MOST_COUNT, Math.max(LEAST_COUNT, Math.sqrt(USUAL_WORDS / words.size)));
    });
    for (const [word, having] of this.#having)
      this.#weights.set(word, Math.log((lines.length + 1) / (having.length + 0.5)));
  }

  /** The direction of a vector of the model from the mean. */
  centred(vector: ArrayLike<number>): Float32Array {
    const unit = toUnit(Float32Array.from(vector));
    return toUnit(unit.map((value, place) => value - (this.#mean[place] ?? 0)));
  }

  ofSearch(text: string, vector: Float32Array): Subject {
    const near = this.#near(vector);
    this.#addWords(near, text, 1);
    return {
      concepts: strongest(near, OF_SEARCH),
      strength: Math.max(0, ...near),
      words: wordsOf(text).map((word) => [
        word,
        [...stemsOf(word)].flatMap((stem) => this.#having.get(stem) ?? []),
      ]),
    };
  }

  ofTicket(title: string, text: string, ofTitle: Float32Array, ofText: Float32Array): Strengths {
    const near = this.#near(ofTitle).map((value) => value / 2);
    this.#near(ofText).forEach((value, concept) => (near[concept] = (near[concept] ?? 0) + value / 2));
    this.#addWords(near, title, 0.5);
    this.#addWords(near, text.slice(0, title.length + BEGINNING), 0.5);
    return strongest(near, MOST_CONCEPTS);
  }

  #near(vector: Float32Array): Float32Array {
    return Float32Array.from(this.#centres, (centre) => product(centre, vector));
  }

  /** Adds to each concept the share of the text's words that it has. */
  #addWords(near: Float32Array, text: string, weight: number): void {
    const words = [...stemsOf(text)];
    const all = words.reduce((sum, word) => sum + (this.#weights.get(word) ?? UNKNOWN), 0);
    for (const word of words)
      for (const concept of this.#having.get(word) ?? [])
        near[concept] =
          (near[concept] ?? 0) +
          (weight * (this.#weights.get(word) ?? 0) * (this.#counts[concept] ?? 1)) / all;
  }
}

/** The words of a search, in the spelling in which the ranking looks for them. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-._@'’][\p{L}\p{N}]+)*/gu) ?? [];
}

/** The stems of the words that say something. A concept may be matched wrongly by a crude stem; a word never is. */
function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return new Set(words.filter((word) => !SAYS_NOTHING.has(word)).map(stemOf));
}

function stemOf(word: string): string {
  const ending = ENDINGS.find((each) => word.endsWith(each) && word.length - each.length >= SHORTEST_STEM);
  return ending ? word.slice(0, -ending.length) : word;
}

function strongest(near: Float32Array, most: number): Strengths {
  const kept = [...near.entries()]
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([concept, value]): [number, number] => [concept, value ** SHARPNESS]);
  const length = Math.hypot(...kept.map(([, value]) => value)) || 1;
  return new Map(kept.map(([concept, value]) => [concept, value / length]));
}

export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(product(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < one.length; place++) sum += (one[place] ?? 0) * (other[place] ?? 0);
  return sum;
}

/** The mean of all phrases' vectors, and the direction of each concept from it. */
export interface Centres {
  mean: Float32Array;
  centres: Float32Array[];
}

const LINES = new URL('concepts.txt', import.meta.url);
export const CENTRES = new URL('concepts.bin', import.meta.url);

/** The phrases of each concept. */
export function readLines(): string[] {
  return readFileSync(LINES, 'utf8').trimEnd().split('\n');
}

/** The mean, then each centre as signed bytes, because only its direction counts. */
export function readCentres(): Centres {
  const bytes = new Uint8Array(readFileSync(CENTRES));
  const mean = new Float32Array(bytes.buffer.slice(0, DIMENSIONS * 4));
  const rows = new Int8Array(bytes.buffer, DIMENSIONS * 4);
  const centres = Array.from({ length: rows.length / DIMENSIONS }, (_, row) =>
    toUnit(Float32Array.from(rows.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS))),
  );
  return { mean, centres };
}
