import type { ServerResponse } from 'node:http';

import { startReceiver } from '../receiver.ts';

/** A model's response in this protocol. */
export const completion = (content: string) => (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content } }] }));

/** A model server that behaves as the test says. */
export async function startModel(...behaviours: Parameters<typeof startReceiver>) {
  const server = await startReceiver(...behaviours);
  return { ...server, baseUrl: `${new URL(server.url).origin}/v1` };
}
