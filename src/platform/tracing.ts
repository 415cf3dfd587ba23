// What one message sets going, told to a tracer, where there is one (docs/deploy.md, Tracing). A trace begins at an event
// of chat or at a request that changes something, and goes with the jobs and calls that follow; what runs by itself, such
// as reconciliation, has none. Names and attributes are words of ours: never anybody's text, a key or an address.

export type SpanKind = 'server' | 'client' | 'consumer';

export interface SpanOptions {
  kind: SpanKind;
  attributes?: Readonly<Record<string, string | number>>;
  /** W3C `traceparent` of what it follows from; absent: what is under way, or nothing. */
  parent?: string | undefined;
}

export interface Span {
  /** Whatever `work` begins follows from this span. */
  within<Result>(work: () => Result): Result;
  /** `errorType`: what kind of failure it ended with. */
  end(result?: { errorType?: string; attributes?: Readonly<Record<string, string | number>> }): void;
}

export interface Tracer {
  begin(name: string, options: SpanOptions): Span;
  /** W3C `traceparent` of the span that is under way; undefined outside of all. */
  current(): string | undefined;
}

let tracer: Tracer | undefined;

/** Has spans told to this tracer, of the whole process, from now on; undefined: to none. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** What is under way, as it is written into a job or a header; undefined where nothing is traced. */
export function traceparent(): string | undefined {
  return tracer?.current();
}

/** Begins a span whose end comes by an event; undefined where nothing is traced. */
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

/** Runs a call to another system as a span, with the headers that tell it; outside of all spans it is none. */
export async function inCall<Result>(
  name: string,
  call: (headers: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  if (traceparent() === undefined) return call({});
  return inSpan(name, { kind: 'client' }, () => {
    const told = traceparent();
    return call(told === undefined ? {} : { traceparent: told });
  });
}
