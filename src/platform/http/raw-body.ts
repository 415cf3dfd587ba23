import type { FastifyInstance } from 'fastify';

/**
 * Makes `request.body` the bytes as they came, of whatever type, in this scope and below: what is signed must be
 * verified before anything reads it. An empty body is an empty Buffer or undefined.
 */
export function receiveRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
