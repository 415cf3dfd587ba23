import type { FastifyReply } from 'fastify';

/** Often enough that proxies keep the connection open. */
const HEARTBEAT_MS = 15_000;

/** A browser that listens to server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface EventStream {
  /** `data` is sent as JSON. */
  send: (event: string, data: unknown) => void;
  end: () => void;
}

/** Responds with a stream of events; `closed` is called once, whichever side ends it. */
export function openEventStream(reply: FastifyReply, closed: () => void): EventStream {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    // A buffering proxy would delay the events.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const heartbeat = setInterval(() => raw.write(': alive\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  raw.on('close', () => {
    clearInterval(heartbeat);
    closed();
  });
  return {
    send: (event, data) => void raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end: () => void raw.end(),
  };
}
