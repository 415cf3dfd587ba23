import type { Clock } from '../platform/clock.ts';
import { JOURNAL_ENTRIES } from './limits.ts';

interface Happening {
  /** A call of the Web API or of a response address, with what was answered. */
  api_call: { method: string; args: Record<string, unknown>; ok: boolean; error?: string; fault?: string };
  connection: { id: string; what: 'opened' | 'closed' | 'refused' | 'disconnect_sent'; open: number };
  /** An envelope was handed to a connection. */
  envelope: {
    envelope_id: string;
    connection: string;
    kind: string;
    event?: string;
    event_id?: string;
    retry_attempt: number;
  };
  ack: { envelope_id: string; connection: string; event_id?: string; payload: unknown; ms: number };
  /** A delivery that was not acknowledged, and what follows. */
  unacked: { event_id?: string; reason: string; attempt: number; next: 'retry' | 'dropped' };
  /** Something a person can see changed: where, and what kind of change. */
  message: {
    channel: string;
    ts: string;
    /** The root of the thread it is in. */
    thread_ts?: string;
    change: 'posted' | 'changed' | 'deleted';
    ephemeral_for?: string;
  };
  channel: { channel: string; change: 'created' | 'members' | 'reset' };
}

/** One thing that happened in the sandbox, in the order it happened. */
export type Entry = {
  [Kind in keyof Happening]: { seq: number; at: string; kind: Kind } & Happening[Kind];
}[keyof Happening];

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/**
 * What happened lately, in memory: for `/_control/log`, for the page's live stream, and as the signal that tests
 * wait on instead of sleeping.
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
    const entry = { seq: ++this.#seq, at: this.#clock.now().toISOString(), kind, ...what } as Entry;
    this.#entries.push(entry);
    if (this.#entries.length > JOURNAL_ENTRIES)
      this.#entries.splice(0, this.#entries.length - JOURNAL_ENTRIES);
    for (const listener of [...this.#listeners]) listener(entry);
  }

  /** Newest last. */
  recent(limit = JOURNAL_ENTRIES): Entry[] {
    return this.#entries.slice(-limit);
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** Calls `listener` at each entry from now on; returns how to stop. */
  subscribe(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
