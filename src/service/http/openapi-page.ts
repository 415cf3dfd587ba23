import { createHash } from 'node:crypto';

import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';

import { openApiDocument } from './openapi.ts';

const DOCUMENT_PATH = '/api/openapi.json';
const PAGE_PATH = '/docs';

/**
 * The reference page runs its own script and the inline script that starts it, and connects only to this server: what
 * it would load from elsewhere (fonts, a request proxy) is blocked. It creates its styles at run time.
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
 * Serves the OpenAPI document and a page to read it and try it out, to be registered at the root. Both work without a
 * key: the specification does not mention them, they contain no workspace data, and a client without a key needs them
 * first. Everything is served from the installed package. Both are built at the first request, because building them
 * takes longer than the rest of the start.
 */
export function docsPlugin(version: string): FastifyPluginAsync {
  return async (scope) => {
    let document: { text: string; etag: string } | undefined;
    scope.get(DOCUMENT_PATH, (request, reply) => {
      const { text, etag } = (document ??= documentOf(version));
      reply.headers({ etag, 'cache-control': 'no-cache', 'x-service-version': version });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(text);
    });

    let page: Promise<FastifyInstance> | undefined;
    for (const url of [PAGE_PATH, `${PAGE_PATH}/*`])
      scope.get(url, async (request, reply) => {
        page ??= openPage();
        const { statusCode, headers, rawPayload } = await (
          await page
        ).inject({ method: 'GET', url: request.url, headers: request.headers });
        if (statusCode === 404) {
          reply.callNotFound();
          return reply;
        }
        return reply.code(statusCode).headers(headers).send(rawPayload);
      });
    scope.addHook('onClose', async () => (await page)?.close());
  };
}

function documentOf(version: string): { text: string; etag: string } {
  const text = JSON.stringify(openApiDocument(version));
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

/** The page's own server, which does not listen: a listening server accepts no further plugins. */
async function openPage(): Promise<FastifyInstance> {
  const server = fastify();
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html'))
      reply.header('content-security-policy', policy(inlineScripts(payload)));
    done(null, payload);
  });
  const { default: reference } = await import('@scalar/fastify-api-reference');
  await server.register(reference, {
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
  await server.ready();
  return server;
}

/** Returns the hashes of the page's inline scripts for its policy. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].flatMap(([, source = '']) =>
    source.trim() === '' ? [] : [createHash('sha256').update(source).digest('base64')],
  );
}
