import { z } from 'zod';

import {
  callFault,
  type CallFault,
  type CallFaultRequest,
  eventFault,
  type EventFault,
  type EventFaultRequest,
} from './rules.ts';

export const chaosRequest = z.strictObject({
  /** The same seed plans the same faults; default a new one, which is returned. */
  seed: z.int().min(0).max(4_294_967_295).optional(),
  /** From 0 (hardly any fault) to 1 (nearly every call and event). */
  intensity: z.number().min(0).max(1).default(0.3),
  /** Events may also be dropped: only a comparison of both sides finds them. */
  drops: z.boolean().default(false),
});

export interface ChaosState {
  seed: number;
  intensity: number;
  drops: boolean;
  /** How often each kind of fault was applied. */
  did: Record<string, number>;
}

/** Maximum number of consecutive failures of a method; the next call succeeds, so that all work gets done. */
const LONGEST_RUN = 2;
/** Normal calls between two series of 429. */
const STORM_PAUSE = 40;
/** Events between two cuts of a connection. */
const CUT_PAUSE = 12;

type Pick = () => number;
const integerBetween = (pick: Pick, low: number, high: number): number =>
  Math.floor(low + pick() * (high - low + 1));
const oneOf = <Value>(pick: Pick, values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(pick() * values.length)] ?? values[0];

type Plan<Request> = readonly [weight: number, make: (pick: Pick) => Request];

const CALLS: readonly Plan<Omit<CallFaultRequest, 'method'>>[] = [
  [3, () => ({ kind: 'rate_limited', retryAfter: 1 })],
  [
    3,
    (pick) => ({ kind: 'http_error', status: oneOf(pick, [500, 502, 503] as const), worked: pick() < 0.3 }),
  ],
  [1, (pick) => ({ kind: 'html', worked: pick() < 0.3 })],
  [4, (pick) => ({ kind: 'slow', ms: integerBetween(pick, 20, 1_500), worked: pick() < 0.5 })],
  [1, (pick) => ({ kind: 'hang', ms: integerBetween(pick, 500, 3_000), worked: pick() < 0.5 })],
  [2, () => ({ kind: 'cut' })],
  [3, () => ({ kind: 'answer_lost' })],
  [2, () => ({ kind: 'half_answer' })],
  // Only temporary errors: a permanent one is a valid answer, not a fault.
  [
    2,
    (pick) => ({
      kind: 'error',
      error: oneOf(pick, [
        'internal_error',
        'fatal_error',
        'service_unavailable',
        'request_timeout',
      ] as const),
    }),
  ],
];

const EVENTS: readonly Plan<EventFaultRequest>[] = [
  [
    4,
    (pick) => ({
      kind: 'duplicate',
      copies: integerBetween(pick, 1, 3),
      every: integerBetween(pick, 0, 1_200),
    }),
  ],
  [3, (pick) => ({ kind: 'delay', ms: integerBetween(pick, 20, 1_500) })],
  [2, (pick) => ({ kind: 'reorder', window: integerBetween(pick, 2, 4), ms: 800 })],
  [2, () => ({ kind: 'ack_lost' })],
  [2, (pick) => ({ kind: 'cut', when: oneOf(pick, ['sent', 'before_ack', 'after_ack'] as const) })],
];
const DROP: Plan<EventFaultRequest> = [1, () => ({ kind: 'drop' })];

function planned<Request>(pick: Pick, plans: readonly Plan<Request>[]): Request {
  let left = pick() * plans.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of plans) {
    left -= weight;
    if (left < 0) return make(pick);
  }
  throw new RangeError('chance was not below 1');
}

/**
 * A mixture of all faults by a seed: the n-th call of a method, and the n-th event, always get the same fault. It is
 * bounded so that everything gets through in the end: after two consecutive failures a method succeeds, repeated
 * events get no further fault, and (without `drops`) nothing is held back for ever.
 */
export class Chaos {
  #state: ChaosState | undefined;
  #streams = new Map<string, Pick>();
  #run = new Map<string, number>();
  #storm = 0;
  #sinceStorm = 0;
  #sinceCut = 0;

  begin({ seed, intensity, drops }: Omit<ChaosState, 'did'>): ChaosState {
    this.end();
    this.#state = { seed, intensity, drops, did: {} };
    return { ...this.#state, did: {} };
  }

  end(): void {
    this.#state = undefined;
    this.#streams.clear();
    this.#run.clear();
    this.#storm = 0;
    this.#sinceStorm = 0;
    this.#sinceCut = 0;
  }

  get state(): ChaosState | undefined {
    return this.#state && { ...this.#state, did: { ...this.#state.did } };
  }

  /** Whether the next call of a method is cut before its body is read. */
  refuses(method: string): boolean {
    if (!this.#state || this.#run.get(method) === LONGEST_RUN) return false;
    const refused = this.#stream(`refused/${method}`)() < this.#state.intensity * 0.03;
    if (refused) this.#struck(method, 'refused');
    return refused;
  }

  /** Returns the fault of the next call of a method. */
  callFault(method: string): CallFault | undefined {
    if (!this.#state) return undefined;
    const pick = this.#stream(`call/${method}`);
    const hit = pick() < this.#state.intensity * 0.6;
    const request = planned(pick, CALLS);
    if (this.#inStorm()) {
      this.#count('storm');
      return callFault.parse({ method, kind: 'rate_limited', retryAfter: 1 });
    }
    if (!hit || this.#run.get(method) === LONGEST_RUN) {
      this.#run.delete(method);
      return undefined;
    }
    this.#struck(method, request.kind);
    return callFault.parse({ method, ...request });
  }

  /** Returns the fault of the next event; `mayCut`: connections may be cut now without losing anything. */
  eventFault(mayCut: boolean): EventFault | undefined {
    if (!this.#state) return undefined;
    const pick = this.#stream('event');
    this.#sinceCut += 1;
    const hit = pick() < this.#state.intensity * 0.8;
    const request = planned(pick, this.#state.drops ? [...EVENTS, DROP] : EVENTS);
    if (!hit) return undefined;
    if (request.kind === 'cut') {
      if (!mayCut || this.#sinceCut < CUT_PAUSE) return undefined;
      this.#sinceCut = 0;
    }
    this.#count(request.kind);
    return eventFault.parse(request);
  }

  #inStorm(): boolean {
    const intensity = this.#state?.intensity ?? 0;
    const pick = this.#stream('storm');
    const begins = pick() < intensity * 0.03;
    const length = integerBetween(pick, 3, 6);
    this.#sinceStorm += 1;
    if (this.#storm === 0 && begins && this.#sinceStorm > STORM_PAUSE) {
      this.#storm = length;
      this.#sinceStorm = 0;
    }
    if (this.#storm === 0) return false;
    this.#storm -= 1;
    return true;
  }

  #struck(method: string, kind: string): void {
    this.#run.set(method, (this.#run.get(method) ?? 0) + 1);
    this.#count(kind);
  }

  #count(kind: string): void {
    if (this.#state) this.#state.did[kind] = (this.#state.did[kind] ?? 0) + 1;
  }

  #stream(name: string): Pick {
    const known = this.#streams.get(name) ?? seededChance(this.#state?.seed ?? 0, name);
    this.#streams.set(name, known);
    return known;
  }
}

/**
 * Chance (0 ≤ x < 1) that a seed repeats (mulberry32); each `stream` of a seed is its own, so one does not shift
 * another.
 */
export function seededChance(seed: number, stream: string): () => number {
  let state = hash(`${seed}/${stream}`);
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01_00_01_93);
  return value >>> 0;
}
