import { operations } from 'virtual:operations';

import type { Answer, Input, Operation } from './types.ts';

/** A failed request. Its message is a sentence for people; `status` is 0 if there was no response. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: string | undefined;
  /** The problem as the server described it. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, problem: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = typeof problem['code'] === 'string' ? problem['code'] : undefined;
    this.problem = problem;
  }
  /** Whether the service refused a field of what was sent. */
  isAbout(path: string): boolean {
    const { issues } = this.problem;
    return Array.isArray(issues) && (issues as { path?: unknown }[]).some((issue) => issue.path === path);
  }
  /** The service has no such operation, or the person may not use it: the page leaves it out. */
  get isAbsent(): boolean {
    return this.status === 403 || this.status === 404 || this.status === 405;
  }
}

const UNREACHABLE = 'The desk cannot be reached. Check your connection, then try again.';
type Listener = (event: 'signed-out' | 'reached' | 'unreachable') => void;
const listeners = new Set<Listener>();

/** Tells when requests stop or start to get responses, and when the session has ended. Returns how to stop. */
export function onConnection(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell: Listener = (event) => {
  for (const listener of listeners) listener(event);
};

/** How a request is sent. */
export interface Sending {
  signal?: AbortSignal | undefined;
  /** Goes out even if the page is closed meanwhile; its body may have 64 KiB at most. */
  keepalive?: boolean;
}

/** Sends a request to this server. Throws Refusal. */
export async function request(
  method: string,
  address: string,
  { body, signal, keepalive = false }: Sending & { body?: unknown } = {},
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      keepalive,
      ...(signal && { signal }),
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreached();
  }
  const answer: unknown = await response.json().catch(() => ({}));
  return accepted(response.status, answer);
}

/** Tells that there was no response, and returns what to throw. */
export function unreached(): Refusal {
  tell('unreachable');
  return new Refusal(0, UNREACHABLE);
}

/** Returns a response's body. Throws Refusal unless the response is a success. */
export function accepted(status: number, answer: unknown): unknown {
  tell('reached');
  if (status >= 200 && status < 300) return answer;
  if (status === 401) tell('signed-out');
  const problem = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  const issues = Array.isArray(problem['issues']) ? (problem['issues'] as { message?: string }[]) : [];
  const said = issues.flatMap(({ message }) => message ?? []).join('. ') || problem['message'];
  throw new Refusal(
    status,
    typeof said === 'string' && said ? said : `The desk answered ${status}.`,
    problem,
  );
}

/** The address of an operation at the desk's server. */
export function addressOf(
  name: Operation,
  input: { params?: Record<string, string>; query?: object } = {},
): string {
  const path = operations[name][1];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(input.params?.[key] ?? ''),
  );
  const given = Object.entries(input.query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return `/desk/api${filled}${given.length > 0 ? `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}` : ''}`;
}

/**
 * Calls an operation of the service through the desk's server, as the signed-in person. A page of a list may end before
 * its limit, because its records are large: then the next ones are read too. Throws Refusal.
 */
export async function call<N extends Operation>(
  name: N,
  input: Input<N> = {},
  sending: Sending = {},
): Promise<Answer<N>> {
  const { params, query, body } = input as { params?: Record<string, string>; query?: Query; body?: unknown };
  const ask = (more: Query) =>
    request(
      operations[name][0],
      addressOf(name, { ...(params && { params }), query: { ...query, ...more } }),
      {
        ...sending,
        body,
      },
    );
  const first = await ask({});
  const limit = Number(query?.['limit']);
  if (!isShort(first, limit)) return first as Answer<N>;
  const items = [...first.items];
  let cursor: string | null = first.nextCursor;
  while (cursor !== null && items.length < limit) {
    const page = (await ask({ cursor, limit: limit - items.length })) as Page;
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { ...first, items, nextCursor: cursor } as Answer<N>;
}

type Query = Record<string, string | number | boolean | null | undefined>;
interface Page {
  items: unknown[];
  nextCursor: string | null;
}

/** Whether an answer is a page that ended before its limit, although the list goes on. */
function isShort(answer: unknown, limit: number): answer is Page & { nextCursor: string } {
  if (typeof answer !== 'object' || answer === null || Number.isNaN(limit)) return false;
  const { items, nextCursor } = answer as Partial<Page>;
  return Array.isArray(items) && items.length < limit && typeof nextCursor === 'string';
}
