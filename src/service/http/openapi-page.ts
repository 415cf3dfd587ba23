import { createHash } from 'node:crypto';

import type { FastifyPluginAsync } from 'fastify';

import { openApiDocument } from './openapi.ts';

const DOCUMENT_PATH = '/api/openapi.json';
const PAGE_PATH = '/docs';

/**
 * The reference page runs its own script and the one inline script that starts it, and talks to this server only:
 * what it would fetch from elsewhere (fonts, a request proxy) stays away. Its styles are made while it runs.
 */
const policy = (inline: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${inline.map((hash) => `'sha256-${hash}'`).join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  ].join('; ');

/**
 * The OpenAPI document and a page to read it by and try it out, to be registered at the root. Both are open without a
 * key: the specification says nothing of them, they hold no data of any workspace, and a caller who has no key yet
 * needs them first. Everything is served from the installed package.
 */
export function docsPlugin(version: string): FastifyPluginAsync {
  return async (scope) => {
    const document = JSON.stringify(openApiDocument(version));
    const etag = `"${createHash('sha256').update(document).digest('base64url')}"`;
    scope.get(DOCUMENT_PATH, (request, reply) => {
      reply.headers({ etag, 'cache-control': 'no-cache', 'x-service-version': version });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(document);
    });

    scope.addHook('onSend', (_request, reply, payload, done) => {
      if (typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html'))
        reply.header('content-security-policy', policy(inlineScripts(payload)));
      done(null, payload);
    });
    // Four megabytes of script: read when a server that shows the page starts, not with every command.
    const { default: reference } = await import('@scalar/fastify-api-reference');
    await scope.register(reference, {
      routePrefix: PAGE_PATH,
      configuration: {
        url: DOCUMENT_PATH,
        pageTitle: 'deskbridge API',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
        persistAuth: false,
      },
    });
  };
}

/** The hashes by which a policy names the scripts that stand in the page itself. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].flatMap(([, source = '']) =>
    source.trim() === '' ? [] : [createHash('sha256').update(source).digest('base64')],
  );
}
