import { fileURLToPath } from 'node:url';

import type { FastifyInstance } from 'fastify';

import { servePageFiles } from '../platform/http/index.ts';
import { EMOJI_GROUPS } from '../platform/text/emoji.ts';

const FOLDER = fileURLToPath(new URL('./page/', import.meta.url));

/** The page runs only its own scripts and styles, and talks only to this server. */
const POLICY =
  "default-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/** The workspace's page at `/`, its plain files under `/page/`, and the names of emoji. */
export function servePage(server: FastifyInstance): void {
  servePageFiles(server, { folder: FOLDER, prefix: '/page/', policy: POLICY });
  server.get('/favicon.ico', (_request, reply) => reply.redirect('/page/icon.svg'));
  const emoji = JSON.stringify(EMOJI_GROUPS);
  server.get('/emoji.json', (_request, reply) =>
    reply.type('application/json').header('cache-control', 'max-age=3600').send(emoji),
  );
}
