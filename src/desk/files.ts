import { PassThrough } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Agent, type Dispatcher } from 'undici';

import { answeredError, UnreachableError } from '../client/index.ts';
import { BYTE_ROUTES, type Route } from '../contract/index.ts';
import { sendProblem } from '../platform/http/index.ts';
import { isUnauthorized, problemOfError, SIGNED_OUT } from './refusal.ts';
import type { Session, Sessions } from './session.ts';

export interface FilesOptions {
  sessions: Sessions;
  service: { url: string; tokenHeader: string };
}

const REQUEST_HEADERS = ['content-type', 'content-length', 'range', 'if-range', 'if-none-match'];
const RESPONSE_HEADERS = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'etag',
  'cache-control',
  'content-security-policy',
  'x-content-type-options',
  'cross-origin-resource-policy',
];
/** Parameters that the page may send with an upload. */
const PARAMETERS = ['attach', 'workspaceId'];
/** The browser has the file already. */
const NOT_MODIFIED = 304;
/** Bytes read of an error. */
const ERROR_BYTES = 64 * 1024;

/**
 * `/desk/files/…`, `/desk/tickets/{id}/files`, `/desk/ticket-messages/{id}/files` and `/desk/target-report/csv`:
 * uploads, downloads and thumbnails of the service, streamed with the session's token. Their own policy makes them safe
 * on the desk's origin.
 */
export function serveFiles(
  server: FastifyInstance,
  { sessions, service }: FilesOptions,
): { close(): Promise<void> } {
  const agent = new Agent({ connections: 32, headersTimeout: 0, connect: { timeout: 5_000 } });
  void server.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
    for (const route of Object.values(BYTE_ROUTES) as Route[])
      scope.route({
        method: route.method,
        url: route.path.replace('{id}', ':id'),
        config: { slowBody: route.method === 'POST' },
        handler: async (request, reply) => {
          const session = sessions.read(request);
          if (!session) return sendProblem(reply, SIGNED_OUT);
          return forward(route, session, request, reply);
        },
      });
  });

  async function forward(
    { method, path, query: known }: Route,
    session: Session,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const what = `${method} ${path}`;
    const { id = '' } = request.params as { id?: string };
    const { origin, pathname } = new URL(service.url);
    const given = request.query as Record<string, unknown>;
    const query =
      method === 'POST'
        ? parametersOf(given, PARAMETERS, session)
        : parametersOf(given, Object.keys(known?.shape ?? {}));
    const stopped = new AbortController();
    reply.raw.once('close', () => stopped.abort());
    // The service may answer before it has read all: the page's own connection must stay.
    const body = method === 'POST' ? request.raw.pipe(new PassThrough()) : null;
    body?.on('error', () => undefined);
    request.raw.once('aborted', () => body?.destroy());
    let response: Dispatcher.ResponseData;
    try {
      response = await agent.request({
        origin,
        path: `${pathname.replace(/\/$/, '')}${path.replace('{id}', encodeURIComponent(id))}${query}`,
        method,
        headers: { ...picked(request.headers, REQUEST_HEADERS), [service.tokenHeader]: session.token },
        body,
        signal: stopped.signal,
      });
    } catch (error) {
      request.raw.unpipe();
      request.raw.resume();
      return sendProblem(
        reply,
        problemOfError(new UnreachableError(what, false, error), session.kind, body !== null),
      );
    }
    const { statusCode, headers } = response;
    if (statusCode >= 300 && statusCode !== NOT_MODIFIED) {
      const text = await readBeginning(response.body);
      request.raw.unpipe();
      request.raw.resume();
      const error = answeredError(what, statusCode, text);
      if (isUnauthorized(error)) sessions.end(reply);
      const again = headers['retry-after'];
      if (typeof again === 'string') reply.header('retry-after', again);
      return sendProblem(reply, problemOfError(error, session.kind, body !== null));
    }
    return reply.code(statusCode).headers(picked(headers, RESPONSE_HEADERS)).send(response.body);
  }

  return { close: () => agent.destroy() };
}

function parametersOf(query: Record<string, unknown>, names: readonly string[], writer?: Session): string {
  const given = names.flatMap((name) => (typeof query[name] === 'string' ? [[name, query[name]]] : []));
  const userId = writer?.kind === 'key' ? writer.userId : undefined;
  const search = new URLSearchParams([...given, ...(userId ? [['authorId', userId]] : [])] as [
    string,
    string,
  ][]);
  return search.size > 0 ? `?${search.toString()}` : '';
}

function picked(
  headers: Record<string, string | string[] | undefined>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > ERROR_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
