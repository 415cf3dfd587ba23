import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../../platform/log.ts';
import type { Connections } from '../delivery/connections.ts';
import type { CallFault } from '../faults/call-fault.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { cut, misbehave } from '../faults/misbehave.ts';
import type { App } from '../workspace/directory.ts';
import type { Schedule } from '../workspace/scheduled.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Answer, type Method, SlackError } from './method.ts';
import { METHODS } from './methods/index.ts';

export interface WebApiParts {
  workspace: Workspace;
  connections: Connections;
  schedule: Schedule;
  faults: CallFaults;
  log: Log;
}

/** `POST` and `GET /api/:method`, as slack.com serves it: HTTP 200 also for refusals. */
export function serveWebApi(server: FastifyInstance, parts: WebApiParts): void {
  server.route<{ Params: { method: string } }>({
    method: ['GET', 'POST'],
    url: '/api/:method',
    onRequest: async (request, reply) => {
      if (!parts.faults.refuses(request.params.method)) return;
      parts.workspace.journal.record('fault', { fault: 'refused', method: request.params.method });
      cut(request, reply);
    },
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
  const { workspace, faults } = parts;
  const started = workspace.clock.now().getTime();
  const record = (answer: Answer | undefined, struck?: CallFault) =>
    workspace.journal.record('api_call', {
      method: name,
      args,
      ...outcomeOf(answer, struck),
      ms: workspace.clock.now().getTime() - started,
    });
  const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const work = () =>
    answerTo(parts, name, bearer ?? tokenField, args, `http://${request.headers.host ?? ''}`);

  const fault = faults.take(name, args);
  if (!fault) {
    const answer = await work();
    record(answer);
    return reply.send(answer);
  }
  workspace.journal.record('fault', { fault: fault.kind, method: name });
  const send = (answer: Answer) => reply.send(answer);
  record(await misbehave(fault, { request, reply, faults, work, send }), fault);
  return reply;
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
    const { workspace, connections, schedule } = parts;
    return { ok: true, ...(await row.handle({ workspace, connections, schedule, app, baseUrl }, args)) };
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

/** What the log says of an answer, or of why there is none. */
function outcomeOf(
  answer: Answer | undefined,
  fault: CallFault | undefined,
): { ok: boolean; answer?: Answer; error?: string; fault?: string } {
  const error = answer?.['error'] ?? (answer ? undefined : fault?.kind);
  return {
    ok: answer?.['ok'] === true,
    ...(answer ? { answer } : {}),
    ...(typeof error === 'string' ? { error } : {}),
    ...(fault ? { fault: fault.kind } : {}),
  };
}
