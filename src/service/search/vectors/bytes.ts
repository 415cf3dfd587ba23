/** The largest value of a signed byte, and of an unsigned one. */
const TOP = 127;
const FULL = 255;
/** Dimensions of the longest vector; what follows them are the concepts that the text is about, three bytes each. */
export const MOST_DIMENSIONS = 512;
export const CONCEPT_BYTES = 3;

/** Encodes a vector as one signed byte per dimension: enough for cosine distance, at an eighth of the size. */
export function toBytes(vector: ArrayLike<number>): Buffer {
  let largest = 0;
  for (let place = 0; place < vector.length; place++)
    largest = Math.max(largest, Math.abs(vector[place] ?? 0));
  const bytes = Int8Array.from(vector, (value) => Math.round((value / (largest || 1)) * TOP));
  return Buffer.from(bytes.buffer);
}

/** Adds the concepts that a text is about, each with its strength from 0 to 1. */
export function withConcepts(vector: Buffer, concepts: ReadonlyMap<number, number>): Buffer {
  const entries = [...concepts].flatMap(([concept, strength]) => [
    concept & FULL,
    concept >> 8,
    Math.round(strength * FULL),
  ]);
  return Buffer.concat([vector, Uint8Array.from(entries)]);
}

/** The dimensions of an encoded vector, without its concepts. */
export function fromBytes(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MOST_DIMENSIONS));
}

/** The concepts of an encoded vector, each with its strength. */
export function conceptsOf(bytes: Uint8Array): [concept: number, strength: number][] {
  const concepts: [number, number][] = [];
  for (let place = MOST_DIMENSIONS; place + 2 < bytes.length; place += CONCEPT_BYTES)
    concepts.push([(bytes[place] ?? 0) | ((bytes[place + 1] ?? 0) << 8), (bytes[place + 2] ?? 0) / FULL]);
  return concepts;
}

/** Returns the length of a vector; 1 for a zero vector, so that it is far from everything. */
export function lengthOf(vector: Int8Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum) || 1;
}
