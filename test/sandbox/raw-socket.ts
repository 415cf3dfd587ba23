import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { Mailbox, SEED, webClient } from './open-sandbox.ts';

export interface Envelope {
  type: string;
  envelope_id: string;
  accepts_response_payload: boolean;
  retry_attempt: number;
  retry_reason: string;
  payload: { event_id: string; event: Record<string, unknown> } & Record<string, unknown>;
}

/** A Socket Mode connection without the SDK: it only acknowledges what the test says. */
export class RawSocket {
  readonly hello = new Mailbox<Record<string, unknown>>();
  readonly envelopes = new Mailbox<Envelope>();
  readonly disconnects = new Mailbox<{ reason: string }>();
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString('utf8')) as Envelope & { reason: string };
      if (message.type === 'hello') this.hello.put(message as unknown as Record<string, unknown>);
      else if (message.type === 'disconnect') this.disconnects.put(message);
      else this.envelopes.put(message);
    });
    this.closed = new Promise((resolve) => this.#socket.on('close', (code) => resolve(code)));
    this.#socket.on('error', () => undefined);
    onTestFinished(() => this.#socket.terminate());
  }

  ack({ envelope_id }: Envelope, payload?: unknown): void {
    this.#socket.send(JSON.stringify({ envelope_id, ...(payload === undefined ? {} : { payload }) }));
  }

  cut(): void {
    this.#socket.terminate();
  }
}

export async function socketUrl(sandbox: Sandbox): Promise<string> {
  const { url = '' } = await webClient(sandbox, SEED.app.appToken).apps.connections.open({});
  return url;
}

/** A connection that has received hello. */
export async function rawSocket(sandbox: Sandbox): Promise<RawSocket> {
  const socket = new RawSocket(await socketUrl(sandbox));
  await socket.hello.first(1);
  return socket;
}
