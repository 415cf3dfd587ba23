import Fastify, { type FastifyInstance } from 'fastify';

import { respond } from './interactions/response-urls.ts';
import { SlackError } from './web-api/method.ts';
import type { Workspace } from './workspace/workspace.ts';

/** Slack takes up to about 4 MB in one call; a file goes elsewhere. */
const BODY_LIMIT = 4 * 1024 * 1024;

/** The HTTP server without its routes: JSON and form bodies. */
export function createHttp(): FastifyInstance {
  const server = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))));
    },
  );
  return server;
}

/** `POST /response/:token`: response addresses; Slack answers `ok`, or 404 with the reason. */
export function serveResponses(server: FastifyInstance, workspace: Workspace): void {
  server.post<{ Params: { token: string } }>('/response/:token', async (request, reply) => {
    const args = request.body as Record<string, unknown>;
    const record = (error?: string) =>
      workspace.journal.record('api_call', {
        method: 'response_url',
        args,
        ok: error === undefined,
        ...(error === undefined ? {} : { error }),
      });
    try {
      await respond(workspace, request.params.token, args);
      record();
      return await reply.type('text/html').send('ok');
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      record(error.code);
      const gone = error.code === 'expired_url' || error.code === 'used_url';
      return reply.code(gone ? 404 : 200).send({ ok: false, error: error.code });
    }
  });
}
