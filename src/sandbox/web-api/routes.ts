import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../../platform/log.ts';
import type { Connections } from '../delivery/connections.ts';
import type { CallFault } from '../faults/call-fault.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { cut, misbehave } from '../faults/misbehave.ts';
import { receiveRawBodies } from '../../platform/http/index.ts';
import type { App } from '../workspace/directory.ts';
import type { Schedule } from '../workspace/scheduled.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Answer, type Method, SlackError } from './method.ts';
import { METHODS } from './methods/index.ts';
import { type CallRequest, readCall } from './request.ts';
import { acceptedScopes, missingScopes, permittedArguments } from './scopes.ts';

/** An app-level token is for Socket Mode alone here (docs.slack.dev/authentication/tokens, "App-level tokens"). */
const APP_TOKEN_SCOPES: ReadonlySet<string> = new Set(['connections:write']);

export interface WebApiParts {
  workspace: Workspace;
  connections: Connections;
  schedule: Schedule;
  faults: CallFaults;
  log: Log;
}

/** `POST` and `GET /api/:method`, as slack.com serves it: HTTP 200 also for refusals. */
export function serveWebApi(server: FastifyInstance, parts: WebApiParts): void {
  void server.register(async (scope) => {
    // Slack says of an unreadable body what is wrong with it, with HTTP 200.
    receiveRawBodies(scope);
    scope.setErrorHandler<FastifyError>((error, _request, reply) => {
      if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
      return reply.code(200).send({ ok: false, error: 'invalid_post_type' });
    });
    scope.route<{ Params: { method: string } }>({
      method: ['GET', 'POST'],
      url: '/api/:method',
      onRequest: async (request, reply) => {
        if (!parts.faults.refuses(request.params.method)) return;
        parts.workspace.journal.record('fault', { fault: 'refused', method: request.params.method });
        cut(request, reply);
      },
      handler: (request, reply) => serveCall(parts, request.params.method, request, reply),
    });
  });
}

async function serveCall(
  parts: WebApiParts,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const read = await readCall(request);
  const { token: tokenField, ...args } = read.args;
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
  const work = async () => {
    const { answer, headers } = await answerTo(parts, name, bearer ?? tokenField, args, {
      baseUrl: `http://${request.headers.host ?? ''}`,
      error: read.error,
    });
    void reply.headers(headers);
    return warned(answer, read.warnings);
  };

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
  how: { baseUrl: string; error: CallRequest['error'] },
): Promise<{ answer: Answer; headers: Record<string, string> }> {
  const headers: Record<string, string> = {};
  const row = METHODS.get(name);
  if (!row) return { answer: { ok: false, error: 'unknown_method', req_method: name }, headers };
  try {
    if (how.error) throw new SlackError(how.error);
    const app = authenticate(parts.workspace, row, token);
    const granted = row.token === 'app' ? APP_TOKEN_SCOPES : app.scopes;
    if (granted) headers['x-oauth-scopes'] = [...granted].join(',');
    const accepted = acceptedScopes(row.scopes);
    if (accepted.length > 0) headers['x-accepted-oauth-scopes'] = accepted.join(',');
    const missing = missingScopes(granted, row.scopes);
    if (missing) throw new SlackError('missing_scope', missing);
    const { workspace, connections, schedule } = parts;
    const call = { workspace, connections, schedule, app, scopes: row.scopes, baseUrl: how.baseUrl };
    const done = await row.handle(call, permittedArguments(granted, name, args));
    return { answer: { ok: true, ...done }, headers };
  } catch (error) {
    if (error instanceof SlackError)
      return { answer: { ok: false, error: error.code, ...error.details }, headers };
    parts.log.error({ err: error, method: name }, 'a sandbox method failed');
    return { answer: { ok: false, error: 'internal_error' }, headers };
  }
}

/** An answer with what Slack has to say of how the call was sent, beside what it says of the call itself. */
function warned(answer: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return answer;
  const metadata = (answer['response_metadata'] ?? {}) as { warnings?: string[] };
  const all = [...(metadata.warnings ?? []), ...warnings];
  return { ...answer, warning: all.join(','), response_metadata: { ...metadata, warnings: all } };
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
