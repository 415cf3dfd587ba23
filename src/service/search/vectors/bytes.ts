/** The largest value of a signed byte. */
const TOP = 127;

/** Encodes a vector as one signed byte per dimension: enough for cosine distance, at an eighth of the size. */
export function toBytes(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const bytes = Int8Array.from(vector, (value) => Math.round((value / largest) * TOP));
  return Buffer.from(bytes.buffer);
}

export function fromBytes(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the length of a vector; 1 for a zero vector, so that it is far from everything. */
export function lengthOf(vector: Int8Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum) || 1;
}
