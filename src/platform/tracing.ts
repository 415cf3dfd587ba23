// Traces of what one message causes, sent to a tracer if there is one (docs/operate.md, Tracing). A trace starts at a
// chat event or a request that changes something, and continues in the work and calls that follow; periodic work such
// as reconciliation has none. Names and attributes are constants: never message text, a key or a URL.

import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'server' | 'client' | 'consumer';

export interface SpanOptions {
  kind: SpanKind;
  attributes?: Readonly<Record<string, string | number>>;
  /** W3C `traceparent` of the parent; default: the current span, if any. */
  parent?: string | undefined;
}

export interface Span {
  /** Runs `work` with this span as the parent of its spans. */
  within<Result>(work: () => Result): Result;
  /** `errorType`: the kind of failure it ended with. */
  end(result?: { errorType?: string; attributes?: Readonly<Record<string, string | number>> }): void;
}

export interface Tracer {
  begin(name: string, options: SpanOptions): Span;
  /** W3C `traceparent` of the current span; undefined if there is none. */
  current(): string | undefined;
}

let tracer: Tracer | undefined;

/** Sends all spans of the process to this tracer from now on; undefined: to none. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Returns the current trace context as written into work or a header; undefined if nothing is traced. */
export function traceparent(): string | undefined {
  return tracer?.current();
}

/** Starts a span that an event will end; undefined if nothing is traced. */
export function beginSpan(name: string, options: SpanOptions): Span | undefined {
  return tracer?.begin(name, options);
}

/** Runs `work` as a span. */
export async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = tracer?.begin(name, options);
  if (!span) return work();
  try {
    const result = await span.within(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ errorType: error instanceof Error ? error.name : 'unknown' });
    throw error;
  }
}

/** Runs `work` outside of all spans, whatever span its caller is in: what it does belongs to other traces. */
export const outsideSpans: <Result>(work: () => Result) => Result = AsyncLocalStorage.snapshot();

/** Runs a call to another system as a span and passes the trace headers; outside of all spans it creates none. */
export async function inCall<Result>(
  name: string,
  call: (headers: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  if (traceparent() === undefined) return call({});
  return inSpan(name, { kind: 'client' }, () => {
    const parent = traceparent();
    return call(parent === undefined ? {} : { traceparent: parent });
  });
}
