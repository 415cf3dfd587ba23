import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { AnsweredError, ServiceError } from '../client/index.ts';
import { type Route, routes } from '../contract/index.ts';
import { sendProblem } from '../platform/http/index.ts';
import type { Clients } from './clients.ts';
import { sendCompressed } from './compressed.ts';
import type { Everywhere, Input } from './everywhere.ts';
import { OFFERED, type Offered } from './offered.ts';
import { isUnauthorized, malformed, problemOfError, SIGNED_OUT } from './refusal.ts';
import { sendOnce } from './send-once.ts';
import type { Session, Sessions } from './session.ts';
import { type Showing, withPresentation } from './shown.ts';
import { createTurns } from './turns.ts';

interface AnsweringOptions {
  clients: Clients;
  everywhere: Everywhere;
  showing: Showing;
}

const words = z.record(z.string(), z.string());

/** Messages of one answer: each also comes as HTML, which is longer than its text. Pages lead on by their cursor. */
const RENDERED_AT_MOST = 200;
/** Answers with messages that are made at once: each may take tens of megabytes while it is made. */
const RENDERED_AT_ONCE = 4;

/**
 * Limits the page of messages. Throws ServiceError for a page by offset: if it were shorter, the next one would skip
 * rows.
 */
function withRenderedLimit(name: Offered, input: Input): Input {
  const { limit, offset, skip } = input.query ?? {};
  if (name !== 'listTicketMessages' || !(Number(limit) > RENDERED_AT_MOST)) return input;
  if (offset === undefined && skip === undefined)
    return { ...input, query: { ...input.query, limit: RENDERED_AT_MOST } };
  const message = `At most ${RENDERED_AT_MOST} messages are shown at once. Send limit=${RENDERED_AT_MOST}, or page with cursor`;
  const issues = [{ path: 'limit', message }];
  const detail = { code: 'UNPROCESSABLE_CONTENT', message, issues, conflict: null, requestId: null } as const;
  throw new AnsweredError('GET /ticket-messages', 422, detail, undefined);
}

/** The author is always the signed-in user, never what the page sends; the service knows the person of a session. */
const withAuthor = (name: Offered, body: Record<string, unknown>, session: Session) => {
  const userId = session.kind === 'key' ? session.userId : undefined;
  switch (name) {
    case 'createTicket':
    case 'createTicketMessage':
      return { ...body, authorId: userId, source: 'WEB' };
    case 'updateTicket':
      return { ...body, approverId: userId, actorId: userId };
    case 'updateTicketMessage':
      return { ...body, actorId: userId };
    case 'addReaction':
    case 'removeReaction':
      return session.kind === 'key' ? { ...body, authorId: userId } : body;
    case 'claimTicket':
    case 'mergeTicket':
    case 'linkTicket':
    case 'rateTicket':
    case 'putPresence':
      return session.kind === 'key' ? { ...body, userId } : body;
    default:
      return body;
  }
};

/** What is deleted has no body: its query says who deletes it. */
const signedQuery = (name: Offered, query: Record<string, string>, session: Session) =>
  name === 'deleteTicketMessage' && session.kind === 'key'
    ? { ...query, actorId: session.userId ?? undefined }
    : query;

/** Answers an operation as the page sees it. Throws ServiceError. */
export type Answering = (session: Session, name: Offered, input: Input) => Promise<unknown>;

/** Reads and writes with the token of the session; each operation of `/desk/api` answers so. */
export function answering({ clients, everywhere, showing }: AnsweringOptions): Answering {
  const call = (token: string, name: Offered, input: Input): Promise<unknown> =>
    name === 'createTicketMessage'
      ? sendOnce({ token, clients, everywhere }, routes.createTicketMessage.body.parse(input.body))
      : everywhere.call(token, name, input);
  return async (session, name, input) =>
    withPresentation(await call(session.token, name, withRenderedLimit(name, input)), showing);
}

/** `/desk/api/…`: operations of the contract under their own paths, with the session instead of the token. */
export function operations(
  server: FastifyInstance,
  { sessions, answer }: { sessions: Sessions; answer: Answering },
): void {
  const turns = createTurns(RENDERED_AT_ONCE);
  for (const name of OFFERED) {
    const route: Route = routes[name];
    const schema = z.object({
      params: words,
      query: words,
      body: route.body ?? z.undefined().catch(undefined),
    });
    server.route({
      method: route.method,
      url: `/api${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      handler: async (request, reply) => {
        const session = sessions.read(request);
        if (!session) return sendProblem(reply, SIGNED_OUT);
        const { params, query, body: sent } = request;
        const { data: input, error: wrong } = schema.safeParse({ params, query, body: sent });
        if (!input) return sendProblem(reply, malformed(wrong));
        const body = input.body && withAuthor(name, input.body, session);
        try {
          const send = async () => {
            const signedInput = { ...input, query: signedQuery(name, input.query, session), body };
            const found = await answer(session, name, signedInput);
            // As text: Fastify sends null as an empty body.
            reply.type('application/json; charset=utf-8');
            return sendCompressed(request, reply, JSON.stringify(found));
          };
          return await (name === 'listTicketMessages' ? turns.take(session.token, send) : send());
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          if (isUnauthorized(error)) sessions.end(reply);
          return sendProblem(reply, problemOfError(error, session.kind, route.method !== 'GET'));
        }
      },
    });
  }
}
