import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { Journal } from '../journal.ts';
import { LIMITS } from '../limits.ts';
import type { Tables } from '../schema/tables.ts';
import type { IdMaker } from '../workspace/ids.ts';
import type { Outgoing } from '../workspace/workspace.ts';
import type { Connection, Connections } from './connections.ts';
import { EnvelopeStore } from './envelope-store.ts';
import { describe, type Item, ReadyQueue } from './ready-queue.ts';

/** Envelopes on their way on one connection at once; the rest waits. Assumed: Slack names no figure. */
const IN_FLIGHT_PER_CONNECTION = 200;

interface Flight {
  item: Item;
  connection: Connection;
  sentAt: number;
}

/**
 * Hands each envelope to exactly one connection and sees to its acknowledgement: three seconds, then again at once,
 * after one and after five minutes (docs.slack.dev/apis/events-api). Events that meet no connection wait for one.
 * What a person is waiting for (commands, buttons) is tried once.
 */
export class Dispatcher {
  readonly #clock: Clock;
  readonly #db: Db<Tables>;
  readonly #ids: IdMaker;
  readonly #journal: Journal;
  readonly #connections: Connections;
  readonly #store: EnvelopeStore;
  readonly #log: Log;
  readonly #ready = new ReadyQueue();
  readonly #later = new Set<Item>();
  /** By envelope id, in the order sent; so the first one is the first to run out of time. */
  readonly #flights = new Map<string, Flight>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: {
    clock: Clock;
    db: Db<Tables>;
    ids: IdMaker;
    journal: Journal;
    connections: Connections;
    log: Log;
  }) {
    this.#clock = parts.clock;
    this.#db = parts.db;
    this.#ids = parts.ids;
    this.#journal = parts.journal;
    this.#connections = parts.connections;
    this.#log = parts.log;
    this.#store = new EnvelopeStore(parts.db, parts.log);
    this.#connections.listen({
      opened: () => this.tick(),
      closed: (connection) => this.#lost(connection),
      acknowledged: (connection, envelopeId, payload) => this.#acknowledged(connection, envelopeId, payload),
    });
  }

  /** Takes up what an earlier run left undelivered. What a person was waiting for then is over. */
  async load(): Promise<void> {
    await this.#db
      .deleteFrom('envelope')
      .where((where) => where.or([where('state', '<>', 'waiting'), where('kind', '<>', 'events_api')]))
      .execute();
    const rows = await this.#db.selectFrom('envelope').selectAll().orderBy('seq').execute();
    const items = rows.map((row) => ({
      seq: row.seq,
      appId: row.app_id,
      kind: row.kind,
      body: row.body,
      attempt: Math.min(Math.max(row.attempt, 1), LIMITS.retryDelaysMs.length),
      reason: row.reason || 'timeout',
      dueAt: row.due_at.getTime(),
    }));
    this.#ready.add(items);
  }

  deliver(envelopes: readonly Outgoing[]): void {
    const now = this.#now();
    for (const envelope of envelopes) this.#enqueue({ ...envelope, attempt: 0, reason: '', dueAt: now });
    this.#pump();
  }

  /** Does what has become due by the clock; the timer calls it, and tests that moved the clock. */
  tick(): void {
    const now = this.#now();
    for (const [envelopeId, flight] of this.#flights) {
      if (flight.sentAt + LIMITS.ackMs > now) break;
      this.#land(envelopeId, flight);
      this.#failed(flight.item, 'timeout');
    }
    const due = [...this.#later].filter(({ dueAt }) => dueAt <= now);
    for (const item of due) this.#later.delete(item);
    if (due.length > 0) this.#ready.insert(due);
    this.#pump();
  }

  /** Envelopes that are not acknowledged yet. */
  get undelivered(): number {
    return this.#ready.size + this.#later.size + this.#flights.size;
  }

  /** Forgets everything (the workspace was emptied). */
  async clear(): Promise<void> {
    this.#ready.clear();
    this.#later.clear();
    for (const { item } of this.#flights.values()) item.settle?.({ error: 'dispatch_failed' });
    this.#flights.clear();
    await this.#store.settled();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const { item } of this.#flights.values()) item.settle?.({ error: 'operation_timeout' });
    await this.#store.settled();
  }

  #enqueue(item: Item): void {
    if (!this.#connections.has(item.appId)) {
      if (item.kind !== 'events_api') {
        this.#drop(item, 'dispatch_failed');
        return;
      }
      // Nobody is there: the first delivery has failed, and the retry comes when somebody connects.
      item.attempt = 1;
      item.reason = 'timeout';
      this.#note(item);
    }
    this.#ready.add([item]);
  }

  #pump(): void {
    if (this.#stopped) return;
    this.#ready.drain((item) => {
      const connection = this.#connections.next(item.appId, IN_FLIGHT_PER_CONNECTION);
      if (connection) this.#send(item, connection);
      return connection !== undefined;
    });
    this.#schedule();
  }

  #send(item: Item, connection: Connection): void {
    const envelopeId = this.#ids.uuid();
    const events = item.kind === 'events_api';
    const retryAttempt = item.attempt;
    item.attempt += 1;
    connection.inFlight += 1;
    this.#flights.set(envelopeId, { item, connection, sentAt: this.#now() });
    this.#note(item);
    connection.socket.send(
      JSON.stringify({
        envelope_id: envelopeId,
        payload: item.body,
        type: item.kind,
        accepts_response_payload: !events,
        ...(events ? { retry_attempt: retryAttempt, retry_reason: item.reason } : {}),
      }),
    );
    this.#journal.record('envelope', {
      envelope_id: envelopeId,
      connection: connection.id,
      kind: item.kind,
      ...describe(item),
      retry_attempt: retryAttempt,
    });
  }

  #acknowledged(connection: Connection, envelopeId: string, payload: unknown): void {
    const flight = this.#flights.get(envelopeId);
    // Too late (the retry is on its way), or never sent to this connection: as if it had not come.
    if (flight?.connection !== connection) return;
    this.#land(envelopeId, flight);
    const { item, sentAt } = flight;
    this.#note(item, 'acked');
    const { event_id } = describe(item);
    this.#journal.record('ack', {
      envelope_id: envelopeId,
      connection: connection.id,
      ...(event_id === undefined ? {} : { event_id }),
      payload,
      ms: this.#now() - sentAt,
    });
    item.settle?.({ payload });
    this.#pump();
  }

  #lost(connection: Connection): void {
    for (const [envelopeId, flight] of this.#flights) {
      if (flight.connection !== connection) continue;
      this.#land(envelopeId, flight);
      this.#failed(flight.item, 'timeout');
    }
    this.#pump();
  }

  #land(envelopeId: string, flight: Flight): void {
    this.#flights.delete(envelopeId);
    flight.connection.inFlight -= 1;
  }

  /** A delivery was not acknowledged: what follows. */
  #failed(item: Item, reason: string): void {
    if (item.kind !== 'events_api') {
      this.#drop(item, 'operation_timeout');
      return;
    }
    const delay = LIMITS.retryDelaysMs[item.attempt - 1];
    if (delay === undefined) {
      this.#drop(item, reason);
      return;
    }
    item.reason = reason;
    // Without any connection there is nothing to wait for but the next one.
    item.dueAt = this.#connections.has(item.appId) ? this.#now() + delay : this.#now();
    this.#note(item);
    this.#journal.record('unacked', { ...describe(item), reason, attempt: item.attempt, next: 'retry' });
    if (item.dueAt > this.#now()) this.#later.add(item);
    else this.#ready.insert([item]);
  }

  #drop(item: Item, reason: string): void {
    this.#note({ ...item, reason }, 'dropped');
    this.#journal.record('unacked', { ...describe(item), reason, attempt: item.attempt, next: 'dropped' });
    if (item.kind === 'events_api')
      this.#log.warn(describe(item), 'an event was never acknowledged and is given up, as Slack does');
    item.settle?.({ error: reason === 'dispatch_failed' ? 'dispatch_failed' : 'operation_timeout' });
  }

  #note({ seq, attempt, reason, dueAt }: Item, state: 'waiting' | 'acked' | 'dropped' = 'waiting'): void {
    this.#store.note({ seq, state, attempt, reason, dueAt });
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const [firstFlight] = this.#flights.values();
    const times = [...this.#later].map(({ dueAt }) => dueAt);
    if (firstFlight) times.push(firstFlight.sentAt + LIMITS.ackMs);
    if (times.length === 0) return;
    const wait = Math.max(10, Math.min(...times) - this.#now());
    this.#timer = setTimeout(() => this.tick(), wait);
    this.#timer.unref();
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
