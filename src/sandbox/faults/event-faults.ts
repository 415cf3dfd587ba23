import type { AlarmClock } from '../clock.ts';
import type { Entry, Journal } from '../journal.ts';
import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { type Outgoing, storeEnvelope } from '../workspace/workspace.ts';
import type { Chaos } from './chaos.ts';
import { type EventFault, type Listed, Rules, strikes, subjectOf } from './rules.ts';

export interface EventFaultParts {
  clock: AlarmClock;
  /** How long an acknowledgement may take; default, Slack's three seconds. */
  patienceMs: number | undefined;
  db: Database;
  ids: IdMaker;
  journal: Journal;
  chance: () => number;
  chaos: Chaos;
  /** The next stage: delivers envelopes to the apps. */
  deliver: (envelopes: Outgoing[]) => void;
  /** Cuts connections without a closing handshake. */
  cut: (connections: string[]) => void;
}

/** The planned faults of one envelope. */
interface Planned {
  envelope: Outgoing;
  /** Acknowledgements that are still to be lost. */
  acks: number;
  cut?: EventFault['when'];
  /** Planned by chaos: it ends as soon as any delivery has failed. */
  byChaos: boolean;
}

/** Envelopes that are held back, in the order in which they will be sent. */
interface Held {
  envelopes: Outgoing[];
  cancel: () => void;
}

/**
 * A stage before the delivery of envelopes that applies faults: it repeats, delays, reorders or drops them, loses
 * acknowledgements, and cuts connections. Envelopes that it holds back are stored as waiting, so a restart delivers
 * them.
 */
export class EventFaults {
  readonly #parts: EventFaultParts;
  readonly #rules: Rules<EventFault>;
  readonly #held = new Set<Held>();
  /** The window being filled, and its remaining room. */
  #window: { held: Held; room: number } | undefined;
  /** By the envelope's row. */
  readonly #planned = new Map<number, Planned>();
  /** Rows with a failed delivery that are not acknowledged: another failure would delay them by minutes. */
  readonly #fragile = new Set<number>();
  /** Connections that are cut, and not closed yet. */
  readonly #cutting = new Set<string>();

  constructor(parts: EventFaultParts) {
    this.#parts = parts;
    this.#rules = new Rules(parts.clock, parts.chance);
    parts.journal.subscribe((entry) => this.#follow(entry));
  }

  add(faults: readonly EventFault[]): void {
    for (const fault of faults) this.#rules.add(fault);
  }

  /** Clears all faults, and sends envelopes that are held back. */
  clear(): void {
    this.#rules.clear();
    this.#planned.clear();
    for (const held of Array.from(this.#held)) this.#release(held);
  }

  list(): Listed<EventFault>[] {
    return this.#rules.list();
  }

  /** The number of envelopes that are held back. */
  get held(): number {
    return Array.from(this.#held).reduce((sum, { envelopes }) => sum + envelopes.length, 0);
  }

  /** Drops envelopes that are held back (the workspace was emptied). */
  forget(): void {
    this.#rules.clear();
    this.#planned.clear();
    this.#fragile.clear();
    for (const held of Array.from(this.#held)) {
      this.#take(held);
      for (const { settle } of held.envelopes) settle?.({ error: 'dispatch_failed' });
    }
  }

  /** Applies faults to stored envelopes, and passes on the others. */
  deliver(envelopes: readonly Outgoing[]): void {
    for (const envelope of envelopes) {
      const window = this.#window;
      if (window && envelope.kind === 'events_api') this.#fill(window, envelope);
      else this.#pass(envelope);
    }
  }

  /**
   * Whether an acknowledgement that arrived counts as lost. The delivery calls it for each one, with its connection.
   */
  losesAck(seq: number, connection: string): boolean {
    const planned = this.#planned.get(seq);
    if (!planned) return false;
    if (planned.cut === 'after_ack') {
      this.#cut(planned, connection);
      return false;
    }
    if (planned.acks === 0) return false;
    planned.acks -= 1;
    if (planned.acks === 0) this.#planned.delete(seq);
    if (planned.cut === 'before_ack') this.#cut(planned, connection);
    else this.#record('ack_lost', planned.envelope);
    return true;
  }

  /** Whether chaos may cut a connection: nothing has failed yet, or is about to. */
  get #mayCut(): boolean {
    const planned = [...this.#planned.values()].some(({ cut }) => cut !== undefined);
    return !planned && this.#fragile.size === 0 && this.#cutting.size === 0;
  }

  #pass(envelope: Outgoing): void {
    const { chaos } = this.#parts;
    const asked = this.#rules.take((rule) => strikes(rule, envelope));
    const fault = asked ?? (envelope.kind === 'events_api' ? chaos.eventFault(this.#mayCut) : undefined);
    if (!fault) {
      this.#parts.deliver([envelope]);
      return;
    }
    switch (fault.kind) {
      case 'duplicate':
        this.#record(fault.kind, envelope);
        this.#parts.deliver([envelope]);
        this.#repeat(envelope, fault);
        return;
      case 'delay':
        this.#record(fault.kind, envelope);
        this.#hold([envelope], fault.ms);
        return;
      case 'reorder':
        this.#record(fault.kind, envelope);
        this.#window = { held: this.#hold([envelope], fault.ms), room: fault.window - 1 };
        return;
      case 'ack_lost':
        this.#planned.set(envelope.seq, { envelope, acks: fault.acks, byChaos: !asked });
        this.#parts.deliver([envelope]);
        return;
      case 'cut':
        this.#planned.set(envelope.seq, {
          envelope,
          acks: fault.when === 'before_ack' ? 1 : 0,
          cut: fault.when,
          byChaos: !asked,
        });
        this.#parts.deliver([envelope]);
        return;
      case 'drop':
        this.#record(fault.kind, envelope);
        this.#drop(envelope);
        return;
    }
  }

  /** The newest goes first. */
  #fill(window: { held: Held; room: number }, envelope: Outgoing): void {
    window.held.envelopes.unshift(envelope);
    window.room -= 1;
    if (window.room === 0) this.#release(window.held);
  }

  #hold(envelopes: Outgoing[], milliseconds: number): Held {
    const held: Held = { envelopes, cancel: () => undefined };
    this.#held.add(held);
    held.cancel = this.#after(milliseconds, () => this.#release(held));
    return held;
  }

  #release(held: Held): void {
    if (this.#take(held)) this.#parts.deliver(held.envelopes);
  }

  #take(held: Held): boolean {
    held.cancel();
    if (this.#window?.held === held) this.#window = undefined;
    return this.#held.delete(held);
  }

  /**
   * Slack repeats a message under new event ids when it takes its own delivery for failed (slackapi/bolt-js issues).
   */
  #repeat(envelope: Outgoing, { copies, every }: EventFault): void {
    for (let copy = 1; copy <= copies; copy += 1) {
      if (every === 0) this.#copy(envelope);
      else this.#after(copy * every, () => this.#copy(envelope));
    }
  }

  #copy({ appId, kind, body }: Outgoing): void {
    const { db, ids, clock, deliver } = this.#parts;
    const id = ids.slackId('Ev');
    const again =
      kind === 'events_api' ? { ...structuredClone(body), event_id: id, event_context: `4-${id}` } : body;
    const now = clock.now();
    deliver([storeEnvelope(db, { appId, kind, body: again }, now)]);
  }

  #drop(envelope: Outgoing): void {
    const { settle } = envelope;
    if (settle)
      this.#after(this.#parts.patienceMs ?? LIMITS.ackMs, () => settle({ error: 'operation_timeout' }));
    this.#parts.db.run('delete from envelope where seq = ?', envelope.seq);
  }

  #follow(entry: Entry): void {
    if (entry.kind === 'envelope') {
      const planned = this.#planned.get(entry.delivery);
      if (entry.retry_attempt > 0) this.#fragile.add(entry.delivery);
      if (entry.retry_attempt > 0 && planned?.byChaos) this.#planned.delete(entry.delivery);
      else if (planned?.cut === 'sent') this.#cut(planned, entry.connection);
    } else if (entry.kind === 'unacked' && entry.next === 'retry') {
      this.#fragile.add(entry.delivery);
      if (this.#planned.get(entry.delivery)?.byChaos) this.#planned.delete(entry.delivery);
    } else if (entry.kind === 'connection') {
      if (entry.what === 'closed') this.#cutting.delete(entry.id);
    } else if (entry.kind === 'ack' || entry.kind === 'unacked') {
      this.#fragile.delete(entry.delivery);
      this.#planned.delete(entry.delivery);
    }
  }

  #cut(planned: Planned, connection: string): void {
    this.#planned.delete(planned.envelope.seq);
    this.#record('cut', planned.envelope);
    this.#cutting.add(connection);
    // After the current step: the envelope is sent, or its acknowledgement handled.
    queueMicrotask(() => this.#parts.cut([connection]));
  }

  #after(milliseconds: number, act: () => void): () => void {
    const { clock } = this.#parts;
    return clock.alarm(new Date(clock.now().getTime() + milliseconds), act);
  }

  #record(fault: EventFault['kind'], envelope: Outgoing): void {
    this.#parts.journal.record('fault', { fault, delivery: envelope.seq, ...subjectOf(envelope) });
  }
}
