import type { AddressInfo } from 'node:net';

import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';

import type { NewId } from '../ids.ts';
import { type Running, StartError } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { frameworkProblem, MALFORMED_REQUEST, NOT_FOUND, problemBody, sendProblem } from './problem.ts';
import { type ReadinessCheck, registerProbes } from './probes.ts';
import { traceRequests } from './trace.ts';

/** Times in milliseconds, sizes in bytes. */
const HTTP_LIMITS = {
  body: 1024 * 1024,
  /** The body of a request; of a route with `slowBody`, the second limit. */
  bodyTimeoutMs: 30_000,
  slowBodyTimeoutMs: 15 * 60_000,
  headersTimeoutMs: 10_000,
  /** Longer than the usual 60 s of load balancers; otherwise they reuse a connection that is being closed. */
  keepAliveTimeoutMs: 65_000,
  /** Ids may come from another implementation. */
  pathParameter: 500,
  /** A client that has taken less of its answer than this after such a time is cut off: less than 4 kB a second. */
  slowReaderMs: 30_000,
  slowReaderBytes: 120 * 1024,
  /** Requests that still run then are cut off. */
  stopMs: 5_000,
} as const;

/** docs/api.md, Conventions: up to 64 visible characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,64}$/;

export interface HttpServerOptions {
  log: Log;
  newId: NewId;
  metrics: Metrics;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /**
   * Proxies in front of the server, each of which adds the address it was called from to `X-Forwarded-For`; default 0.
   */
  trustedProxies?: number;
  /** Milliseconds between two looks at how much a client has taken of its answer; default 30,000. */
  slowReaderMs?: number;
}

type NotFoundPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface HttpServer extends Running {
  /** Programs register themselves here, before `listen`. */
  readonly app: FastifyInstance;
  addCheck(name: string, check: ReadinessCheck): void;
  /** Adds metrics to `/metrics`, until the returned function is called (`printAll`). */
  addMetrics(metrics: Metrics): () => void;
  /** Sends the page that browsers get at an address that does not exist; programs get a problem. */
  setNotFoundPage(page: NotFoundPage): void;
  /** Resolves with the actual port; rejects with a `ListenError` whose message says what to do. */
  listen(): Promise<{ port: number }>;
}

/** The server cannot use its address. */
export class ListenError extends StartError {
  override readonly name = 'ListenError';
}

/** The one HTTP server that every enabled program is mounted on. */
export function createHttpServer({
  log,
  newId,
  metrics,
  host,
  port,
  trustedProxies = 0,
  slowReaderMs = HTTP_LIMITS.slowReaderMs,
}: HttpServerOptions): HttpServer {
  const app = fastify({
    // One line per request is written below; the framework's own lines would show the query, and so a key.
    logger: false,
    bodyLimit: HTTP_LIMITS.body,
    trustProxy: trustedProxies > 0 && ((_address, hop) => hop < trustedProxies),
    requestTimeout: HTTP_LIMITS.slowBodyTimeoutMs,
    keepAliveTimeout: HTTP_LIMITS.keepAliveTimeoutMs,
    http: { headersTimeout: HTTP_LIMITS.headersTimeoutMs },
    routerOptions: { maxParamLength: HTTP_LIMITS.pathParameter },
    forceCloseConnections: 'idle',
    // A request on an open connection during shutdown still gets a proper response.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('req');
    },
    frameworkErrors: (_error, _request, reply) => void sendProblem(reply as never, MALFORMED_REQUEST),
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return;
      const body = problemBody(MALFORMED_REQUEST, newId('req'));
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    },
  });
  limitBodyTime(app);
  cutOffSlowReaders(app, slowReaderMs);
  observe(app, log, metrics);
  traceRequests(app);
  let notFoundPage: NotFoundPage | undefined;
  app.setNotFoundHandler((request, reply) =>
    notFoundPage && asksForPage(request) ? notFoundPage(request, reply) : sendProblem(reply, NOT_FOUND),
  );
  refuseUnreadBodies(app);
  app.setErrorHandler((error, request, reply) => {
    const problem = frameworkProblem(error);
    if (problem.status >= 500) log.error({ err: error, requestId: request.id }, 'request failed');
    return sendProblem(reply, problem);
  });
  const checks = new Map<string, ReadinessCheck>();
  const more = new Set<Metrics>();
  registerProbes(app, { checks, metrics, more, log });

  return {
    app,
    addCheck: (name, check) => void checks.set(name, check),
    setNotFoundPage: (page) => void (notFoundPage = page),
    addMetrics(one) {
      more.add(one);
      return () => void more.delete(one);
    },
    async listen() {
      try {
        await app.listen({ host, port });
      } catch (error) {
        throw new ListenError(listenAdvice(error, host, port), { cause: error });
      }
      return { port: (app.server.address() as AddressInfo).port };
    },
    async stop() {
      const cutOff = setTimeout(() => app.server.closeAllConnections(), HTTP_LIMITS.stopMs);
      try {
        await app.close();
      } finally {
        clearTimeout(cutOff);
      }
    },
  };
}

/** Whether somebody opens an address in a browser. */
function asksForPage({ method, headers }: FastifyRequest): boolean {
  return ['GET', 'HEAD'].includes(method) && /\btext\/html\b/.test(headers.accept ?? '');
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take minutes: it is a file. */
    slowBody?: boolean;
    /** Milliseconds for a body that its sender has ready; default 30,000. */
    bodyTimeoutMs?: number;
  }
}

/** Answers a request to an address that does not exist before its body is read; GET and HEAD have no body. */
function refuseUnreadBodies(app: FastifyInstance): void {
  // After all hooks `onRequest`, so that a program can count such requests against a limit.
  app.addHook('preParsing', async (request, reply) => {
    if (request.is404 && !['GET', 'HEAD'].includes(request.method)) await sendProblem(reply, NOT_FOUND);
  });
}

/** Closes the connection of a request whose body takes too long; Node's own limit is the same for all routes. */
function limitBodyTime(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    const hasBody = 'content-length' in raw.headers || 'transfer-encoding' in raw.headers;
    const { slowBody, bodyTimeoutMs = HTTP_LIMITS.bodyTimeoutMs } = request.routeOptions.config;
    if (hasBody && slowBody !== true) {
      const timer = setTimeout(() => {
        if (!raw.complete) raw.destroy();
      }, bodyTimeoutMs);
      timer.unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Closes the connection of a client that takes its answer too slowly: what is held for it would be held for hours. An
 * answer that waits for us, like a stream of events, has nothing left to take.
 */
function cutOffSlowReaders(app: FastifyInstance, everyMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { socket } = request.raw;
    const takenNow = () => socket.bytesWritten - socket.writableLength;
    let taken = takenNow();
    const look = setInterval(() => {
      const before = taken;
      taken = takenNow();
      if (socket.writableLength > 0 && taken - before < HTTP_LIMITS.slowReaderBytes) socket.destroy();
    }, everyMs);
    look.unref();
    reply.raw.once('close', () => clearInterval(look));
    done(null, payload);
  });
}

/** Sets headers on every response, and records one log line and metric per request. */
function observe(app: FastifyInstance, log: Log, metrics: Metrics): void {
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [metrics],
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    // The route pattern, not the URL: a URL may contain a key in its query and user text in its path.
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const { method } = request;
    const status = reply.statusCode;
    const ms = Math.round(reply.elapsedTime);
    seconds.observe({ method, route, status }, reply.elapsedTime / 1000);
    log.info({ method, route, status, ms, requestId: request.id }, 'request');
    done();
  });
}

function listenAdvice(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program. Stop that program, or set PORT to a free port.`;
    case 'EACCES':
      return `Port ${port} cannot be opened by this user. Set PORT to a number above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine does not have the address ${host}. Set HOST to one of its own, or to 0.0.0.0 for all of them.`;
    default:
      return `The server could not listen on ${host}, port ${port}.`;
  }
}
