import { type RawBuilder, sql } from 'kysely';

import { again, type Database, type Db, type Tx, transaction } from '../../platform/database/open.ts';
import {
  type Claim,
  type Completed,
  enqueue,
  type Job,
  type NewJob,
  RetryLater,
  tracedPayload,
} from '../../platform/jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { BridgeMetrics } from '../metrics.ts';
import { messageKey } from '../slack/ids.ts';
import type { MessageState } from './store.ts';
import type { Conversation } from '../threads/conversations.ts';
import type { InboundLink } from '../threads/messages.ts';
import type { BridgeTables } from '../schema/tables.ts';

interface Deps {
  database: Database<BridgeTables>;
  clock: Clock;
  log: Log;
  metrics: BridgeMetrics;
}

type Write = (tx: Tx<BridgeTables>) => Promise<void>;

/** What is recorded of a message that was added to its ticket. */
interface Added {
  link?: InboundLink | undefined;
  /** Added unless one waits. */
  notice?: NewJob | undefined;
  /** Added if the ticket is read in direct messages, too (B27). */
  mirror?: NewJob | undefined;
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
  async finish(outcome: string, write?: Write, added?: Added): Promise<void> {
    const { database, clock, log, metrics } = this.#bridge;
    const also = this.#also;
    await this.#job.completeWith((claim) =>
      write || also
        ? transaction(database.db, async (tx) => {
            if (this.#withoutTicket) {
              const { rows } = await this.#withoutTicket.execute(tx);
              if (rows.length === 0) throw gainedTicket();
            }
            await write?.(tx);
            await also?.(tx);
            const [row] = await this.#end(tx, claim, outcome, added);
            return row?.ended;
          })
        : again(async () => {
            const [row] = await this.#end(database.db, claim, outcome, added, this.#withoutTicket);
            if (!row) throw gainedTicket();
            return row.ended;
          }),
    );
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

  /** Locks the conversation, as a row only while it has no ticket; undefined if it had one at the start. */
  get #withoutTicket(): RawBuilder<unknown> | undefined {
    if (this.conversation?.ticket_id !== null) return undefined;
    return sql`select 1 from (select ticket_id from conversation where id = ${this.conversation.id} for no key update)
      as locked where ticket_id is null`;
  }

  /** @param condition a query; without a row of it nothing is done. */
  async #end(
    db: Db<BridgeTables>,
    { id, worker, fence, queue, orderingKey }: Claim,
    outcome: string,
    { link, notice = this.#notice, mirror }: Added = {},
    condition: RawBuilder<unknown> = sql`select 1`,
  ): Promise<{ ended: Completed }[]> {
    const linked = link ? JSON.stringify(link) : null;
    const lock = link ? messageKey({ team: link.team_id, channel: link.channel_id, ts: link.ts }) : null;
    const asJson = (added: NewJob | undefined) =>
      added ? JSON.stringify({ ...added, payload: JSON.stringify(tracedPayload(added.payload)) }) : null;
    const { rows } = await sql<{ ended: Completed }>`
      select finish_event(${this.#inboxId}, ${outcome}, ${this.#bridge.clock.now()}, ${linked}, ${lock}, ${asJson(notice)},
        ${asJson(mirror)}, ${id}, ${worker}, ${fence}, ${queue}, ${orderingKey}) as ended from (${condition}) as condition`.execute(
      db,
    );
    return rows;
  }
}

const gainedTicket = () =>
  new RetryLater('its thread was given a ticket just now', { afterMs: 0, countAttempt: false });
