import { traceparent } from '../tracing.ts';

/** The field of a job's payload that holds its trace context. */
const FIELD = 'traceparent';

/** Returns a payload to store, with the current trace context if there is one. */
export function tracedPayload(payload: unknown): unknown {
  const trace = traceparent();
  return trace === undefined || !isRecord(payload) ? payload : { ...payload, [FIELD]: trace };
}

/** Returns the trace context of a stored job, or undefined. */
export function traceOf(payload: unknown): string | undefined {
  const trace = isRecord(payload) ? payload[FIELD] : undefined;
  return typeof trace === 'string' ? trace : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
