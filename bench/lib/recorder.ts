import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { Agent, request } from 'undici';

/**
 * A proxy in front of the service that records when the service accepted each message. Its overhead is the
 * same for every caller.
 */
export interface Recorder {
  url: string;
  /** The time of the 2xx response for the ticket message with this chat timestamp. */
  taken: ReadonlyMap<string, number>;
  /** The number of created tickets. */
  readonly tickets: number;
  close(): Promise<void>;
}

interface Passed {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export async function startRecorder(target: string): Promise<Recorder> {
  const agent = new Agent({ connections: 64 });
  const taken = new Map<string, number>();
  let tickets = 0;
  const server: Server = createServer((incoming, outgoing) => {
    pass(incoming)
      .then(({ status, headers, bytes }) => {
        outgoing.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);
      })
      .catch(() => outgoing.destroy());
  });

  async function pass(incoming: IncomingMessage): Promise<Passed> {
    // A file is passed on while it arrives.
    const isFile = incoming.headers['content-type']?.startsWith('multipart/') === true;
    const body = isFile ? incoming : await bytesOf(incoming);
    const { host: _, connection: _own, 'content-length': _length, ...headers } = incoming.headers;
    const answer = await request(`${target}${incoming.url ?? ''}`, {
      method: incoming.method as 'GET',
      dispatcher: agent,
      headers,
      ...(isFile || (Buffer.isBuffer(body) && body.length > 0) ? { body } : {}),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (Buffer.isBuffer(body) && incoming.method === 'POST' && answer.statusCode < 300) {
      if (incoming.url === '/api/ticket-messages') {
        const { chatTimestamp } = JSON.parse(body.toString('utf8')) as { chatTimestamp?: string };
        if (chatTimestamp !== undefined && !taken.has(chatTimestamp))
          taken.set(chatTimestamp, performance.now());
      } else if (incoming.url === '/api/tickets') tickets += 1;
    }
    const {
      connection: _its,
      'keep-alive': _alive,
      'transfer-encoding': _coding,
      ...passed
    } = answer.headers;
    return { status: answer.statusCode, headers: passed, bytes };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    get tickets() {
      return tickets;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await agent.close();
    },
  };
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
