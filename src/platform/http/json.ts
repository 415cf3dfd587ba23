import type { FastifyInstance } from 'fastify';

import { isBeyond } from '../bounded-json.ts';

/** Deeper than any record of the API; deeper bodies would exhaust the stack. */
const MAX_DEPTH = 64;
/**
 * Values of a body: fields and items, at any depth. The largest record has a few thousand; parsing and validating this
 * many takes a few hundredths of a second.
 */
const MAX_VALUES = 20_000;

/** A body that is refused, with the reason for its sender. */
export class JsonBodyError extends Error {
  override readonly name = 'JsonBodyError';
}

/** Makes this scope, and those below, parse JSON bodies with `parseJsonBody` instead of the framework's own parser. */
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

/**
 * Parses a body as strict JSON: valid UTF-8, no NUL (Postgres texts have none), no prototype keys, limited depth and
 * number of values. A lone surrogate, which only an escape (`\ud83d`) can contain, becomes U+FFFD: a text cut in the
 * middle of an emoji is still a text, but Postgres rejects it.
 * @throws JsonBodyError
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (isBeyond(body, { values: MAX_VALUES, depth: Infinity }))
    throw new JsonBodyError(`The body has more than ${MAX_VALUES} fields and items`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new JsonBodyError('The body is not JSON');
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
      throw new JsonBodyError('Texts may not contain the character NUL');
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) throw new JsonBodyError(`Nested deeper than ${MAX_DEPTH} levels`);
    for (const key in value) {
      if (key === '__proto__' || key.includes('\0') || !key.isWellFormed())
        throw new JsonBodyError('A key of the body is not allowed');
      const inner = (value as Record<string, unknown>)[key];
      if (typeof inner === 'string' && !inner.isWellFormed())
        (value as Record<string, unknown>)[key] = inner.toWellFormed();
      open.push({ value: inner, depth: depth + 1 });
    }
  }
}
