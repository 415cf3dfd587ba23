import { traceparent } from '../tracing.ts';

/** The name under which a job's payload tells what it follows from. */
const FIELD = 'traceparent';

/** A payload as it is stored: with what it follows from, where that is traced. */
export function tracedPayload(payload: unknown): unknown {
  const trace = traceparent();
  return trace === undefined || !isRecord(payload) ? payload : { ...payload, [FIELD]: trace };
}

/** What a stored job follows from; undefined where that was not traced. */
export function traceOf(payload: unknown): string | undefined {
  const trace = isRecord(payload) ? payload[FIELD] : undefined;
  return typeof trace === 'string' ? trace : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
