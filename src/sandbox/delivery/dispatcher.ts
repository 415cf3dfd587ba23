import type { Log } from '../../platform/log.ts';
import type { AlarmClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { teamIn } from '../faults/rules.ts';
import type { RegisteredApp, RegisteredApps } from '../workspace/apps.ts';
import type { Outgoing, Outcome } from '../workspace/workspace.ts';
import type { Connection, Connections } from './connections.ts';
import { describe, type EventBudget, type Item, ReadyQueue } from './ready-queue.ts';
import type { Delivered, HttpRequests } from './http-requests.ts';

/** Envelopes on their way on one connection, or by HTTP, at once; the rest waits. Assumed: Slack names no figure. */
const IN_FLIGHT = 200;
/** All retries would be over by then, from the first delivery on. */
const RETRIES_MS = LIMITS.retryDelaysMs.reduce<number>((sum, delay) => sum + delay, 0);
/** The connection id of HTTP in the log. */
const HTTP = 'http';
const LONGEST_RETRY_MS = Math.max(...LIMITS.retryDelaysMs);

/** The error that a person sees if their command or click failed. */
type ShownError = Extract<Outcome, { error: string }>['error'];

interface Flight {
  item: Item;
  /** The connection's id, or HTTP. */
  via: string;
  sentAt: number;
  /** The error if it is not acknowledged in time. */
  timeout: 'timeout' | 'http_timeout';
  /** It is acknowledged, or its sender no longer waits. */
  land: () => void;
}

interface DispatcherParts {
  clock: AlarmClock;
  /** How long an acknowledgement may take; default, Slack's three seconds. */
  patienceMs: number | undefined;
  db: Database;
  ids: IdMaker;
  journal: Journal;
  connections: Connections;
  http: HttpRequests;
  apps: Pick<RegisteredApps, 'get'>;
  budget: EventBudget;
  /** Notifies an app that events of a workspace were left out since this minute (Unix seconds). */
  limited: (appId: string, teamId: string, since: number) => void;
  log: Log;
}

/**
 * Hands each envelope to exactly one connection, or to the app's request URL, and sees to its acknowledgement: three
 * seconds, then again at once, after one and after five minutes (docs.slack.dev/apis/events-api). Events that meet no
 * connection wait for one until the retries would be over. What a person is waiting for (commands, buttons) is tried
 * once.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #ackMs: number;
  readonly #giveUpMs: number;
  readonly #ready = new ReadyQueue();
  readonly #later = new Set<Item>();
  /** By envelope id, in the order sent; so the first one is the first to run out of time. */
  readonly #flights = new Map<string, Flight>();
  /** Requests on their way, by app. */
  readonly #posting = new Map<string, number>();
  #cancelAlarm: () => void = () => undefined;
  /** The time for which the timer is set. */
  #seen = 0;
  #stopped = false;

  /** Set by the start-up: whether an acknowledgement that has come counts as not come (a fault that was asked for). */
  losesAck: (seq: number, via: string) => boolean = () => false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#ackMs = parts.patienceMs ?? LIMITS.ackMs;
    this.#giveUpMs = RETRIES_MS + 4 * this.#ackMs;
    this.#parts.connections.listen({
      opened: () => this.tick(),
      closed: (connection) => this.#lost(connection),
      acknowledged: (connection, envelopeId, payload) => this.#acknowledged(connection, envelopeId, payload),
    });
  }

  /** Resumes undelivered envelopes of an earlier run. Commands and clicks of that run are dropped. */
  load(): void {
    this.#parts.db.run(`delete from envelope where kind <> 'events_api'`);
    const rows = this.#parts.db.query<Tables['envelope']>('select * from envelope order by seq').all();
    const items = rows.map((row) => ({
      seq: row.seq,
      appId: row.app_id,
      kind: row.kind,
      body: row.body,
      attempt: Math.min(Math.max(row.attempt, 1), LIMITS.retryDelaysMs.length),
      reason: row.reason || 'timeout',
      dueAt: row.due_at.getTime(),
      since: row.created_at.getTime(),
    }));
    this.#ready.add(items);
  }

  deliver(envelopes: readonly Outgoing[]): void {
    const now = this.#now();
    for (const envelope of envelopes)
      this.#enqueue({ ...envelope, attempt: 0, reason: '', dueAt: now, since: now });
    this.#pump();
  }

  /** Runs what is due; called by the timer, and by tests that moved the clock. */
  tick(): void {
    const now = this.#now();
    for (const [envelopeId, flight] of this.#flights) {
      if (flight.sentAt + this.#ackMs > now) break;
      this.#land(envelopeId, flight);
      this.#failed(flight.item, flight.timeout);
    }
    const due = [...this.#later].filter(({ dueAt }) => dueAt <= now);
    for (const item of due) this.#later.delete(item);
    if (due.length > 0) this.#ready.insert(due);
    this.#giveUp(now - this.#giveUpMs);
    this.#pump();
  }

  /** Drops envelopes without a connection since before then. */
  #giveUp(before: number): void {
    const lost = this.#ready.take((item) => item.since <= before && !this.#reachable(item));
    for (const item of lost) this.#drop(item, item.reason, 'dispatch_failed');
  }

  /** The app could be reached now. */
  #reachable(item: Item): boolean {
    return this.#byHttp(item) !== undefined || this.#parts.connections.has(item.appId);
  }

  /** Envelopes that are not acknowledged yet. */
  get undelivered(): number {
    return this.#ready.size + this.#later.size + this.#flights.size;
  }

  /** Envelopes that an app has been sent, and may still acknowledge. */
  get inFlight(): number {
    return this.#flights.size;
  }

  /** Tells an app no more events of a workspace than these within an hour, from now on. */
  allowEvents(perHour: number): void {
    this.#parts.budget.allow(perHour);
  }

  /** Drops everything (the workspace was emptied). */
  clear(): void {
    this.#ready.clear();
    this.#later.clear();
    this.#parts.budget.clear();
    this.#abandon('dispatch_failed');
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelAlarm();
    this.#abandon('operation_timeout');
  }

  /** Ends everything in flight; senders get the reason. */
  #abandon(error: ShownError): void {
    const flights = [...this.#flights.values()];
    this.#flights.clear();
    for (const { item, land } of flights) {
      land();
      item.settle?.({ error });
    }
  }

  /** Whether the hour has room for this; else it is left out, and the app is notified once a minute. */
  #affords(item: Item): boolean {
    if (item.body['type'] !== 'event_callback') return true;
    const teamId = teamIn(item.body) ?? '';
    const decision = this.#parts.budget.spend(`${item.appId} ${teamId}`, item.since);
    if (decision === 'deliver') return true;
    this.#drop(item, 'rate_limited', 'dispatch_failed');
    if (decision === 'drop-and-report')
      this.#parts.limited(item.appId, teamId, Math.floor(item.since / 60_000) * 60);
    return false;
  }

  #enqueue(item: Item): void {
    if (!this.#affords(item)) return;
    if (!this.#reachable(item)) {
      if (item.kind !== 'events_api') {
        this.#drop(item, 'dispatch_failed', 'dispatch_failed');
        return;
      }
      // No connection: the first delivery failed, and the retry comes when the app connects.
      item.attempt = 1;
      item.reason = 'timeout';
    }
    this.#ready.add([item]);
  }

  #pump(): void {
    if (this.#stopped) return;
    this.#ready.drain((item) => {
      const target = this.#byHttp(item);
      if (target) return this.#post(item, target);
      const connection = this.#parts.connections.next(item.appId, IN_FLIGHT);
      if (connection) this.#send(item, connection);
      return connection !== undefined;
    });
    this.#schedule();
  }

  /** The app and its request URL, where that is how it is reached. */
  #byHttp({ appId }: Item): { app: RegisteredApp; url: string } | undefined {
    const app = this.#parts.apps.get(appId);
    return app && !app.socketMode && app.requestUrl !== undefined ? { app, url: app.requestUrl } : undefined;
  }

  #post(item: Item, { app, url }: { app: RegisteredApp; url: string }): boolean {
    if ((this.#posting.get(app.id) ?? 0) >= IN_FLIGHT) return false;
    const posting = new AbortController();
    const { kind, body, attempt, reason } = item;
    const envelopeId = this.#takeOff(item, HTTP, 'http_timeout', () => {
      this.#posting.set(app.id, (this.#posting.get(app.id) ?? 1) - 1);
      posting.abort();
    });
    this.#posting.set(app.id, (this.#posting.get(app.id) ?? 0) + 1);
    void this.#parts.http
      .tell(app, url, { kind, body, attempt, reason }, posting.signal)
      .then((delivered) => this.#answered(envelopeId, delivered));
    return true;
  }

  #answered(envelopeId: string, delivered: Delivered): void {
    const flight = this.#flights.get(envelopeId);
    // Too late: the retry is on its way.
    if (!flight) return;
    if (delivered.ok) this.#taken(envelopeId, flight, delivered.payload);
    else {
      this.#land(envelopeId, flight);
      if (delivered.noRetry) this.#drop(flight.item, delivered.reason, delivered.shown);
      else this.#failed(flight.item, delivered.reason, delivered.shown);
    }
    this.#pump();
  }

  /** From here on the app has three seconds to acknowledge. */
  #takeOff(item: Item, via: string, timeout: Flight['timeout'], land: () => void): string {
    const envelopeId = this.#parts.ids.uuid();
    const retryAttempt = item.attempt;
    item.attempt += 1;
    this.#flights.set(envelopeId, { item, via, timeout, land, sentAt: this.#now() });
    // After a restart what is stored counts as tried once; only more than that has to be written down.
    if (item.attempt > 1) this.#note(item);
    this.#parts.journal.record('envelope', {
      envelope_id: envelopeId,
      connection: via,
      type: item.kind,
      ...describe(item),
      retry_attempt: retryAttempt,
    });
    return envelopeId;
  }

  #send(item: Item, connection: Connection): void {
    const events = item.kind === 'events_api';
    const retryAttempt = item.attempt;
    connection.inFlight += 1;
    const envelopeId = this.#takeOff(item, connection.id, 'timeout', () => {
      connection.inFlight -= 1;
    });
    connection.socket.send(
      JSON.stringify({
        envelope_id: envelopeId,
        payload: item.body,
        type: item.kind,
        accepts_response_payload: !events,
        ...(events ? { retry_attempt: retryAttempt, retry_reason: item.reason } : {}),
      }),
    );
  }

  #acknowledged(connection: Connection, envelopeId: string, payload: unknown): void {
    const flight = this.#flights.get(envelopeId);
    // Too late (the retry is on its way), or never sent to this connection: as if it had not come.
    if (flight?.via !== connection.id) return;
    this.#taken(envelopeId, flight, payload);
    this.#pump();
  }

  #taken(envelopeId: string, flight: Flight, payload: unknown): void {
    if (this.losesAck(flight.item.seq, flight.via)) return;
    this.#land(envelopeId, flight);
    const { item, sentAt, via } = flight;
    this.#parts.db.run('delete from envelope where seq = ?', item.seq);
    this.#parts.journal.record('ack', {
      envelope_id: envelopeId,
      connection: via,
      ...describe(item),
      payload,
      ms: this.#now() - sentAt,
    });
    item.settle?.({ payload });
  }

  #lost(connection: Connection): void {
    for (const [envelopeId, flight] of this.#flights) {
      if (flight.via !== connection.id) continue;
      this.#land(envelopeId, flight);
      this.#failed(flight.item, flight.timeout);
    }
    this.#pump();
  }

  #land(envelopeId: string, flight: Flight): void {
    this.#flights.delete(envelopeId);
    flight.land();
  }

  /** Schedules what follows a delivery that was not acknowledged. */
  #failed(item: Item, reason: string, shown: ShownError = 'operation_timeout'): void {
    if (item.kind !== 'events_api') {
      this.#drop(item, reason, shown);
      return;
    }
    const delay = LIMITS.retryDelaysMs[item.attempt - 1];
    if (delay === undefined) {
      this.#drop(item, reason, shown);
      return;
    }
    item.reason = reason;
    // Without any connection there is nothing to wait for but the next one.
    item.dueAt = this.#reachable(item) ? this.#now() + delay : this.#now();
    this.#note(item);
    this.#parts.journal.record('unacked', {
      ...describe(item),
      reason,
      attempt: item.attempt,
      next: 'retry',
    });
    if (item.dueAt > this.#now()) this.#later.add(item);
    else this.#ready.insert([item]);
  }

  /** Stores what a restart has to know of it. */
  #note({ seq, attempt, reason, dueAt }: Item): void {
    this.#parts.db.update('envelope', { seq }, { attempt, reason, due_at: new Date(dueAt) });
  }

  #drop(item: Item, reason: string, shown: ShownError): void {
    this.#parts.db.run('delete from envelope where seq = ?', item.seq);
    this.#parts.journal.record('unacked', {
      ...describe(item),
      reason,
      attempt: item.attempt,
      next: 'dropped',
    });
    // The app itself is notified, once a minute, of what an hour has no room for; a line for each would be thousands.
    if (item.kind === 'events_api' && reason !== 'rate_limited')
      this.#parts.log.warn(describe(item), 'an event was never acknowledged and is given up, as Slack does');
    item.settle?.({ error: shown });
  }

  #schedule(): void {
    this.#cancelAlarm();
    if (this.#stopped) return;
    const now = this.#now();
    // The clock may have been set back: nothing waits longer for that. (Asked at each envelope, so only looked at
    // then.)
    if (now < this.#seen) {
      for (const flight of this.#flights.values()) flight.sentAt = Math.min(flight.sentAt, now);
      for (const item of this.#later) item.dueAt = Math.min(item.dueAt, now + LONGEST_RETRY_MS);
    }
    this.#seen = now;
    const [firstFlight] = this.#flights.values();
    const times = [...this.#later].map(({ dueAt }) => dueAt);
    if (firstFlight) times.push(firstFlight.sentAt + LIMITS.ackMs);
    const { oldest } = this.#ready;
    if (oldest !== undefined) times.push(Math.max(oldest + this.#giveUpMs, this.#now() + this.#ackMs));
    if (times.length === 0) return;
    this.#cancelAlarm = this.#parts.clock.alarm(new Date(Math.min(...times)), () => this.tick());
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}
