import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { parseJsonBody, sendProblem } from '../../../platform/http/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { ServiceDb } from '../../handler.ts';
import type { Admission } from '../../http/admission.ts';
import { toProblem } from '../../http/errors.ts';
import { TOKEN_HEADER } from '../../keys/token.ts';
import { callerWithGrant, isAccessToken } from '../../oauth/grants.ts';
import { RESOURCE_METADATA_PATH } from '../../oauth/plugin.ts';
import { allowedBy } from '../../oauth/scopes.ts';
import { malformed, ServiceProblem } from '../../problem.ts';
import type { Assist } from '../assist.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import { ticketName } from '../tools/ticket-summary.ts';
import { type ActingAgent, type ToolUser, toolUser, restrictUser } from '../users.ts';
import { createServer, type Sdk } from './server.ts';
import { callerOfSlack, isOfSlack, requireSlackSignature } from './slack-identity.ts';

/** The AI agent that acts with an API key, and the ticket that it works on. */
const AGENT_HEADERS = { agent: 'x-ai-agent', ticket: 'x-ticket' } as const;

/** What a client sends before anybody asks for something, and whoever asks: they may use nothing. */
const OF_NOBODY = /^(initialize|ping|server\/discover|notifications\/\w+)$/;
const NOBODY: ToolUser = {
  caller: { keyId: null, role: 'read', source: 'API', workspaceId: '', workspaceIds: [], personId: null },
  switches: { read: false, write: false, send: false },
};

export interface McpOptions {
  db: ServiceDb;
  assist: Assist;
  admission: Admission;
  log: Log;
  clock: Clock;
  publicUrl: string;
  version: string;
  /** With it, Slack asks for its people, whom it names. */
  slackSigningSecret?: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    toolUser: ToolUser | null;
    /** Its headers say that Slack signed it. */
    isOfSlack: boolean;
  }
}

/**
 * Creates the endpoint of the Model Context Protocol, by its transport *Streamable HTTP*; registered under `/mcp`. Each
 * request brings its API key and is answered by a server of its own, so any process answers any request, and nothing is
 * held for a client between two of them.
 */
export function createMcpPlugin({
  db,
  assist,
  admission,
  log,
  clock,
  publicUrl,
  version,
  slackSigningSecret,
}: McpOptions): FastifyPluginAsync {
  // Loaded with the first request: most help desks start without one.
  let loading: Promise<Sdk> | undefined;
  /** Returns the user of a request by its token; throws 401, 403 and 429. */
  const userOf = async (request: FastifyRequest, reply: FastifyReply): Promise<ToolUser> => {
    const token = tokenOf(request);
    const granted =
      token !== undefined && isAccessToken(token) ? await callerWithGrant(db, token, clock.now()) : undefined;
    const caller = granted
      ? admission.count(granted.caller, reply)
      : await admission.admitToken(token, request, reply, 'as `Authorization: Bearer <key>`');
    const user = await toolUser(db, caller, actingAgent(request));
    return granted ? restrictUser(user, allowedBy(granted.scopes)) : user;
  };

  /** Returns the user for whom Slack asks, whose signature was checked with the body. */
  const userInSlack = async (request: FastifyRequest, reply: FastifyReply): Promise<ToolUser> => {
    const { method } = (request.body ?? {}) as { method?: unknown };
    if (typeof method === 'string' && OF_NOBODY.test(method)) return NOBODY;
    return toolUser(db, admission.count(await callerOfSlack(db, request.body), reply));
  };

  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
      try {
        // Before anything parses it.
        if (request.isOfSlack) requireSlackSignature(request, body as Buffer, slackSigningSecret ?? '');
        done(null, parseJsonBody(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    });
    scope.decorateRequest('toolUser', null);
    scope.decorateRequest('isOfSlack', false);
    scope.setErrorHandler(async (error, request, reply) => {
      const problem = toProblem(error);
      if (problem.status >= 500) log.error({ err: error, requestId: request.id }, 'request failed');
      if (problem.status === 401)
        reply.header('www-authenticate', `Bearer resource_metadata="${publicUrl}${RESOURCE_METADATA_PATH}"`);
      return sendProblem(reply, problem);
    });
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/',
      bodyLimit: ASSIST_LIMITS.requestBytes,
      // Before the body is read.
      onRequest: async (request, reply) => {
        requireOwnOrigin(request, publicUrl);
        request.isOfSlack =
          slackSigningSecret !== undefined && request.method === 'POST' && isOfSlack(request, clock.now());
        if (request.isOfSlack) admission.limitAddress(request, reply);
        else request.toolUser = await userOf(request, reply);
      },
      handler: async (request, reply) => {
        const user = request.isOfSlack ? await userInSlack(request, reply) : request.toolUser;
        if (user === null) throw new TypeError('a route without authentication');
        const sdk = await (loading ??= import('@modelcontextprotocol/server'));
        const handler = sdk.createMcpHandler(() => createServer(sdk, { assist, user, version }), {
          // Nothing here changes while a client looks at it, so there is nothing to listen to.
          maxSubscriptions: 0,
          keepAliveMs: 0,
          onerror: (error) =>
            log.debug({ err: error, requestId: request.id }, 'a request of MCP was refused'),
        });
        try {
          const answer = await handler.fetch(webRequest(request, reply, publicUrl), {
            ...(request.body !== undefined && { parsedBody: request.body }),
          });
          return await sendAnswer(reply, answer);
        } finally {
          await handler.close();
        }
      },
    });
  };
}

/** Returns the API key or token of a request: as other clients of the API send it, or as those of MCP do. */
function tokenOf({ headers }: FastifyRequest): string | undefined {
  const own = headers[TOKEN_HEADER];
  if (typeof own === 'string') return own;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** Throws 403 for a page of another site, which a browser may have been led to send requests from. */
function requireOwnOrigin({ headers: { origin } }: FastifyRequest, publicUrl: string): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin)
    throw new ServiceProblem('FORBIDDEN', 'Pages of other sites may not use this.');
}

/** Returns the AI agent that acts; undefined if none does. */
function actingAgent({ headers }: FastifyRequest): ActingAgent | undefined {
  const [id, ticket] = [headers[AGENT_HEADERS.agent], headers[AGENT_HEADERS.ticket]];
  if (id === undefined && ticket === undefined) return undefined;
  const [agent, on] = [ticketName.safeParse(id), ticketName.safeParse(ticket)];
  if (!agent.success || !on.success)
    throw malformed([
      {
        path: AGENT_HEADERS.agent,
        message: `Send ${AGENT_HEADERS.agent} and ${AGENT_HEADERS.ticket} together`,
      },
    ]);
  return { id: agent.data, ticket: on.data };
}

/** Returns a request as the package takes it; its body was parsed already. It is aborted when the client goes away. */
function webRequest(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && name !== TOKEN_HEADER && name !== 'authorization')
      headers.set(name, value);
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return new Request(new URL('/mcp', publicUrl), { method: request.method, headers, signal: gone.signal });
}

/** Sends an answer whole: it is bounded, and a client that reads slowly holds nothing but its bytes. */
async function sendAnswer(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const body = await answer.text();
  reply.code(answer.status);
  for (const [name, value] of answer.headers) if (!HELD.has(name)) reply.header(name, value);
  return reply.send(body);
}

/** Headers that the server sets itself. */
const HELD: ReadonlySet<string> = new Set(['content-length', 'connection', 'transfer-encoding']);
