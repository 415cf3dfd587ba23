import type { Clock } from '../platform/clock.ts';
import { clipped } from './values.ts';
import { JOURNAL_ENTRIES } from './limits.ts';

/** The delivery that an envelope belongs to; `delivery` is the same at each attempt. */
interface DeliveryFacts {
  delivery: number;
  event?: string;
  event_id?: string;
}

interface Happening {
  /** A call of the Web API or of a response address, with what was answered. */
  api_call: {
    method: string;
    args: Record<string, unknown>;
    ok: boolean;
    error?: string;
    /** Absent if the call was not executed. */
    answer?: unknown;
    ms: number;
    fault?: string;
    /** The workspace of its token. */
    team?: string;
  };
  connection: { id: string; what: 'opened' | 'closed' | 'refused' | 'disconnect_sent'; open: number };
  /** An envelope was handed to a connection, or (`http`) posted to the request URL. */
  envelope: {
    envelope_id: string;
    connection: string;
    /** As the envelope says: `events_api`, `slash_commands`, `interactive`. */
    type: string;
    retry_attempt: number;
  } & DeliveryFacts;
  ack: { envelope_id: string; connection: string; payload: unknown; ms: number } & DeliveryFacts;
  /** A delivery that was not acknowledged, and what follows. */
  unacked: { reason: string; attempt: number; next: 'retry' | 'dropped' } & DeliveryFacts;
  /** Something a person can see changed: where, and what kind of change. */
  message: {
    channel: string;
    ts: string;
    /** The root of the thread it is in. */
    thread_ts?: string;
    change: 'posted' | 'changed' | 'deleted';
    ephemeral_for?: string;
  };
  /** A person or a user group was added or changed. */
  person: { person: string; change: 'added' | 'changed' };
  /** A file's bytes, its kind or where it is shown changed. */
  file: { file: string; change: 'uploaded' | 'shared' | 'share_failed' | 'deleted' };
  /** A view that a person sees: a modal's or their Home. `errors`: its error messages changed. */
  view: {
    user: string;
    view: string;
    type: 'modal' | 'home';
    change: 'opened' | 'pushed' | 'updated' | 'closed' | 'published' | 'errors';
  };
  channel: { channel: string; change: 'created' | 'members' | 'reset' };
  /** A fault was applied to a call (`method`) or an envelope (`delivery`). */
  fault: { fault: string; method?: string; delivery?: number; event?: string; channel?: string };
  /** Chaos starts or ends; `did` counts how often each fault was applied. */
  chaos: { what: 'on' | 'off'; seed: number; intensity: number; did?: Record<string, number> };
  /** The sandbox's clock was moved. */
  clock: { now: string; speed: number };
}

/** One thing that happened in the sandbox, in the order it happened. */
export type Entry = {
  [Kind in keyof Happening]: { seq: number; at: string; kind: Kind } & Happening[Kind];
}[keyof Happening];

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/**
 * Recent entries, in memory: for `/_control/log`, the page's live stream, and tests, which wait for entries instead of
 * sleeping.
 */
export class Journal {
  readonly #clock: Clock;
  readonly #entries: Entry[] = [];
  readonly #listeners = new Set<(entry: Entry) => void>();
  #seq = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record<Kind extends keyof Happening>(kind: Kind, what: Happening[Kind]): void {
    const foreign = kind === 'api_call' || ('payload' in what && what.payload !== undefined);
    const kept = foreign ? (clipped(what) as Happening[Kind]) : what;
    const entry = { seq: ++this.#seq, at: this.#clock.now().toISOString(), kind, ...kept } as Entry;
    this.#entries.push(entry);
    if (this.#entries.length > JOURNAL_ENTRIES) this.#entries.shift();
    for (const listener of Array.from(this.#listeners)) listener(entry);
  }

  /** Newest last. */
  recent(limit = JOURNAL_ENTRIES): Entry[] {
    return this.#entries.slice(-limit);
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** Calls `listener` for each new entry; returns a function that unsubscribes. */
  subscribe(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
