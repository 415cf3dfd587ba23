import { GiveUp } from '../../platform/engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { BridgeMetrics } from '../metrics.ts';
import type { Conversation } from '../store/conversations.ts';
import type { OnLinked } from '../store/links.ts';
import { type BridgeTx, type Done, EVENT, type NewWork, type Work, workFor, type Write } from '../work.ts';
import { type Added, checkUntitled, recordAdded } from './finish.ts';
import type { MessageState } from './stored-event.ts';

type Deps = OnLinked & { clock: Clock; log: Log; metrics: BridgeMetrics };

/**
 * The context in which one event is handled. A handler ends it with `finish`: the outcome, the handler's rows and the
 * end of its work commit together, or not at all, and then the event is handled again. A handler returns the result of
 * `finish`, so that none can forget to end its event.
 */
export class EventContext<Event> {
  readonly event: Event;
  readonly conversationId: string | null;
  /** The conversation at the start; later code reads it with `conversationOf`. */
  readonly conversation: Conversation | undefined;
  /** The state of a message at the start. */
  readonly state: MessageState | undefined;
  readonly receivedAt: Date;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** False if work on it may have started before, counted as an attempt or not. */
  readonly firstAttempt: boolean;
  #done: Done | undefined;
  #isClaimed = false;
  readonly #afterwards: (() => Promise<void>)[] = [];
  readonly #bridge: Deps;
  readonly #inboxId: string | null;
  readonly #kind: string;
  readonly #notice: NewWork | undefined;

  constructor(
    bridge: Deps,
    work: Pick<Work<unknown>, 'attempt' | 'isFirst'>,
    row: {
      id: string | null;
      kind: string;
      event: Event;
      conversationId: string | null;
      conversation?: Conversation | undefined;
      state?: MessageState | undefined;
      receivedAt: Date;
      /** Set if work on it may have started in another lane. */
      again?: boolean | undefined;
      /** Added when the event is finished. */
      notice?: NewWork | undefined;
    },
  ) {
    this.#bridge = bridge;
    this.#inboxId = row.id;
    this.#kind = row.kind;
    this.#notice = row.notice;
    this.event = row.event;
    this.conversationId = row.conversationId;
    this.conversation = row.conversation;
    this.state = row.state;
    this.receivedAt = row.receivedAt;
    this.attempt = work.attempt;
    this.firstAttempt = work.isFirst && row.again !== true;
  }

  /** The stored event; null if there is none. */
  get inboxId(): string | null {
    return this.#inboxId;
  }

  /** The result of its work; undefined until a handler has finished it. */
  get done(): Done | undefined {
    return this.#done;
  }

  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Reserves the event for one listener. Throws GiveUp if another listener has claimed it. */
  claim(): void {
    if (this.#isClaimed) throw new GiveUp('two listeners claimed one event');
    this.#isClaimed = true;
  }

  /** Calls `follow` once the event's end is committed, without a guarantee: to answer the person who acted. */
  afterwards(follow: () => Promise<void>): void {
    this.#afterwards.push(follow);
  }

  /** Writes, then handles the event once more in the same position: it now belongs to another conversation. */
  again(write: Write): Done {
    return this.#end({ outcome: 'handled again', write, again: true });
  }

  /** Moves the event to the lane of the conversation that it belongs to. */
  move(conversationId: string): Done {
    const inbox = this.#inboxId;
    if (inbox === null) throw new Error('only a stored event can move to another conversation');
    return this.#end({
      outcome: 'moved to its conversation',
      write: async (tx) => {
        await tx
          .updateTable('inbox')
          .set({ conversation_id: conversationId })
          .where('id', '=', inbox)
          .execute();
        const body = { inbox, ...(this.firstAttempt ? {} : { again: true as const }) };
        tx.plan.add(workFor(EVENT, conversationId, body));
      },
    });
  }

  /**
   * Ends the event: `write` runs once its handler has returned.
   * @param outcome the decision in a few words; stored with the event (B55).
   */
  finish(outcome: string, write?: Write, added: Added = {}): Done {
    return this.#end({
      outcome,
      write: async (tx) => {
        const { conversation } = this;
        if (conversation?.ticket_id === null) await checkUntitled(tx, conversation.id);
        await write?.(tx);
        await recordAdded(tx, this.#bridge, { notice: this.#notice, ...added });
        await this.#recordOutcome(tx, outcome);
      },
      afterwards: async () => {
        this.#report(outcome);
        for (const follow of this.#afterwards) await follow();
      },
    });
  }

  #end(done: Done): Done {
    if (this.#done) throw new Error('two handlers finished one event');
    this.#done = done;
    return done;
  }

  async #recordOutcome(tx: BridgeTx, outcome: string): Promise<void> {
    if (this.#inboxId === null) return;
    await tx
      .updateTable('inbox')
      .set({ outcome: outcome.toWellFormed(), done_at: this.#bridge.clock.now() })
      .where('id', '=', this.#inboxId)
      .execute();
  }

  #report(outcome: string): void {
    const { metrics, clock, log } = this.#bridge;
    const waitedMs = clock.now().getTime() - this.receivedAt.getTime();
    metrics.eventSeconds.observe({ kind: this.#kind }, waitedMs / 1000);
    log.info(
      {
        event: 'inbox.done',
        inbox: this.#inboxId,
        kind: this.#kind,
        conversation: this.conversationId,
        outcome,
        attempt: this.attempt,
        waitedMs,
      },
      'event worked',
    );
  }
}
