import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { postJson } from '../search/providers/post.ts';
import { ProviderError } from '../search/providers/provider.ts';
import { addressesIn, sanitizeMarkdown } from './sanitize-markdown.ts';
import { promptFor, shownPassages, UNKNOWN } from './prompt.ts';
import type { AnswerProvider, PromptContext, GeneratedAnswer } from './provider.ts';

/** The model and its credentials. */
export interface ModelAccess {
  model: string;
  apiKey: string;
  /** Default OpenAI's own. */
  baseUrl?: string | undefined;
  /** Time limit per question, from the first byte sent to the last one read. */
  timeoutMs?: number;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const TIMEOUT_MS = 60_000;
/** Characters of an answer; more comes from a model that does not stop. */
const ANSWER_CHARACTERS = 6_000;

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
});

/**
 * Creates a provider for `POST {base}/chat/completions` (OpenAI API reference, Chat), which many other servers support.
 * The operator chooses the URL, which may be a local model's, so it may be in a private network, unlike webhooks;
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
        throw new ProviderError('invalid_input', `${name} answered ${said.length} characters`);
      return readAnswer(asked, said);
    },
  };
}

/**
 * Returns undefined if the model does not know. Links are kept if a passage contains them; a passage cited by number is
 * a source.
 */
function readAnswer({ passages }: PromptContext, said: string): GeneratedAnswer | undefined {
  if (said === '' || said.includes(UNKNOWN)) return undefined;
  const known = shownPassages(passages);
  const addresses = known.flatMap(({ url, text }) => [url ?? '', ...addressesIn(text)]);
  const named = new Set([...said.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)));
  return {
    text: sanitizeMarkdown(said.replaceAll(/ ?\[\d{1,2}\](?!\()/g, ''), (url) => addresses.includes(url)),
    sources: known.filter((_, at) => named.has(at + 1)),
  };
}
