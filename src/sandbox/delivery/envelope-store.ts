import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { Tables } from '../schema/tables.ts';

export interface Progress {
  seq: number;
  attempt: number;
  reason: string;
  dueAt: number;
}

/** How long a failed write waits before it is tried again. */
const RETRY_MS = 500;

/**
 * Writes delivery state behind the sending: many envelopes' progress in one statement. What is acknowledged or given
 * up is deleted, so that the table holds no more than what is on its way, however long the sandbox runs. What is not
 * written when the process dies is delivered again, as Slack does (at least once).
 */
export class EnvelopeStore {
  readonly #db: Db<Tables>;
  readonly #log: Log;
  /** By row; undefined for one that is over. */
  #dirty = new Map<number, Progress | undefined>();
  #writing: Promise<void> | undefined;

  constructor(db: Db<Tables>, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** It goes on: what a restart has to know of it. */
  note(progress: Progress): void {
    this.#put(progress.seq, progress);
  }

  /** It is acknowledged or given up: nobody needs the row any more. */
  finish(seq: number): void {
    this.#put(seq, undefined);
  }

  #put(seq: number, progress: Progress | undefined): void {
    this.#dirty.set(seq, progress);
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
        await this.#save(batch);
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

  async #save(batch: ReadonlyMap<number, Progress | undefined>): Promise<void> {
    const over = [...batch].flatMap(([seq, progress]) => (progress ? [] : [seq]));
    if (over.length > 0) await sql`delete from envelope where seq = any(${over}::bigint[])`.execute(this.#db);
    const waiting = [...batch.values()].filter((progress) => progress !== undefined);
    if (waiting.length === 0) return;
    const column = <Value>(pick: (progress: Progress) => Value) => waiting.map(pick);
    await sql`
      update envelope set attempt = v.attempt, reason = v.reason, due_at = to_timestamp(v.due_ms / 1000.0)
      from unnest(
        ${column(({ seq }) => seq)}::bigint[], ${column(({ attempt }) => attempt)}::int[],
        ${column(({ reason }) => reason)}::text[], ${column(({ dueAt }) => dueAt)}::float8[]
      ) as v (seq, attempt, reason, due_ms)
      where envelope.seq = v.seq`.execute(this.#db);
  }
}
