import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { type EmbeddingProvider, ProviderError, type Purpose } from '../providers/provider.ts';
import { MEAN } from './mean.ts';
import type { Answer, Question } from './messages.ts';

/** Characters of a ticket used for its vector: more take longer and dilute it. */
const CHARACTERS = 600;
const QUERY_CHARACTERS = 300;

/** The model that comes with deskbridge, in its own thread; loaded when first needed. */
export interface BuiltInModel extends EmbeddingProvider {
  /** Loads it. */
  start(): void;
  readonly isReady: boolean;
  stop(): Promise<void>;
}

export function createBuiltInModel(): BuiltInModel {
  const waiting = new Map<number, { resolve: (vector: number[]) => void; reject: (error: Error) => void }>();
  let worker: Worker | undefined;
  let isReady = false;
  let lastId = 0;

  const end = (error: Error): void => {
    worker = undefined;
    isReady = false;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    if (worker) return worker;
    const made = new Worker(new URL(`./worker${path.extname(import.meta.url)}`, import.meta.url));
    // An idle service may end.
    made.unref();
    made.on('message', (message: Answer) => {
      if (message.kind === 'ready') isReady = true;
      else {
        const asked = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.kind === 'vector') asked?.resolve(message.vector);
        else asked?.reject(new ProviderError('refused', `the model made no vector: ${message.why}`));
      }
    });
    made.on('error', (cause) => end(new ProviderError('away', 'the model ended', { cause })));
    made.on('exit', () => {
      if (worker === made) end(new ProviderError('away', 'the model ended'));
    });
    worker = made;
    return made;
  };

  const embedOne = (text: string, purpose: Purpose): Promise<number[]> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      start().postMessage({ id, purpose, text } satisfies Question);
    });

  return {
    name: 'built-in',
    model: 'universal-sentence-encoder-lite-1',
    batch: 16,
    get isReady() {
      return isReady;
    },
    start: () => void start(),
    async embed(texts, purpose) {
      const vectors: number[][] = [];
      for (const text of texts)
        vectors.push(
          purpose === 'query'
            ? centred(await embedOne(text.slice(0, QUERY_CHARACTERS), purpose))
            : await documentVector(text, (part) => embedOne(part, purpose)),
        );
      return vectors;
    },
    async stop() {
      const stopped = worker;
      end(new ProviderError('away', 'the model was stopped'));
      await stopped?.terminate();
    },
  };
}

/** The mean of the title (the first line) and the whole text: a long description must not hide the title. */
async function documentVector(text: string, embed: (part: string) => Promise<number[]>): Promise<number[]> {
  const [title = ''] = text.split('\n', 1);
  const whole = centred(await embed(text.slice(0, CHARACTERS).replace('\n', '. ')));
  if (title.trim() === '' || title === text) return whole;
  const ofTitle = centred(await embed(title));
  return whole.map((value, place) => value + (ofTitle[place] ?? 0));
}

function centred(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  const moved = vector.map((value, place) => value / length - (MEAN[place] ?? 0));
  const newLength = Math.hypot(...moved) || 1;
  return moved.map((value) => value / newLength);
}
