import type { ServerResponse } from 'node:http';

import { startReceiver } from '../receiver.ts';

/** An answer of a model, as servers of this protocol give it. */
export const completion = (content: string) => (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content } }] }));

/** A server that is asked as a model is; it behaves as told. */
export async function startModel(...behaviours: Parameters<typeof startReceiver>) {
  const server = await startReceiver(...behaviours);
  return { ...server, baseUrl: `${new URL(server.url).origin}/v1` };
}
