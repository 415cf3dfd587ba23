import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { receiveRawBodies } from '../../platform/http/index.ts';
import type { Log } from '../../platform/log.ts';
import type { AlarmClock } from '../clock.ts';
import type { Connections } from '../delivery/connections.ts';
import { type CallFaults, cutConnection, misbehave } from '../faults/call-faults.ts';
import type { CallFault } from '../faults/rules.ts';
import { formParts, KEYLESS_BYTES } from '../http.ts';
import type { SignIns } from '../oauth/sign-ins.ts';
import type { Journal } from '../journal.ts';
import { storable } from '../values.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { authorizationIn, callerOf, isToken, teamOfCall, workspaceOfCall } from './caller.ts';
import { type Answer, type OpenCall, SlackError } from './method.ts';
import { APP_METHODS, METHODS, OPEN_METHODS, ORGANISATION_METHODS } from './methods/index.ts';
import { acceptedScopes, missingScopes, permittedArguments } from './scopes.ts';

/** An app-level token is for Socket Mode alone here (docs.slack.dev/authentication/tokens, "App-level tokens"). */
const APP_TOKEN_SCOPES: ReadonlySet<string> = new Set(['connections:write']);

export interface WebApiParts {
  workspaces: Workspaces;
  journal: Journal;
  clock: AlarmClock;
  connections: Connections;
  faults: CallFaults;
  signIns: SignIns;
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
        const { bearer, basic } = authorizationIn(request.headers.authorization);
        const team = teamOfCall(parts.workspaces, bearer);
        const isKeyless = basic === undefined && !isToken(parts.workspaces, bearer);
        const length = request.headers['content-length'];
        // A token may also be in the body; a request without one in its headers must not make the server hold a large
        // body.
        if (isKeyless && request.method === 'POST' && Number(length ?? Infinity) > KEYLESS_BYTES)
          return reply.code(413).send({ ok: false, error: 'not_authed' });
        if (!parts.faults.refuses(request.params.method, team)) return undefined;
        parts.journal.record('fault', { fault: 'refused', method: request.params.method });
        cutConnection(request, reply);
        return undefined;
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
  const { workspaces, faults, journal, clock } = parts;
  const started = clock.now().getTime();
  const { bearer, basic } = authorizationIn(request.headers.authorization);
  const token = bearer ?? tokenField;
  const team = teamOfCall(workspaces, token, args);
  const record = (answer: Answer | undefined, struck?: CallFault) =>
    journal.record('api_call', {
      method: name,
      args: withoutSecrets(args),
      ...outcomeOf(answer && withoutSecrets(answer), struck),
      ...(team === undefined ? {} : { team }),
      ms: clock.now().getTime() - started,
    });
  const work = async () => {
    const { answer, headers } = await answerTo(parts, name, token, args, {
      basic,
      baseUrl: `http://${request.headers.host ?? ''}`,
      error: read.error,
    });
    void reply.headers(headers);
    return warned(answer, read.warnings);
  };

  const fault = faults.take(name, args, team);
  if (!fault) {
    const answer = await work();
    record(answer);
    return reply.send(answer);
  }
  journal.record('fault', { fault: fault.kind, method: name });
  const send = (answer: Answer) => reply.send(answer);
  record(await misbehave(fault, { request, reply, faults, work, send }), fault);
  return reply;
}

async function answerTo(
  parts: WebApiParts,
  name: string,
  token: unknown,
  args: Record<string, unknown>,
  how: { baseUrl: string; error: CallRequest['error']; basic: OpenCall['basic'] },
): Promise<{ answer: Answer; headers: Record<string, string> }> {
  const headers: Record<string, string> = {};
  try {
    const done = await perform(parts, name, token, args, { ...how, headers });
    return { answer: { ok: true, ...done }, headers };
  } catch (error) {
    if (error instanceof SlackError)
      return { answer: { ok: false, error: error.code, ...error.details }, headers };
    parts.log.error({ err: error, method: name }, 'a sandbox method failed');
    return { answer: { ok: false, error: 'internal_error' }, headers };
  }
}

/** Finds the method and the owner of the token, checks the scopes, and runs the method. */
async function perform(
  { workspaces, connections, signIns }: WebApiParts,
  name: string,
  token: unknown,
  args: Record<string, unknown>,
  how: {
    baseUrl: string;
    error: CallRequest['error'];
    basic: OpenCall['basic'];
    headers: Record<string, string>;
  },
): Promise<Answer> {
  const { baseUrl } = how;
  const open = OPEN_METHODS.get(name);
  const forBot = METHODS.get(name);
  const forApp = APP_METHODS.get(name);
  if (!open && !forBot && !forApp) throw new SlackError('unknown_method', { req_method: name });
  if (how.error) throw new SlackError(how.error);
  if (open) return open.handle({ workspaces, basic: how.basic, token, signIns, baseUrl }, args);
  const caller = callerOf(workspaces, token);
  const forOrganisation = caller.kind === 'organisation' ? ORGANISATION_METHODS.get(name) : undefined;
  const row = caller.kind === 'app' ? forApp : (forOrganisation ?? forBot);
  if (!row) throw new SlackError('not_allowed_token_type');
  const granted = caller.kind === 'app' ? APP_TOKEN_SCOPES : caller.app.scopes;
  if (granted) how.headers['x-oauth-scopes'] = [...granted].join(',');
  const accepted = acceptedScopes(row.scopes);
  if (accepted.length > 0) how.headers['x-accepted-oauth-scopes'] = accepted.join(',');
  const missing = missingScopes(granted, row.scopes);
  if (missing) throw new SlackError('missing_scope', missing);
  const permitted = permittedArguments(granted, name, args);
  if (caller.kind === 'app') {
    if (!forApp) throw new SlackError('not_allowed_token_type');
    return forApp.handle({ app: caller.app, connections, baseUrl }, permitted);
  }
  if (forOrganisation && caller.kind === 'organisation')
    return forOrganisation.handle({ workspaces, ...caller, baseUrl }, permitted);
  if (!forBot) throw new SlackError('not_allowed_token_type');
  const workspace =
    caller.kind === 'organisation' ? workspaceOfCall(workspaces, caller, name, args) : caller.workspace;
  const app = workspace.directory.apps.get(caller.app.id) ?? caller.app;
  const schedule = workspaces.scheduleOf(workspace);
  return forBot.handle(
    { workspaces, workspace, schedule, app, token: caller.token, scopes: row.scopes, baseUrl },
    permitted,
  );
}

/** Adds Slack's warnings about the request to the response. */
function warned(answer: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return answer;
  const metadata = (answer['response_metadata'] ?? {}) as { warnings?: string[] };
  const all = [...(metadata.warnings ?? []), ...warnings];
  return { ...answer, warning: all.join(','), response_metadata: { ...metadata, warnings: all } };
}

/** The log entry of a response, or of the reason why there is none. */
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

/** A parsed call: its arguments, and Slack's warnings about the request. */
export interface CallRequest {
  args: Record<string, unknown>;
  /** Why the body is unreadable (the error tables of all method pages). */
  error?:
    | 'invalid_post_type'
    | 'missing_post_type'
    | 'invalid_charset'
    | 'invalid_json'
    | 'json_not_object'
    | 'invalid_form_data';
  /** `missing_charset`, `superfluous_charset` (docs.slack.dev/apis/web-api, "Warnings"). */
  warnings: string[];
}

const CHARSETS = new Set(['utf-8', 'utf8', 'iso-8859-1']);

/** Reads the arguments of a call from its query and its body: a form, a form in parts, or JSON. */
export async function readCall(request: FastifyRequest): Promise<CallRequest> {
  const query = storable(request.query) as Record<string, unknown>;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (body.length === 0) return { args: query, warnings: [] };
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  const read = await readBody(type, body, charset, request.headers['content-type'] ?? '');
  if ('error' in read) return { args: query, error: read.error, warnings: [] };
  return { args: { ...query, ...read.fields }, warnings: warningsOf(type, charset) };
}

async function readBody(
  type: string,
  body: Buffer,
  charset: string | undefined,
  contentType: string,
): Promise<{ fields: Record<string, unknown> } | { error: NonNullable<CallRequest['error']> }> {
  if (charset !== undefined && !CHARSETS.has(charset.replaceAll('"', '')))
    return { error: 'invalid_charset' };
  switch (type) {
    case '':
      return { error: 'missing_post_type' };
    case 'application/json':
      return readJson(body.toString('utf8'));
    case 'application/x-www-form-urlencoded':
      return { fields: fieldsOf([...new URLSearchParams(body.toString('utf8'))]) };
    case 'multipart/form-data':
      try {
        const parts = await formParts(contentType, body);
        return {
          fields: fieldsOf(parts.flatMap((part) => ('text' in part ? [[part.name, part.text]] : []))),
        };
      } catch {
        return { error: 'invalid_form_data' };
      }
    case 'text/plain':
      return { fields: {} };
    default:
      return { error: 'invalid_post_type' };
  }
}

function readJson(
  text: string,
): { fields: Record<string, unknown> } | { error: NonNullable<CallRequest['error']> } {
  let value: unknown;
  try {
    value = storable(JSON.parse(text));
  } catch {
    // Not JSON, or nested too deeply to be read.
    return { error: 'invalid_json' };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { fields: value as Record<string, unknown> } : { error: 'json_not_object' };
}

function fieldsOf(entries: (readonly [string, string] | string[])[]): Record<string, unknown> {
  return storable(Object.fromEntries(entries) as unknown) as Record<string, unknown>;
}

function warningsOf(type: string, charset: string | undefined): string[] {
  if (type === 'application/json' && charset === undefined) return ['missing_charset'];
  if (type === 'application/x-www-form-urlencoded' && charset !== undefined) return ['superfluous_charset'];
  return [];
}

const SECRETS = ['client_secret', 'code', 'access_token', 'refresh_token', 'id_token'];

/** Arguments or a response for the log, without secrets. */
export function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  if (!SECRETS.some((name) => name in fields)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRETS.includes(name) ? '…' : value]),
  );
}
