import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

import type { Tracer } from '../platform/tracing.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
const PATH = '/v1/traces';

/**
 * Creates a tracer that sends to an OTLP collector by HTTP. The packages read the `OTEL_…` variables for sampling and
 * batching.
 */
export function createTracer({
  endpoint,
  service,
  version,
}: {
  endpoint: string;
  service: string;
  version: string;
}): Tracer & { stop(): Promise<void> } {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}${PATH}` }) }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer('deskbridge', version);
  return {
    begin(name, { kind, attributes = {}, parent }) {
      const from =
        parent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, from);
      const within = trace.setSpan(from, span);
      return {
        within: (work) => context.with(within, work),
        end({ errorType, attributes: more } = {}) {
          span.setAttributes({
            ...more,
            ...(errorType !== undefined && { 'error.type': errorType }),
          });
          if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    current() {
      if (trace.getActiveSpan() === undefined) return undefined;
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    stop: () => provider.shutdown(),
  };
}
