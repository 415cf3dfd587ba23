import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

import { EMOJI_GROUPS } from '../platform/text/emoji.ts';
import type { Person } from './workspace/directory.ts';
import { avatarHash } from './workspace/people.ts';
import type { Workspaces } from './workspace/workspaces.ts';

/** The page as `npm run build:ui` makes it, in a checkout as in the package. */
const FOLDER = fileURLToPath(new URL('../../dist/ui/sandbox/', import.meta.url));
const ICON = fileURLToPath(new URL('icon.svg', import.meta.url));
const NOT_BUILT =
  '<!doctype html><title>Sandbox</title><p>The pages are not built. Run <code>npm ci</code> and <code>npm run build:ui</code>, then reload.</p>';

/** Written into the page by its build (.config/vite.config.ts). */
const NONCE = /\bNONCE\b/g;
/**
 * The page runs only its own scripts and styles, and talks only to this server. The nonce is for the one style element
 * that React Aria adds.
 */
const policyWith = (nonce: string) =>
  `default-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'`;

/**
 * The workspace's page at `/`, its files, whose names change with their content, below `/page/assets/`, and the names
 * of emoji.
 */
export function servePage(server: FastifyInstance): void {
  server.register(fastifyStatic, {
    root: `${FOLDER}assets/`,
    prefix: '/page/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    maxAge: '1y',
    immutable: true,
    // Browsers keep these files, and never ask whether one has changed or for a part of it.
    etag: false,
    lastModified: false,
    acceptRanges: false,
    setHeaders: (reply) => {
      reply.header('x-content-type-options', 'nosniff');
    },
  });
  server.get('/', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64url');
    reply.type('text/html; charset=utf-8').headers({
      'cache-control': 'no-cache',
      'content-security-policy': policyWith(nonce),
      'x-content-type-options': 'nosniff',
    });
    // Read each time: a build replaces it while the program runs.
    const html = await readIfThere(`${FOLDER}index.html`);
    return html === undefined ? reply.code(503).send(NOT_BUILT) : reply.send(html.replaceAll(NONCE, nonce));
  });
  // A permalink opens the message's channel, or its thread, in the page.
  server.get<{ Params: { channel: string; point: string }; Querystring: { thread_ts?: unknown } }>(
    '/archives/:channel/:point',
    (request, reply) => {
      const { channel, point } = request.params;
      const [, seconds, rest] = /^p(\d{10})(\d{6})$/.exec(point) ?? [];
      const { thread_ts: thread } = request.query;
      if (!/^[A-Z0-9]+$/.test(channel) || seconds === undefined)
        return reply.code(404).send('No such message.');
      const isReply = typeof thread === 'string' && /^\d{10}\.\d{6}$/.test(thread);
      return reply.redirect(`/#${channel}/${isReply ? thread : `${seconds}.${rest ?? ''}`}`);
    },
  );
  server.get('/page/icon.svg', async (_request, reply) => {
    reply.type('image/svg+xml').header('cache-control', 'max-age=3600');
    return reply.send(await readFile(ICON, 'utf8'));
  });
  server.get('/favicon.ico', (_request, reply) => reply.redirect('/page/icon.svg'));
  const emoji = JSON.stringify(EMOJI_GROUPS);
  const packedEmoji = brotliCompressSync(emoji);
  server.get('/emoji.json', (request, reply) => {
    reply
      .type('application/json; charset=utf-8')
      .headers({ 'cache-control': 'max-age=3600', vary: 'accept-encoding' });
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(emoji);
    return reply.header('content-encoding', 'br').send(packedEmoji);
  });
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Pictures that the sandbox draws: people's (`/avatar/…`) and custom emoji without one of their own (`/emoji/…`). */
export function servePictures(server: FastifyInstance, workspaces: Workspaces): void {
  const directories = () => workspaces.all.map(({ directory }) => directory);
  const serve = (folder: string, draw: (name: string) => string | undefined) =>
    server.get<{ Params: { file: string } }>(`/${folder}/:file`, (request, reply) => {
      const picture = draw(request.params.file.replace(/\.svg$/, ''));
      if (picture === undefined) return reply.code(404).send({ error: 'not_found' });
      return reply.type('image/svg+xml').header('cache-control', 'max-age=3600').send(picture);
    });
  serve('avatar', (id) => {
    const person = directories()
      .map(({ people }) => people.get(id))
      .find((one) => one !== undefined);
    return person && avatar(person);
  });
  serve('emoji', (name) =>
    directories().some(({ emoji }) => emoji.has(name)) ? initialSquare(name, hueOf(name)) : undefined,
  );
}

/** The colour of a person depends on their id and picture; all apps have the same one. */
function avatar(person: Person): string {
  return initialSquare(person.name, person.isBot ? 175 : hueOf(avatarHash(person)));
}

function hueOf(text: string): number {
  return Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
}

/** A square with an initial. */
function initialSquare(name: string, hue: number): string {
  const initial = (name.charAt(0).toUpperCase() || '?').replace(/[<>&"']/, '?');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 72 72"><rect width="72" height="72" rx="16" fill="hsl(${hue} 42% 40%)"/><text x="36" y="38" fill="#fff" font-family="system-ui,sans-serif" font-size="34" font-weight="600" text-anchor="middle" dominant-baseline="middle">${initial}</text></svg>`;
}
