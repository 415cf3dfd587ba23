import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { postJson } from '../search/providers/post.ts';
import { ProviderError } from '../search/providers/provider.ts';
import { addressesIn, harmless } from './harmless.ts';
import { promptFor, shown, UNKNOWN } from './prompt.ts';
import type { AnswerProvider, Asked, Given } from './provider.ts';

/** Which model answers, and as whom it is asked. */
export interface ModelAccess {
  model: string;
  apiKey: string;
  /** OpenAI's own when absent. */
  baseUrl?: string | undefined;
  /** For one question, from the first byte sent to the last one read. */
  timeoutMs?: number;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const TIMEOUT_MS = 60_000;
/** Characters of an answer: more is no answer in chat, but a model that does not stop. */
const ANSWER_CHARACTERS = 6_000;

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
});

/**
 * `POST {base}/chat/completions` (OpenAI API reference, Chat), which many other servers speak as well. The address is
 * the operator's own choice, as a local model's is, so it is not kept out of private networks as webhooks are;
 * redirects are not followed, so the key goes nowhere else.
 */
export function createModelProvider(
  { model, apiKey, baseUrl = DEFAULT_BASE_URL, timeoutMs = TIMEOUT_MS }: ModelAccess,
  outgoing: { dispatcher: Dispatcher; now: () => Date },
): AnswerProvider {
  const name = `model ${model}`;
  return {
    name,
    async answer(asked, signal) {
      const { choices } = await postJson(
        outgoing,
        {
          provider: name,
          url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`,
          headers: { authorization: `Bearer ${apiKey}` },
          body: { model, messages: promptFor(asked) },
          signal,
          timeoutMs,
          tries: 1,
        },
        Completion,
      );
      const said = choices[0]?.message.content?.trim() ?? '';
      if (said.length > ANSWER_CHARACTERS)
        throw new ProviderError('refused', `${name} answered ${said.length} characters`);
      return readAnswer(asked, said);
    },
  };
}

/** Undefined where the model does not know. Links are kept where a passage bears them; a passage named by its number is a source. */
function readAnswer({ passages }: Asked, said: string): Given | undefined {
  if (said === '' || said.includes(UNKNOWN)) return undefined;
  const known = shown(passages);
  const addresses = known.flatMap(({ url, text }) => [url ?? '', ...addressesIn(text)]);
  const named = new Set([...said.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)));
  return {
    text: harmless(said.replaceAll(/ ?\[\d{1,2}\](?!\()/g, ''), (url) => addresses.includes(url)),
    sources: known.filter((_, at) => named.has(at + 1)),
  };
}
