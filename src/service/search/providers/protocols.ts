import type { Dispatcher } from 'undici';
import { z } from 'zod';

import type { SearchProvider } from '../../../contract/index.ts';
import { toBytes } from '../vectors/bytes.ts';
import { type Post, postJson } from './post.ts';
import {
  DIMENSIONS,
  type EmbeddingProvider,
  type ProviderAccess,
  ProviderError,
  type Purpose,
} from './provider.ts';

interface Outgoing {
  dispatcher: Dispatcher;
  now: () => Date;
}

const vector = z.array(z.number()).length(DIMENSIONS);
/** OpenAI's and Voyage's response: in any order, each with its index. */
const indexed = z.object({ data: z.array(z.object({ index: z.int().min(0), embedding: vector })) });
/** Google's response: in the order of the request. */
const ordered = z.object({ embeddings: z.array(z.object({ values: vector })) });

type Request = Omit<Post, 'provider' | 'signal'>;

/** `POST {base}/embeddings` (OpenAI API reference, Embeddings), which many other servers support. */
function openai(
  { apiKey, baseUrl = 'https://api.openai.com/v1' }: ProviderAccess,
  model: string,
  texts: readonly string[],
): Request {
  return {
    url: `${withoutSlash(baseUrl)}/embeddings`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: { model, input: texts, dimensions: DIMENSIONS, encoding_format: 'float' },
  };
}

/** `models/{model}:batchEmbedContents` (Gemini API reference, Embeddings). */
function google(
  { apiKey, baseUrl = 'https://generativelanguage.googleapis.com/v1beta' }: ProviderAccess,
  model: string,
  texts: readonly string[],
  purpose: Purpose,
): Request {
  const taskType = purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT';
  return {
    url: `${withoutSlash(baseUrl)}/models/${encodeURIComponent(model)}:batchEmbedContents`,
    headers: { 'x-goog-api-key': apiKey },
    body: {
      requests: texts.map((text) => ({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        taskType,
        outputDimensionality: DIMENSIONS,
      })),
    },
  };
}

/** `POST /v1/embeddings` (Voyage AI, Text embeddings API). */
function voyage(
  { apiKey, baseUrl = 'https://api.voyageai.com/v1' }: ProviderAccess,
  model: string,
  texts: readonly string[],
  purpose: Purpose,
): Request {
  return {
    url: `${withoutSlash(baseUrl)}/embeddings`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: { model, input: texts, input_type: purpose, output_dimension: DIMENSIONS, truncation: true },
  };
}

/**
 * Batches are far below each provider's limit (2,048, 100 and 1,000 texts), because their total length is limited too.
 */
const PROTOCOLS = {
  openai: { model: 'text-embedding-3-small', batch: 64, request: openai, shape: 'indexed' },
  google: { model: 'gemini-embedding-001', batch: 64, request: google, shape: 'ordered' },
  voyage: { model: 'voyage-3.5-lite', batch: 64, request: voyage, shape: 'indexed' },
} as const;

export function createProvider(
  name: SearchProvider,
  access: ProviderAccess,
  outgoing: Outgoing,
): EmbeddingProvider {
  const protocol = PROTOCOLS[name];
  const model = access.model ?? protocol.model;
  return {
    name,
    model,
    batch: protocol.batch,
    isLocal: false,
    async embed(texts, purpose, signal) {
      const post = { provider: name, signal, ...protocol.request(access, model, texts, purpose) };
      const vectors =
        protocol.shape === 'ordered'
          ? (await postJson(outgoing, post, ordered)).embeddings.map(({ values }) => values)
          : (await postJson(outgoing, post, indexed)).data
              .sort((a, b) => a.index - b.index)
              .map(({ embedding }) => embedding);
      if (vectors.length !== texts.length) throw new ProviderError('unavailable', `${name} left a text out`);
      return vectors.map(toBytes);
    },
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
