import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { EnvelopeState, Tables } from '../schema/tables.ts';

export interface Progress {
  seq: number;
  state: EnvelopeState;
  attempt: number;
  reason: string;
  dueAt: number;
}

/** How long a failed write waits before it is tried again. */
const RETRY_MS = 500;

/**
 * Writes delivery state behind the sending: many envelopes' progress in one statement. What is not written when
 * the process dies is delivered again, as Slack does (at least once).
 */
export class EnvelopeStore {
  readonly #db: Db<Tables>;
  readonly #log: Log;
  #dirty = new Map<number, Progress>();
  #writing: Promise<void> | undefined;

  constructor(db: Db<Tables>, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  note(progress: Progress): void {
    this.#dirty.set(progress.seq, progress);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything noted so far is in the database. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    // Lets the notes of one turn of the event loop gather.
    await Promise.resolve();
    for (let failures = 0; this.#dirty.size > 0 && failures < 3;) {
      const batch = this.#dirty;
      this.#dirty = new Map();
      try {
        await this.#save([...batch.values()]);
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#log.warn({ err: error }, 'could not store which envelopes were delivered; trying again');
        this.#dirty = new Map([...batch, ...this.#dirty]);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#writing = undefined;
  }

  async #save(batch: Progress[]): Promise<void> {
    const column = <Value>(pick: (progress: Progress) => Value) => batch.map(pick);
    await sql`
      update envelope set state = v.state, attempt = v.attempt, reason = v.reason,
        due_at = to_timestamp(v.due_ms / 1000.0)
      from unnest(
        ${column(({ seq }) => seq)}::bigint[], ${column(({ state }) => state)}::text[],
        ${column(({ attempt }) => attempt)}::int[], ${column(({ reason }) => reason)}::text[],
        ${column(({ dueAt }) => dueAt)}::float8[]
      ) as v (seq, state, attempt, reason, due_ms)
      where envelope.seq = v.seq`.execute(this.#db);
  }
}
