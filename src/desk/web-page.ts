import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { sendCompressed } from './compressed.ts';
import type { FirstData } from './first-data.ts';

/** The page as `npm run build:ui` makes it, in a checkout as in the package. */
const FOLDER = fileURLToPath(new URL('../../dist/ui/desk/', import.meta.url));

/** Every address of the page; its router (src/ui/desk) knows the same. */
const PATHS = [
  '/',
  '/inbox',
  '/new',
  '/account',
  '/search',
  '/sign-in',
  '/tickets/*',
  '/views/*',
  '/settings',
  '/settings/*',
  '/analytics',
  '/analytics/*',
];

/** The pages of people who ask. */
const REQUESTS = '/requests';

/** Written into the page by its build (.config/vite.config.ts). */
const NONCE = /\bNONCE\b/g;
const NOT_BUILT =
  '<!doctype html><title>Desk</title><p>The pages are not built. Run <code>npm ci</code> and <code>npm run build:ui</code>, then reload.</p>';

/**
 * Scripts, styles and calls of this server alone; no external picture reveals who reads a ticket. The nonce is for the
 * one style element that React Aria adds.
 */
const policyWith = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'`;

/**
 * Serves the page at each of its addresses, with the data that the address shows, and its files, whose names change
 * with their content, below `/desk/assets/`.
 */
export async function serveWebPage(
  server: FastifyInstance,
  firstData: (request: FastifyRequest) => Promise<FirstData | undefined>,
): Promise<void> {
  await server.register(fastifyStatic, {
    root: `${FOLDER}assets/`,
    prefix: '/desk/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    maxAge: '1y',
    immutable: true,
    // Browsers keep these files, and never ask whether one has changed or for a part of it.
    etag: false,
    lastModified: false,
    acceptRanges: false,
  });
  for (const url of [...PATHS, REQUESTS, `${REQUESTS}/*`])
    server.get(url, async (request, reply) => {
      const data = isNavigation(request) ? await firstData(request) : undefined;
      const elsewhere = data && addressFor(data.session?.role, request.url);
      if (elsewhere !== undefined) return reply.header('cache-control', 'no-store').redirect(elsewhere);
      const file = url.startsWith(REQUESTS) ? 'requests.html' : 'index.html';
      return sendPage(request, reply, { file, data });
    });
}

/** Returns where a person of this role reads what is at an address: requesters have pages of their own. */
function addressFor(role: string | undefined, address: string): string | undefined {
  const { pathname, search } = new URL(address, 'http://desk');
  const isOfRequests = pathname === REQUESTS || pathname.startsWith(`${REQUESTS}/`);
  if (pathname === '/sign-in' || isOfRequests === (role === 'requester')) return undefined;
  const [, ticket] = /^\/(?:tickets|requests)\/([^/]+)$/.exec(pathname) ?? [];
  if (isOfRequests) {
    if (ticket === 'new' || ticket === 'account') return `/${ticket}`;
    return ticket === undefined ? '/' : `/tickets/${ticket}${search}`;
  }
  if (pathname === '/new' || pathname === '/account') return REQUESTS + pathname;
  return ticket === undefined ? REQUESTS : `${REQUESTS}/${ticket}`;
}

/** What a browser gets at an address that does not exist, with the status 404. */
export function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendPage(request, reply.code(404), { file: 'not-found.html' });
}

/** Not one of a script, style or picture; browsers that do not say what a request is for send no cookie with those. */
function isNavigation({ headers }: FastifyRequest): boolean {
  return [undefined, 'document'].includes(headers['sec-fetch-dest']?.toString());
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, data }: { file: string; data?: FirstData | undefined },
): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url');
  reply.type('text/html; charset=utf-8').headers({
    'cache-control': 'no-store',
    'content-security-policy': policyWith(nonce),
  });
  // Read each time: a build replaces it while the program runs.
  const html = await readFile(`${FOLDER}${file}`, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (html === undefined) return reply.code(503).send(NOT_BUILT);
  const page = html.replaceAll(NONCE, nonce).replace('</body>', () => `${elementOf(data)}</body>`);
  return sendCompressed(request, reply, page);
}

/** JSON in an element that browsers do not run; it cannot contain the end of that element. */
function elementOf(data: FirstData | undefined): string {
  if (!data) return '';
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="first-data">${json}</script>`;
}
