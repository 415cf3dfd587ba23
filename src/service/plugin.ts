import type { FastifyInstance, FastifyPluginAsync } from 'fastify';

import {
  BYTE_ROUTES,
  CREATED_HEADER,
  type Method,
  type RouteName,
  type Route,
  routes,
  TICKET_HEADERS,
} from '../contract/index.ts';
import type { Clock } from '../platform/clock.ts';
import { METHOD_NOT_ALLOWED, NOT_FOUND, receiveJsonBodies, sendProblem } from '../platform/http/index.ts';
import type { Log } from '../platform/log.ts';
import { requireOwnIdentity } from './access/identity.ts';
import { type FileRoutesOptions, registerFileRoutes } from './files/routes.ts';
import type { Call, CreatedOrFound, Handlers, ServiceDb, Tools } from './handler.ts';
import { ServiceProblem } from './problem.ts';
import { ICON_ROUTE, type IconParams, sendIcon } from './workspaces/icon.ts';
import type { Authenticated } from './keys/authenticated.ts';
import type { KnownCallers } from './http/known-callers.ts';
import { withOpenings } from './tickets/opened.ts';
import type { ServiceEngine } from './work.ts';
import type { Admission } from './http/admission.ts';
import { runHandler } from './http/answer.ts';
import { toProblem } from './http/errors.ts';
import { jsonAnswer } from './http/json-answer.ts';
import { LargeAnswers } from './http/large-answers.ts';
import { requireRole } from './http/roles.ts';
import { validate } from './http/validate.ts';

export interface PluginOptions {
  db: ServiceDb;
  engine: ServiceEngine;
  keys: KnownCallers;
  handlers: Handlers;
  tools: Tools;
  log: Log;
  clock: Clock;
  admission: Admission;
  version: string;
  files: FileRoutesOptions['files'];
}

/**
 * Operations that end or change callers: keys, sessions, and what a person may do. The process that serves one forgets
 * the callers that it knows before it answers; the other processes are notified.
 */
const CHANGE_CALLERS: ReadonlySet<RouteName> = new Set([
  'createWorkspace',
  'eraseUser',
  'putChatTeam',
  'removeIdentity',
  'revokeApiKey',
  'takeOverApiKey',
  'updateUser',
  'endSession',
]);

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Creates the API of the specification from the route table; registered under `/api`. */
export function createPlugin(options: PluginOptions): FastifyPluginAsync {
  const { db, log, version, admission } = options;
  const largeAnswers = new LargeAnswers();
  return async (scope) => {
    receiveJsonBodies(scope);
    scope.decorateRequest('caller', null);
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('x-service-version', version);
    });
    scope.setErrorHandler(async (error, request, reply) => {
      const problem = toProblem(error);
      if (problem.status >= 500) log.error({ err: error, requestId: request.id }, 'request failed');
      if (problem.status === 401) reply.header('www-authenticate', 'ApiKey');
      if (error instanceof ServiceProblem && error.retryAfter !== undefined)
        reply.header('retry-after', String(error.retryAfter));
      return sendProblem(reply, problem);
    });
    // Before the body is read, which the server does not do for an address that does not exist.
    scope.addHook('onRequest', async (request, reply) => {
      if (request.is404) admission.limitAddress(request, reply);
    });
    scope.setNotFoundHandler((_request, reply) => sendProblem(reply, NOT_FOUND));
    for (const [name, route] of Object.entries(routes) as [RouteName, Route][])
      registerRoute(scope, name, route, options, largeAnswers);
    await scope.register(async (bytes) => {
      registerFileRoutes(bytes, {
        files: options.files,
        clock: options.clock,
        patternOf,
        admit: (request, reply) => admission.admit(request, reply),
      });
    });
    // Requested by Slack and by browsers, which send no key; everyone who saw the workspace knows its URL.
    scope.get<IconParams>(ICON_ROUTE, {
      onRequest: async (request, reply) => admission.limitAddress(request, reply),
      handler: (request, reply) => sendIcon(db, request.params, reply),
    });
    refuseOtherMethods(scope, admission);
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Authenticated | null;
  }
}

function registerRoute(
  scope: FastifyInstance,
  name: RouteName,
  route: Route,
  options: PluginOptions,
  largeAnswers: LargeAnswers,
): void {
  scope.route({
    method: route.method,
    url: patternOf(route.path),
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    // Before the body is read: a caller without permission must not be able to make the server read a megabyte.
    onRequest: async (request, reply) => {
      request.caller = await options.admission.admit(request, reply);
      requireRole(route, request.caller);
    },
    handler: async (request, reply) => {
      const { params, query, body } = validate(route, request);
      if (request.caller === null) throw new TypeError('a route without authentication');
      const takeLargeAnswer = largeAnswers.of(request.caller, reply.raw);
      const caller = { ...request.caller, takeLargeAnswer };
      requireOwnIdentity(caller, body);
      const call = { caller, params, query, body, now: options.clock.now() } as Omit<
        Call<typeof name>,
        'outbox'
      >;
      const answer = await runHandler(name, withOpenings(call, options.tools.newId), options);
      if (CHANGE_CALLERS.has(name)) options.keys.forget();
      const { record, created, ticket }: Partial<CreatedOrFound<unknown>> = route.saysCreated
        ? (answer as CreatedOrFound<unknown>)
        : { record: answer };
      if (created !== undefined) reply.header(CREATED_HEADER, String(created));
      if (ticket)
        reply.headers({
          [TICKET_HEADERS.requester]: encodeURIComponent(ticket.requesterId ?? ''),
          [TICKET_HEADERS.statusGroup]: encodeURIComponent(ticket.statusGroup),
        });
      const schema =
        route.thin && (query as { responseType?: string }).responseType === 'thin'
          ? route.thin
          : route.answer;
      return reply.type('application/json; charset=utf-8').send(jsonAnswer(schema, record));
    },
  });
}

/** Returns 405 with the allowed methods, instead of 404. */
function refuseOtherMethods(scope: FastifyInstance, admission: Admission): void {
  const taken = new Map<string, Set<Method>>();
  for (const route of [...Object.values(routes), ...Object.values(BYTE_ROUTES)]) {
    const pattern = patternOf(route.path);
    taken.set(pattern, (taken.get(pattern) ?? new Set()).add(route.method));
  }
  for (const [url, methods] of taken) {
    const others = [...METHODS.filter((method) => !methods.has(method)), 'PATCH'];
    const allow = [...methods].join(', ');
    scope.route({
      method: others,
      url,
      onRequest: async (request, reply) => {
        admission.limitAddress(request, reply);
        return await sendProblem(reply.header('allow', allow), METHOD_NOT_ALLOWED);
      },
      handler: (_request, reply) => reply,
    });
  }
}

/** Returns `/tickets/{id}` in the framework's syntax. */
function patternOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
