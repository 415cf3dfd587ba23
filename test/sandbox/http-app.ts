import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import { Mailbox } from './open-sandbox.ts';

export interface Arrived {
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  /** The event, the interaction, or the fields of a command. */
  body: Record<string, unknown>;
}

/** The responses of an app; `hang` never responds. */
export type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'hang';

/** An app's HTTP server without the SDK: it answers the challenge, and everything else as the test says. */
export class HttpApp {
  readonly challenges = new Mailbox<Arrived>();
  readonly arrived = new Mailbox<Arrived>();
  reply: (arrived: Arrived) => Reply = () => ({ status: 200 });
  /** Answers the challenge as an app does, or otherwise. */
  verify: (challenge: string) => Reply = (challenge) => ({ status: 200, body: challenge });
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const raw = Buffer.concat(parts).toString('utf8');
        const arrived = {
          path: request.url ?? '',
          headers: request.headers,
          raw,
          body: parsed(request.headers, raw),
        };
        const isChallenge = arrived.body['type'] === 'url_verification';
        const reply = isChallenge ? this.verify(String(arrived.body['challenge'])) : this.reply(arrived);
        (isChallenge ? this.challenges : this.arrived).put(arrived);
        if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end(reply.body);
      });
    });
  }

  async listen(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/slack/events`;
    onTestFinished(() => this.close());
    return this;
  }

  /** Closes the server. */
  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function parsed(headers: IncomingHttpHeaders, raw: string): Record<string, unknown> {
  if (!/urlencoded/.test(headers['content-type'] ?? '')) return JSON.parse(raw) as Record<string, unknown>;
  const fields = Object.fromEntries(new URLSearchParams(raw));
  return fields['payload'] === undefined
    ? fields
    : (JSON.parse(fields['payload']) as Record<string, unknown>);
}
