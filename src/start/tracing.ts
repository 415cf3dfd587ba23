import type { Config } from './config.ts';
import { type Running, StartError } from '../platform/lifecycle.ts';
import { useTracer } from '../platform/tracing.ts';

/**
 * Sends spans to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. Its optional packages are loaded only here.
 * @throws StartError if they are not installed.
 */
export async function startTracing(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: service }: Config,
  version: string,
): Promise<Running> {
  if (endpoint === undefined) return { stop: () => Promise.resolve() };
  const tracer = await createTracerOf({ endpoint, service, version });
  useTracer(tracer);
  return {
    async stop() {
      useTracer(undefined);
      await tracer.stop();
    },
  };
}

async function createTracerOf(options: { endpoint: string; service: string; version: string }) {
  try {
    const { createTracer } = await import('./open-telemetry.ts');
    return createTracer(options);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new StartError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for tracing are not installed. Install them (see Tracing in docs/operate.md), or unset it.',
      { cause },
    );
  }
}
