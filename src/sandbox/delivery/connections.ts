import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Journal } from '../journal.ts';
import { LIMITS } from '../limits.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { storable } from '../values.ts';

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

export interface Connection {
  id: string;
  appId: string;
  socket: WebSocket;
  /** It was asked to disconnect: it may still acknowledge, but gets nothing new. */
  leaving: boolean;
  /** Envelopes sent and not acknowledged yet; the dispatcher counts. */
  inFlight: number;
}

/** Callbacks of the dispatcher. */
export interface ConnectionEvents {
  opened(connection: Connection): void;
  closed(connection: Connection): void;
  acknowledged(connection: Connection, envelopeId: string, payload: unknown): void;
}

/** How long a client may take to answer the closing of its connection. */
const CLOSE_PATIENCE_MS = 1_000;

const ack = z.object({ envelope_id: z.string(), payload: z.unknown().optional() });

/**
 * The Socket Mode end (docs.slack.dev/apis/events-api/using-socket-mode): one-use addresses, `hello`, at most ten
 * connections per app, pings, `disconnect` messages.
 */
export class Connections {
  readonly #parts: { clock: Clock; ids: IdMaker; journal: Journal; log: Log };
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Map<string, { appId: string; expires: number }>();
  readonly #open = new Map<string, Connection>();
  readonly #pings: NodeJS.Timeout;
  #events: ConnectionEvents | undefined;
  #turn = 0;
  #count = 0;

  constructor(parts: { clock: Clock; ids: IdMaker; journal: Journal; log: Log }) {
    this.#parts = parts;
    this.#pings = setInterval(() => this.#ping(), LIMITS.pingIntervalMs);
    this.#pings.unref();
  }

  listen(events: ConnectionEvents): void {
    this.#events = events;
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** A ticket that opens one connection, once, within its time. */
  issueTicket(appId: string): string {
    const now = this.#parts.clock.now().getTime();
    for (const [ticket, { expires }] of this.#tickets) if (expires <= now) this.#tickets.delete(ticket);
    const ticket = this.#parts.ids.uuid();
    this.#tickets.set(ticket, { appId, expires: now + LIMITS.socketTicketMs });
    return ticket;
  }

  /** The connection whose turn it is, among those with fewer than `room` envelopes; undefined when there is none. */
  next(appId: string, room: number): Connection | undefined {
    const ready = this.#ready(appId).filter(({ inFlight }) => inFlight < room);
    return ready[this.#turn++ % Math.max(ready.length, 1)];
  }

  /** Whether the app can be reached now. */
  has(appId: string): boolean {
    return this.#ready(appId).length > 0;
  }

  of(appId: string): Connection[] {
    return [...this.#open.values()].filter((connection) => connection.appId === appId);
  }

  all(): Connection[] {
    return [...this.#open.values()];
  }

  /** Tells connections to reconnect; after a warning they have ten seconds, otherwise none. */
  disconnect(reason: DisconnectReason, ids?: readonly string[]): number {
    const chosen = this.all().filter(({ id, leaving }) => !leaving && (ids?.includes(id) ?? true));
    for (const connection of chosen) {
      connection.leaving = true;
      this.#sendDisconnect(connection.socket, reason);
      this.#record(connection, 'disconnect_sent');
      if (reason !== 'warning') connection.socket.close(1000);
      else setTimeout(() => connection.socket.close(1000), LIMITS.disconnectWarningMs).unref();
    }
    return chosen.length;
  }

  /** Cuts connections without a closing handshake, as a network failure does. */
  cut(ids?: readonly string[]): number {
    const chosen = this.all().filter(({ id }) => ids?.includes(id) ?? true);
    for (const { socket } of chosen) socket.terminate();
    return chosen.length;
  }

  /** Closes every connection, and cuts those that do not answer the closing. */
  async stop(): Promise<void> {
    clearInterval(this.#pings);
    const closing = this.all().map(
      ({ socket }) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.close(1001);
        }),
    );
    const patience = setTimeout(() => this.cut(), CLOSE_PATIENCE_MS);
    await Promise.all(closing);
    clearTimeout(patience);
    this.#server.close();
  }

  #ready(appId: string): Connection[] {
    return this.of(appId).filter(({ leaving, socket }) => !leaving && socket.readyState === WebSocket.OPEN);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const ticket = url.searchParams.get('ticket') ?? '';
    const known = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (!url.pathname.startsWith('/link') || !known || known.expires <= this.#parts.clock.now().getTime()) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#accept(known.appId, opened));
  }

  #accept(appId: string, socket: WebSocket): void {
    const connection: Connection = {
      id: `conn-${++this.#count}`,
      appId,
      socket,
      leaving: false,
      inFlight: 0,
    };
    socket.on('error', (error) => this.#parts.log.debug({ err: error }, 'a sandbox connection failed'));
    if (this.of(appId).length >= LIMITS.socketConnections) {
      this.#record(connection, 'refused');
      this.#sendDisconnect(socket, 'too_many_websockets');
      socket.close(1000);
      return;
    }
    this.#open.set(connection.id, connection);
    socket.on('close', () => {
      this.#open.delete(connection.id);
      this.#record(connection, 'closed');
      this.#events?.closed(connection);
    });
    socket.on('message', (data) => this.#receive(connection, data));
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: this.of(appId).length,
        debug_info: {
          host: 'applink-sandbox',
          build_number: 1,
          started: this.#parts.clock.now().toISOString(),
          approximate_connection_time: 18_060,
        },
        connection_info: { app_id: appId },
      }),
    );
    socket.ping();
    this.#record(connection, 'opened');
    this.#events?.opened(connection);
  }

  #receive(connection: Connection, data: RawData): void {
    const parsed = ack.safeParse(storable(parseJson(decodeData(data))));
    // Slack ignores what it does not understand; a client that sends it waits for nothing.
    if (parsed.success) this.#events?.acknowledged(connection, parsed.data.envelope_id, parsed.data.payload);
  }

  #sendDisconnect(socket: WebSocket, reason: DisconnectReason | 'too_many_websockets'): void {
    socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-sandbox' } }));
  }

  #ping(): void {
    for (const { socket } of this.#open.values()) if (socket.readyState === WebSocket.OPEN) socket.ping();
  }

  #record(connection: Connection, what: 'opened' | 'closed' | 'refused' | 'disconnect_sent'): void {
    this.#parts.journal.record('connection', { id: connection.id, what, open: this.#open.size });
  }
}

function decodeData(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
