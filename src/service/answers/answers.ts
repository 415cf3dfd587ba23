import { Agent } from 'undici';

import { fromKnowledge } from './from-knowledge.ts';
import { createModelProvider, type ModelAccess } from './openai.ts';
import type { AnswerProvider } from './provider.ts';

export interface AnswerOptions {
  /** If absent, no message text is sent anywhere. */
  model?: ModelAccess;
  /** How long an unavailable model is retried, in milliseconds; default ten minutes. */
  answerWithinMs?: number;
}

/** Creates the answer provider, and closes its connections at the end. */
export function createAnswers(
  { model, answerWithinMs }: AnswerOptions,
  now: () => Date,
): { provider: AnswerProvider; answerWithinMs: number | undefined; stop(): Promise<void> } {
  const dispatcher = new Agent({ connections: 4 });
  return {
    provider: model ? createModelProvider(model, { dispatcher, now }) : fromKnowledge,
    answerWithinMs,
    stop: () => dispatcher.destroy(),
  };
}
