import { type Database, type Tx, transaction } from '../../platform/database/open.ts';
import { enqueue, type Job } from '../../platform/jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { BridgeMetrics } from '../metrics.ts';
import type { Conversation } from '../threads/conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';

interface Deps {
  database: Database<BridgeTables>;
  clock: Clock;
  log: Log;
  metrics: BridgeMetrics;
}

/**
 * The context in which one event is handled. A handler ends it with `finish`: its outcome, the rows it writes and the
 * end of the job commit together, or not at all and the event is handled again.
 */
export class EventContext<Event> {
  readonly event: Event;
  readonly conversationId: string | null;
  /** The conversation at the start; later code reads it with `conversationOf`. */
  readonly conversation: Conversation | undefined;
  readonly receivedAt: Date;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** False if work on it may have started before, counted as an attempt or not. */
  readonly firstAttempt: boolean;
  #finished = false;
  readonly #bridge: Deps;
  readonly #job: Job<unknown>;
  readonly #inboxId: string | null;
  readonly #kind: string;
  readonly #also: ((tx: Tx<BridgeTables>) => Promise<void>) | undefined;

  constructor(
    bridge: Deps,
    job: Job<unknown>,
    row: {
      id: string | null;
      kind: string;
      event: Event;
      conversationId: string | null;
      conversation?: Conversation | undefined;
      receivedAt: Date;
      /** Set if work on it may have started under another conversation's ordering key. */
      again?: boolean | undefined;
      /** Written when the event is finished. */
      also?: ((tx: Tx<BridgeTables>) => Promise<void>) | undefined;
    },
  ) {
    this.#bridge = bridge;
    this.#job = job;
    this.#inboxId = row.id;
    this.#kind = row.kind;
    this.#also = row.also;
    this.event = row.event;
    this.conversationId = row.conversationId;
    this.conversation = row.conversation;
    this.receivedAt = row.receivedAt;
    this.attempt = job.attempt;
    this.firstAttempt = job.firstAttempt && row.again !== true;
  }

  /** The stored event; null if there is none. */
  get inboxId(): string | null {
    return this.#inboxId;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Continues under the ordering key of the conversation that the event belongs to. */
  async move(
    queue: string,
    conversationId: string,
    write?: (tx: Tx<BridgeTables>) => Promise<void>,
  ): Promise<void> {
    await transaction(this.#bridge.database.db, async (tx) => {
      await write?.(tx);
      await tx
        .updateTable('inbox')
        .set({ conversation_id: conversationId })
        .where('id', '=', this.#inboxId)
        .execute();
      await enqueue(tx, [
        {
          queue,
          orderingKey: conversationId,
          payload: { inbox: this.#inboxId, ...(this.firstAttempt ? {} : { again: true }) },
        },
      ]);
      await this.#job.completeLast(tx);
    });
    this.#finished = true;
  }

  /** `outcome` says in a few words what was decided and by which rule; it is stored with the event (B55). */
  async finish(outcome: string, write?: (tx: Tx<BridgeTables>) => Promise<void>): Promise<void> {
    const { database, clock, log, metrics } = this.#bridge;
    await transaction(database.db, async (tx) => {
      await write?.(tx);
      await this.#also?.(tx);
      if (this.#inboxId !== null)
        await tx
          .updateTable('inbox')
          .set({ outcome, done_at: clock.now() })
          .where('id', '=', this.#inboxId)
          .execute();
      await this.#job.completeLast(tx);
    });
    this.#finished = true;
    const waitedMs = clock.now().getTime() - this.receivedAt.getTime();
    metrics.eventSeconds.observe({ kind: this.#kind }, waitedMs / 1000);
    log.info(
      {
        event: 'inbox.done',
        inbox: this.#inboxId,
        kind: this.#kind,
        conversation: this.conversationId,
        outcome,
        attempt: this.#job.attempt,
        waitedMs,
      },
      'event worked',
    );
  }
}
