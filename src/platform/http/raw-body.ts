import type { FastifyInstance } from 'fastify';

/**
 * Makes `request.body` the raw bytes, whatever their type, in this scope and below: signatures must be verified before
 * anything parses the body. An empty body is an empty Buffer or undefined.
 */
export function receiveRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
