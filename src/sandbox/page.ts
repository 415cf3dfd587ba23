import { fileURLToPath } from 'node:url';

import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

import type { Directory, Person } from './workspace/directory.ts';

const FOLDER = fileURLToPath(new URL('./page/', import.meta.url));

/** The page runs only its own scripts and styles, and talks only to this server. */
const POLICY =
  "default-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/** The workspace's page at `/`, its plain files under `/page/`, and people's pictures. */
export function servePage(server: FastifyInstance, directory: Directory): void {
  server.register(fastifyStatic, {
    root: FOLDER,
    prefix: '/page/',
    cacheControl: false,
    setHeaders: (reply) => {
      reply.header('cache-control', 'no-cache');
      reply.header('content-security-policy', POLICY);
      reply.header('x-content-type-options', 'nosniff');
    },
  });
  server.get('/', (_request, reply) => reply.sendFile('index.html'));
  server.get('/favicon.ico', (_request, reply) => reply.redirect('/page/icon.svg'));

  server.get<{ Params: { file: string } }>('/avatar/:file', (request, reply) => {
    const person = directory.people.get(request.params.file.replace(/\.svg$/, ''));
    if (!person) return reply.code(404).send({ error: 'not_found' });
    return reply.type('image/svg+xml').header('cache-control', 'max-age=3600').send(avatar(person));
  });
}

/** A square with an initial; people have a colour by their id, apps all the same. */
function avatar({ id, name, isBot }: Person): string {
  const hue = isBot
    ? 175
    : Array.from(id).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const initial = (name.charAt(0).toUpperCase() || '?').replace(/[<>&"']/, '?');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 72 72"><rect width="72" height="72" rx="16" fill="hsl(${hue} 42% 40%)"/><text x="36" y="38" fill="#fff" font-family="system-ui,sans-serif" font-size="34" font-weight="600" text-anchor="middle" dominant-baseline="middle">${initial}</text></svg>`;
}
