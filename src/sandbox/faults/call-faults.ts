import type { FastifyReply, FastifyRequest } from 'fastify';

import type { AlarmClock } from '../clock.ts';
import type { Chaos } from './chaos.ts';
import { type CallFault, type Listed, Rules } from './rules.ts';

/** The active faults of the Web API, set one by one or by chaos. */
export class CallFaults {
  readonly #clock: AlarmClock;
  readonly #rules: Rules<CallFault>;
  readonly #chaos: Chaos;
  /** Calls that are being kept waiting. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: { clock: AlarmClock; chance: () => number; chaos: Chaos }) {
    this.#clock = parts.clock;
    this.#chaos = parts.chaos;
    this.#rules = new Rules(parts.clock, parts.chance);
  }

  add(faults: readonly CallFault[]): void {
    for (const fault of faults) this.#rules.add(fault);
  }

  /** Clears all faults, and releases waiting calls. */
  clear(): void {
    this.#rules.clear();
    for (const release of Array.from(this.#waiting)) release();
  }

  list(): Listed<CallFault>[] {
    return this.#rules.list();
  }

  /** Whether a call is cut before its body is read; `team` is that of its token, if the header has it. */
  refuses(method: string, team: string | undefined): boolean {
    return (
      this.#rules.take((fault) => fault.kind === 'refused' && isFor(fault, method, team)) !== undefined ||
      this.#chaos.refuses(method)
    );
  }

  /** Returns the fault to apply to this call, if any; `team` is that of its token. */
  take(method: string, args: Record<string, unknown>, team: string | undefined): CallFault | undefined {
    const asked = this.#rules.take(
      (fault) =>
        fault.kind !== 'refused' &&
        isFor(fault, method, team) &&
        (fault.channel === undefined || fault.channel === args['channel']) &&
        (fault.text === undefined || textOf(args).includes(fault.text)),
    );
    return asked ?? this.#chaos.callFault(method);
  }

  /** Waits so long by the sandbox's clock (for ever without it), until the faults are cleared or `gone` happens. */
  wait(milliseconds: number | undefined, gone?: (release: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      let cancel: () => void = () => undefined;
      const release = () => {
        cancel();
        this.#waiting.delete(release);
        resolve();
      };
      this.#waiting.add(release);
      gone?.(release);
      if (milliseconds !== undefined)
        cancel = this.#clock.alarm(new Date(this.#clock.now().getTime() + milliseconds), release);
    });
  }
}

const textOf = ({ text }: Record<string, unknown>) => (typeof text === 'string' ? text : '');

function isFor(fault: CallFault, method: string, team: string | undefined): boolean {
  return (
    (fault.method === '*' || fault.method === method) && (fault.team === undefined || fault.team === team)
  );
}

const SLOW_MS = 1_000;
const PAGE = '<!DOCTYPE html><html><body><h1>Server Error</h1></body></html>';

interface Struck<Answer> {
  request: FastifyRequest;
  reply: FastifyReply;
  faults: CallFaults;
  /** Executes the call; at most once. */
  work: () => Promise<Answer>;
  /** A response on the wire. */
  send: (answer: Answer) => FastifyReply;
}

/** Applies a fault to one call. Returns the response of the call, or undefined if it was not executed. */
export async function misbehave<Answer>(
  fault: CallFault,
  { request, reply, faults, work, send }: Struck<Answer>,
): Promise<Answer | undefined> {
  // The wait starts with the call, even if the call is executed first.
  const waited = waitOf(fault, request, faults);
  const answer = doneFirst(fault) ? await work() : undefined;
  switch (fault.kind) {
    case 'rate_limited':
      reply
        .code(429)
        .header('retry-after', String(fault.retryAfter))
        .send({ ok: false, error: 'ratelimited' });
      return answer;
    case 'error':
      reply.send({ ok: false, error: fault.error });
      return answer;
    case 'http_error':
      reply.code(fault.status).type('text/html').send(PAGE);
      return answer;
    case 'html':
      reply.code(200).type('text/html').send(PAGE);
      return answer;
    case 'slow': {
      await waited;
      const late = answer ?? (await work());
      send(late);
      return late;
    }
    case 'hang':
      await waited;
      cutConnection(request, reply);
      return answer;
    case 'refused':
    case 'cut':
    case 'answer_lost':
      cutConnection(request, reply);
      return answer;
    case 'half_answer':
      cutInTheMiddle(request, reply, JSON.stringify(answer));
      return answer;
  }
}

function waitOf(fault: CallFault, request: FastifyRequest, faults: CallFaults): Promise<void> | undefined {
  if (fault.kind === 'slow') return faults.wait(fault.ms ?? SLOW_MS);
  if (fault.kind !== 'hang') return undefined;
  return faults.wait(fault.ms, (release) => request.raw.socket.once('close', release));
}

function doneFirst({ kind, worked }: CallFault): boolean {
  if (kind === 'answer_lost' || kind === 'half_answer') return true;
  return worked && (kind === 'http_error' || kind === 'html' || kind === 'slow' || kind === 'hang');
}

/** Ends the connection without an answer. */
export function cutConnection(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

function cutInTheMiddle(request: FastifyRequest, reply: FastifyReply, body: string): void {
  reply.hijack();
  const bytes = Buffer.from(body);
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => request.raw.socket.destroy());
}
