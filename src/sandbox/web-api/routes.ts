import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../../platform/log.ts';
import type { Connections } from '../delivery/connections.ts';
import type { Fault, Faults } from '../faults.ts';
import type { App } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Answer, type Method, SlackError } from './method.ts';
import { METHODS } from './methods/index.ts';

export interface WebApiParts {
  workspace: Workspace;
  connections: Connections;
  faults: Faults;
  log: Log;
}

/** `POST` and `GET /api/:method`, as slack.com serves it: HTTP 200 also for refusals. */
export function serveWebApi(server: FastifyInstance, parts: WebApiParts): void {
  server.route<{ Params: { method: string } }>({
    method: ['GET', 'POST'],
    url: '/api/:method',
    handler: (request, reply) => serveCall(parts, request.params.method, request, reply),
  });
}

async function serveCall(
  parts: WebApiParts,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token: tokenField, ...args } = argumentsOf(request);
  const fault = parts.faults.take(name, args);
  if (fault && fault.kind !== 'answer_lost') {
    record(parts, name, args, { ok: false, error: fault.kind }, fault);
    return misbehave(fault, request, reply);
  }
  const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const answer = await answerTo(
    parts,
    name,
    bearer ?? tokenField,
    args,
    `http://${request.headers.host ?? ''}`,
  );
  record(parts, name, args, answer, fault);
  if (fault) return misbehave(fault, request, reply);
  return reply.send(answer);
}

async function answerTo(
  parts: WebApiParts,
  name: string,
  token: unknown,
  args: Record<string, unknown>,
  baseUrl: string,
): Promise<Answer> {
  const row = METHODS.get(name);
  if (!row) return { ok: false, error: 'unknown_method', req_method: name };
  try {
    const app = authenticate(parts.workspace, row, token);
    const { workspace, connections } = parts;
    return { ok: true, ...(await row.handle({ workspace, connections, app, baseUrl }, args)) };
  } catch (error) {
    if (error instanceof SlackError) return { ok: false, error: error.code, ...error.details };
    parts.log.error({ err: error, method: name }, 'a sandbox method failed');
    return { ok: false, error: 'internal_error' };
  }
}

/** docs.slack.dev/reference/methods: `not_authed` without a token, `invalid_auth` with one that is nobody's. */
function authenticate({ directory }: Workspace, row: Method, token: unknown): App {
  if (typeof token !== 'string' || token === '') throw new SlackError('not_authed');
  const byBot = directory.appByBotToken(token);
  const byApp = directory.appByAppToken(token);
  if (!byBot && !byApp) throw new SlackError('invalid_auth');
  const app = row.token === 'app' ? byApp : byBot;
  if (!app && row.name !== 'auth.test' && row.name !== 'api.test')
    throw new SlackError('not_allowed_token_type');
  const known = app ?? byApp ?? byBot;
  if (!known) throw new SlackError('invalid_auth');
  return known;
}

function argumentsOf(request: FastifyRequest): Record<string, unknown> {
  const query = request.query as Record<string, unknown>;
  const body = request.body;
  return { ...query, ...(typeof body === 'object' && body !== null ? body : {}) };
}

function misbehave(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  switch (fault.kind) {
    case 'cut':
    case 'answer_lost':
      reply.hijack();
      request.raw.socket.destroy();
      return reply;
    case 'rate_limited':
      return reply
        .code(429)
        .header('retry-after', String(fault.retryAfter))
        .send({ ok: false, error: 'ratelimited' });
    case 'error':
      return reply.send({ ok: false, error: fault.error });
    case 'http_500':
      return reply.code(500).type('text/html').send('<html><body>Server Error</body></html>');
  }
}

function record(
  { workspace }: WebApiParts,
  method: string,
  args: Record<string, unknown>,
  answer: Answer,
  fault: Fault | undefined,
): void {
  workspace.journal.record('api_call', {
    method,
    args,
    ok: answer['ok'] === true,
    ...(typeof answer['error'] === 'string' ? { error: answer['error'] } : {}),
    ...(fault ? { fault: fault.kind } : {}),
  });
}
