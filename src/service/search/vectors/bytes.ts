/** The largest value of a signed byte, and of an unsigned one. */
const TOP = 127;
const FULL = 255;
/** Concepts of a text that are kept, and the bytes of each: its number in two, and its strength. */
export const MOST_CONCEPTS = 10;
const CONCEPT_BYTES = 3;
export const CONCEPTS_BYTES = MOST_CONCEPTS * CONCEPT_BYTES;

/** Encodes a vector as one signed byte per dimension: enough for cosine distance, at an eighth of the size. */
export function toBytes(vector: ArrayLike<number>): Buffer {
  let largest = 0;
  for (let place = 0; place < vector.length; place++)
    largest = Math.max(largest, Math.abs(vector[place] ?? 0));
  const bytes = Int8Array.from(vector, (value) => Math.round((value / (largest || 1)) * TOP));
  return Buffer.from(bytes.buffer);
}

/** Returns the dimensions of an encoded vector. */
export function fromBytes(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Encodes what a text is about: concepts by their numbers, each with its strength from 0 to 1. */
export function conceptsToBytes(concepts: ReadonlyMap<number, number>): Buffer {
  return Buffer.from(
    [...concepts].flatMap(([concept, strength]) => [
      concept & FULL,
      concept >> 8,
      Math.round(strength * FULL),
    ]),
  );
}

/** Returns the concepts that are encoded in some bytes, without those of no strength. */
export function conceptsFromBytes(bytes: Uint8Array): Map<number, number> {
  const concepts = new Map<number, number>();
  for (let place = 0; place + CONCEPT_BYTES <= bytes.length; place += CONCEPT_BYTES) {
    const strength = bytes[place + 2] ?? 0;
    if (strength > 0) concepts.set((bytes[place] ?? 0) | ((bytes[place + 1] ?? 0) << 8), strength / FULL);
  }
  return concepts;
}

/**
 * Returns how much encoded concepts are the same as some others: the product of their strengths, which are those of
 * vectors of length 1, so it is a cosine. Reads no further than it has to, because it is done for every ticket.
 */
export function sameConcepts(
  concepts: ReadonlyMap<number, number>,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  let sum = 0;
  for (let place = from; place + CONCEPT_BYTES <= to; place += CONCEPT_BYTES) {
    const strength = bytes[place + 2] ?? 0;
    if (strength === 0) break;
    sum += strength * (concepts.get((bytes[place] ?? 0) | ((bytes[place + 1] ?? 0) << 8)) ?? 0);
  }
  return sum / FULL;
}

/** Returns the cosine of a vector of this length and an encoded one. */
export function cosine(
  vector: Int8Array,
  length: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  let product = 0;
  let squares = 0;
  for (let place = from; place < to; place++) {
    const value = ((bytes[place] ?? 0) << 24) >> 24;
    product += (vector[place - from] ?? 0) * value;
    squares += value * value;
  }
  return product / (length * (Math.sqrt(squares) || 1));
}

/** Returns the length of a vector; 1 for a zero vector, so that it is far from everything. */
export function lengthOf(vector: Int8Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum) || 1;
}
