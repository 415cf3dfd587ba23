import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import fastify, { type FastifyPluginAsync } from 'fastify';

import { openApiDocument } from './openapi.ts';

const DOCUMENT_PATH = '/api/openapi.json';
const PAGE_PATH = '/docs';
const SCRIPT_PATH = `${PAGE_PATH}/js/scalar.js`;

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

    let files: Promise<Map<string, PageFile>> | undefined;
    scope.get(PAGE_PATH, (_request, reply) => reply.redirect(`${PAGE_PATH}/`, 301));
    for (const url of [`${PAGE_PATH}/`, SCRIPT_PATH])
      scope.get(url, async (request, reply) => {
        const file = (await (files ??= readPageFiles())).get(url);
        if (!file) {
          reply.callNotFound();
          return reply;
        }
        const { etag, headers, bodies } = file;
        reply.headers({ ...headers, etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
        if (request.headers['if-none-match'] === etag) return reply.code(304).send();
        const accepted = request.headers['accept-encoding']?.toString() ?? '';
        const encoding = (['br', 'gzip'] as const).find((each) => new RegExp(`\\b${each}\\b`).test(accepted));
        if (encoding) reply.header('content-encoding', encoding);
        return reply.send(bodies[encoding ?? 'identity']);
      });
  };
}

function documentOf(version: string): { text: string; etag: string } {
  const text = JSON.stringify(openApiDocument(version));
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

/** A file of the page, ready to be sent: its script has 3.8 MB, too much to be made for every request. */
interface PageFile {
  etag: string;
  headers: Record<string, string>;
  bodies: Record<'identity' | 'br' | 'gzip', Buffer>;
}

/** Reads the page and its script, by path, from a server of their own that does not listen. */
async function readPageFiles(): Promise<Map<string, PageFile>> {
  const server = fastify();
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
  const files = new Map<string, PageFile>();
  for (const path of [`${PAGE_PATH}/`, SCRIPT_PATH]) {
    const { headers, rawPayload } = await server.inject(path);
    const type = String(headers['content-type']);
    files.set(path, {
      etag: `"${createHash('sha256').update(rawPayload).digest('base64url')}"`,
      headers: {
        'content-type': type,
        ...(type.startsWith('text/html') && {
          'content-security-policy': policy(inlineScripts(rawPayload.toString())),
        }),
      },
      bodies: {
        identity: rawPayload,
        br: await promisify(brotliCompress)(rawPayload, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
        }),
        gzip: await promisify(gzip)(rawPayload),
      },
    });
  }
  await server.close();
  return files;
}

/** Returns the hashes of the page's inline scripts for its policy. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].flatMap(([, source = '']) =>
    source.trim() === '' ? [] : [createHash('sha256').update(source).digest('base64')],
  );
}
