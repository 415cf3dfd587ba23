import { type Database, type Tx, transaction } from '../../platform/database/open.ts';
import { enqueue, type Job, type NewJob } from '../../platform/jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { BridgeMetrics } from '../metrics.ts';
import { type Added, checkUntitled, completedOf, type FinishEvent, finishEvents } from './finish.ts';
import type { MessageState } from './stored-event.ts';
import type { Conversation } from '../threads/conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';

interface Deps {
  database: Database<BridgeTables>;
  inbox: { finish: FinishEvent };
  clock: Clock;
  log: Log;
  metrics: BridgeMetrics;
}

type Write = (tx: Tx<BridgeTables>) => Promise<void>;

/**
 * The context in which one event is handled. A handler ends it with `finish`: its outcome, the rows it writes and the
 * end of the job commit together, or not at all and the event is handled again.
 */
export class EventContext<Event> {
  readonly event: Event;
  readonly conversationId: string | null;
  /** The conversation at the start; later code reads it with `conversationOf`. */
  readonly conversation: Conversation | undefined;
  /** Of a message, at the start. */
  readonly state: MessageState | undefined;
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
  readonly #also: Write | undefined;
  readonly #notice: NewJob | undefined;

  constructor(
    bridge: Deps,
    job: Job<unknown>,
    row: {
      id: string | null;
      kind: string;
      event: Event;
      conversationId: string | null;
      conversation?: Conversation | undefined;
      state?: MessageState | undefined;
      receivedAt: Date;
      /** Set if work on it may have started under another conversation's ordering key. */
      again?: boolean | undefined;
      /** Written when the event is finished. */
      also?: Write | undefined;
      /** Added when the event is finished, unless one waits. */
      notice?: NewJob | undefined;
    },
  ) {
    this.#bridge = bridge;
    this.#job = job;
    this.#inboxId = row.id;
    this.#kind = row.kind;
    this.#also = row.also;
    this.#notice = row.notice;
    this.event = row.event;
    this.conversationId = row.conversationId;
    this.conversation = row.conversation;
    this.state = row.state;
    this.receivedAt = row.receivedAt;
    this.attempt = job.attempt;
    this.firstAttempt = job.firstAttempt && row.again !== true;
  }

  /** The stored event; null if there is none. */
  get inboxId(): string | null {
    return this.#inboxId;
  }

  /** Its job, to look for others of the same ordering key. */
  get job(): Pick<Job<unknown>, 'id' | 'queue' | 'orderingKey' | 'followsAnother'> {
    return this.#job;
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

  /**
   * `outcome` says in a few words what was decided and by which rule; it is stored with the event (B55). Without `write`
   * it is all one statement.
   * @throws RetryLater if the thread had no ticket at the start and has one now: a copy of its card was recorded
   *   meanwhile (B26), which has only finished events handled again.
   */
  async finish(outcome: string, write?: Write, addition?: Added): Promise<void> {
    const { database, clock, log, metrics } = this.#bridge;
    const also = this.#also;
    await this.#job.completeWith(async (ending) => {
      const untitled = this.conversation?.ticket_id === null ? this.conversation.id : null;
      const added = { notice: this.#notice, ...addition };
      const finishing = { event: this.#inboxId, outcome, untitled, added, ending };
      if (!write && !also) return completedOf(ending, await this.#bridge.inbox.finish(finishing));
      return transaction(database.db, async (tx) => {
        if (untitled !== null) await checkUntitled(tx, untitled);
        await write?.(tx);
        await also?.(tx);
        const { rows } = await finishEvents(tx, [{ ...finishing, untitled: null }], clock.now());
        return completedOf(ending, rows[0]);
      });
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
