import { fileURLToPath } from 'node:url';

import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance } from 'fastify';

import { frameworkProblem, NOT_FOUND, sendProblem } from './problem.ts';

/** The styles shared by all pages: `base.css`, with the palette of both colour schemes. */
const SHARED = fileURLToPath(new URL('../page/', import.meta.url));

export interface PageFiles {
  /** Absolute path of the page's files. */
  folder: string;
  /** The files are served below `/page/`, together with `base.css`. */
  prefix: string;
  /** The page's Content-Security-Policy. */
  policy: string;
}

/**
 * Serves a page at `/` and its static files; the browser revalidates each time. What the file server refuses (a path
 * outside the folder, a NUL in it) is 404.
 */
export function servePageFiles(server: FastifyInstance, { folder, prefix, policy }: PageFiles): void {
  server.register(async (scope) => {
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      const refused = error.statusCode !== undefined && error.statusCode < 500;
      if (!refused) request.log.error({ err: error }, 'a page file could not be read');
      return sendProblem(reply, refused ? NOT_FOUND : frameworkProblem(error));
    });
    await scope.register(fastifyStatic, {
      root: [folder, SHARED],
      prefix,
      cacheControl: false,
      setHeaders: (reply) => {
        reply.header('cache-control', 'no-cache');
        reply.header('content-security-policy', policy);
        reply.header('x-content-type-options', 'nosniff');
      },
    });
    scope.get('/', (_request, reply) => reply.sendFile('index.html'));
  });
}
