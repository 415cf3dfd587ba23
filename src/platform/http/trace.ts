import type { FastifyInstance, FastifyRequest } from 'fastify';

import { beginSpan, type Span } from '../tracing.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Creates a span for each request that changes something or belongs to a caller's trace; probes and polls have none.
 */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  // After the body was read: code that runs before that, on the stream's events, would be outside the span.
  app.addHook('preHandler', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const given = headers['traceparent'];
    const parent = typeof given === 'string' ? given : undefined;
    if (READS.has(method) && parent === undefined) {
      done();
      return;
    }
    // The route pattern, not the URL, which may contain a key.
    const route = routeOptions.url ?? 'none';
    const span = beginSpan(`${method} ${route}`, {
      kind: 'server',
      parent,
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    if (span) spans.set(request, span);
    if (span) span.within(done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    spans.get(request)?.end({
      attributes: { 'http.response.status_code': status },
      ...(status >= 500 && { errorType: String(status) }),
    });
    done();
  });
}
