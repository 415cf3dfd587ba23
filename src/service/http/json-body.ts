import type { FastifyInstance } from 'fastify';

import { malformed } from '../problem.ts';

/** Deeper than any record of the contract; deeper bodies would exhaust the stack of whatever walks them. */
const MAX_DEPTH = 64;

/** Reads bodies as JSON, strictly: valid UTF-8, no NUL (Postgres has none in texts), no prototype keys, not too deep. */
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
  checkContent(value);
  return value;
}

/** Walks without recursion, so that depth itself cannot hurt. */
function checkContent(root: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && value.includes('\0'))
      throw malformed([{ path: '', message: 'Texts may not contain the character NUL' }]);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH)
      throw malformed([{ path: '', message: `Nested deeper than ${MAX_DEPTH} levels` }]);
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__' || key.includes('\0'))
        throw malformed([{ path: '', message: 'A key of the body is not allowed' }]);
      open.push({ value: inner, depth: depth + 1 });
    }
  }
}
