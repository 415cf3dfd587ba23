import type { FastifyInstance } from 'fastify';

import { malformed } from '../problem.ts';

/** Deeper than any record of the API; deeper bodies would exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * Parses bodies as strict JSON: valid UTF-8, no NUL (Postgres texts have none), no prototype keys, limited depth. A
 * lone surrogate, which only an escape (`\ud83d`) can contain, becomes U+FFFD: a text cut in the middle of an emoji is
 * still a text, but Postgres rejects it.
 */
export function receiveJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Throws a 400 problem; an empty body is undefined. */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw malformed([{ path: '', message: 'The body is not JSON' }]);
  }
  cleanContent(value);
  return value;
}

/** Walks without recursion, so that depth is harmless. */
function cleanContent(root: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && value.includes('\0'))
      throw malformed([{ path: '', message: 'Texts may not contain the character NUL' }]);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH)
      throw malformed([{ path: '', message: `Nested deeper than ${MAX_DEPTH} levels` }]);
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__' || key.includes('\0') || !key.isWellFormed())
        throw malformed([{ path: '', message: 'A key of the body is not allowed' }]);
      if (typeof inner === 'string' && !inner.isWellFormed())
        (value as Record<string, unknown>)[key] = inner.toWellFormed();
      open.push({ value: inner, depth: depth + 1 });
    }
  }
}
