import { Agent } from 'undici';

import { fromKnowledge } from './from-knowledge.ts';
import { createModelProvider, type ModelAccess } from './openai.ts';
import type { AnswerProvider } from './provider.ts';

export interface AnswerOptions {
  /** Absent: nothing that people write is sent anywhere. */
  model?: ModelAccess;
  /** How long a model that is away is asked again, in milliseconds; ten minutes when absent. */
  answerWithinMs?: number;
}

/** Who answers here, and the connections that are closed at the end. */
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
