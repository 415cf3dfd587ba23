import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

import type { SearchProvider } from '../../../src/contract/index.ts';

/** Words with the same meaning; each row is one dimension. */
const MEANINGS = [
  ['printer', 'print', 'toner', 'paper'],
  ['vpn', 'network', 'internet', 'wifi'],
  ['salary', 'payslip', 'wages'],
];
const DIMENSIONS = 256;

export interface Asked {
  path: string;
  key: string | undefined;
  texts: string[];
  purpose: string | undefined;
}

interface Failure {
  /** `none`: no answer at all. */
  status: number | 'none';
  headers?: Record<string, string>;
}

interface Body {
  model: string;
  input?: string[];
  dimensions?: number;
  input_type?: string;
  output_dimension?: number;
  requests?: {
    model: string;
    content: { parts: { text: string }[] };
    taskType: string;
    outputDimensionality: number;
  }[];
}

/**
 * Implements the embedding protocol of each provider, according to their references, and rejects anything
 * else. The vector of a text has the meanings in it.
 */
export async function startVectorServer(provider: SearchProvider) {
  const asked: Asked[] = [];
  const failures: Failure[] = [];
  const server = createServer((request, response) => {
    void json(request).then((value) => {
      const body = value as Body;
      const path = request.url ?? '';
      const answer = (status: number, content: unknown, headers: Record<string, string> = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(content));
      const google = provider === 'google';
      const texts = google
        ? (body.requests ?? []).map(({ content }) => content.parts[0]?.text ?? '')
        : (body.input ?? []);
      const header = google
        ? request.headers['x-goog-api-key']
        : request.headers.authorization?.replace('Bearer ', '');
      const key = typeof header === 'string' ? header : undefined;
      const purpose = google ? body.requests?.[0]?.taskType : body.input_type;
      asked.push({ path, key, texts, purpose });
      const failure = failures.shift();
      if (failure?.status === 'none') return undefined;
      if (failure) return answer(failure.status, { error: 'as told' }, failure.headers);
      if (key !== 'right') return answer(401, { error: 'wrong key' });
      const dimensions = google
        ? body.requests?.[0]?.outputDimensionality
        : provider === 'openai'
          ? body.dimensions
          : body.output_dimension;
      if (
        dimensions !== DIMENSIONS ||
        texts.length === 0 ||
        texts.some((text) => text === '' || text.includes('POISON'))
      )
        return answer(400, { error: 'bad request' });
      const vectors = texts.map(vectorOf);
      if (google) return answer(200, { embeddings: vectors.map((values) => ({ values })) });
      const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
      // Their order is not guaranteed.
      return answer(200, {
        object: 'list',
        data: data.reverse(),
        model: body.model,
        usage: { total_tokens: 1 },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    asked,
    failNext: (...next: Failure[]) => void failures.push(...next),
  };
}

function vectorOf(text: string): number[] {
  const words = text.toLowerCase().split(/\W+/);
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  vector[DIMENSIONS - 1] = 0.05;
  for (const [place, meanings] of MEANINGS.entries())
    vector[place] = words.filter((word) => meanings.includes(word)).length;
  return vector;
}
