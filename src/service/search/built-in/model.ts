import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { systemTimers, type Timer, type Timers } from '../../../platform/timers.ts';
import { type EmbeddingProvider, ProviderError, type Purpose } from '../providers/provider.ts';
import type { Answer, Made, Question } from './messages.ts';

/** The model that comes with deskbridge, in its own thread; loaded when needed, and unloaded when it rests. */
export interface BuiltInModel extends EmbeddingProvider {
  /** Loads it. */
  start(): void;
  /** The concepts of a search, encoded, and what it is about. */
  understand(search: string): Promise<Made>;
  stop(): Promise<void>;
}

/** The thread's objects need 20 MB; without limits, it keeps 60 MB more of what it has done with. */
const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 96 };

/**
 * It takes some 140 MB, and up to a second to load: too long for each search of somebody who searches now and
 * then, short for the first one of the day.
 */
export const UNLOADED_AFTER_MS = 5 * 60 * 1000;

export function createBuiltInModel(timers: Timers = systemTimers): BuiltInModel {
  const waiting = new Map<number, { resolve: (made: Made) => void; reject: (error: Error) => void }>();
  let worker: Worker | undefined;
  let lastId = 0;
  let unloading: Timer | undefined;

  const end = (error: Error): void => {
    unloading?.cancel();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const unload = (): void => {
    const unused = worker;
    worker = undefined;
    void unused?.terminate();
  };

  /** Its time begins again with each use. */
  const unloadLater = (): void => {
    unloading?.cancel();
    unloading = timers.after(UNLOADED_AFTER_MS, unload);
  };

  const start = (): Worker => {
    if (worker) return worker;
    const made = new Worker(new URL(`./worker${path.extname(import.meta.url)}`, import.meta.url), {
      resourceLimits: HEAP,
    });
    // An idle service may end.
    made.unref();
    made.on('message', (message: Answer) => {
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.kind === 'made') asked?.resolve(message);
      else asked?.reject(new ProviderError('invalid_input', `the model made no vector: ${message.why}`));
      if (waiting.size === 0) unloadLater();
    });
    made.on('error', (cause) => end(new ProviderError('unavailable', 'the model ended', { cause })));
    made.on('exit', () => {
      if (worker === made) end(new ProviderError('unavailable', 'the model ended'));
    });
    worker = made;
    return made;
  };

  const make = (text: string, purpose: Purpose): Promise<Made> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      unloading?.cancel();
      start().postMessage({ id, purpose, text } satisfies Question);
    });

  return {
    name: 'built-in',
    model: 'universal-sentence-encoder-lite-1, concepts-4',
    // One at a time: a new ticket waits for one text, not for many.
    batch: 1,
    isLocal: true,
    start: () => {
      start();
      unloadLater();
    },
    understand: (search) => make(search, 'query'),
    async embed(texts, purpose) {
      const made = await Promise.all(texts.map((text) => make(text, purpose)));
      return made.map(({ vector }) => vector);
    },
    async stop() {
      const stopped = worker;
      end(new ProviderError('unavailable', 'the model was stopped'));
      await stopped?.terminate();
    },
  };
}
