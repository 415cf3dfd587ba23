import type { AlarmClock } from '../clock.ts';
import type { Database } from '../store/database.ts';
import type { EnvelopeKind } from '../store/tables.ts';
import type { Journal } from '../journal.ts';
import { Drafts } from '../views/drafts.ts';
import { Homes } from '../views/homes.ts';
import { Triggers } from '../views/triggers.ts';
import { Views } from '../views/views.ts';
import type { SharePlan } from './content.ts';
import type { App, Channel, Directory, Organisation } from './directory.ts';
import { type EventBody, eventCallback, organisationCallback } from './events.ts';
import type { IdMaker } from './ids.ts';
import { createNoise } from './noise.ts';
import { formatTs, TS_STEP_US } from './timestamps.ts';

/** An envelope to deliver: its row number and its payload. */
export interface Outgoing {
  seq: number;
  appId: string;
  kind: EnvelopeKind;
  body: Record<string, unknown>;
  /** For what a person waits for: called once, with the answer or with why there is none. */
  settle?: ((outcome: Outcome) => void) | undefined;
}

/** How an interaction ended: acknowledged (with what the app sent along), or the error Slack shows. */
export type Outcome =
  | { payload: unknown }
  | { error: 'operation_timeout' | 'dispatch_failed' | 'http_client_error' | 'http_service_error' };

/** What a change may do, in one transaction. */
export interface Change {
  db: Database;
  channel: Channel;
  now: Date;
  /** A timestamp that no other change of this channel has or will have: a new message's ts, or the event's. */
  ts: string;
  /** Tells the apps that are members (as they are when the change ends), or `to`; sent once it is through. */
  emit(event: EventBody, to?: readonly App[]): void;
  /** Runs once the transaction is through: the journal. */
  afterwards(act: () => void): void;
}

/**
 * The one place where the workspace's state changes. The events of a change are stored in its transaction: none is lost
 * between the change and its delivery.
 */
export class Workspace {
  readonly db: Database;
  readonly clock: AlarmClock;
  readonly ids: IdMaker;
  readonly directory: Directory;
  readonly journal: Journal;
  /** What Slack does to messages by itself. */
  readonly noise = createNoise();
  /** What people have before them, what they filled in, and what lets an app open more. */
  readonly views: Views;
  readonly homes: Homes;
  /** The links that somebody is writing, by what chat.unfurl names them by. */
  readonly drafted = new Map<string, ReadonlySet<string>>();
  readonly drafts = new Drafts();
  readonly triggers: Triggers;
  /** Set by the start-up: where the sandbox is reached, `http://host:port`; addresses in events begin with it. */
  baseUrl = '';
  /** Set by the start-up: shows files whose plan is stored. */
  showLater: (plan: SharePlan) => void = () => undefined;
  /** Set by the start-up: takes envelopes that are stored. */
  deliver: (envelopes: Outgoing[]) => void = () => undefined;

  constructor(parts: {
    db: Database;
    clock: AlarmClock;
    ids: IdMaker;
    directory: Directory;
    journal: Journal;
  }) {
    this.db = parts.db;
    this.clock = parts.clock;
    this.ids = parts.ids;
    this.directory = parts.directory;
    this.journal = parts.journal;
    this.views = new Views(parts);
    this.homes = new Homes(parts.db);
    this.triggers = new Triggers(parts);
  }

  /** Changes a channel: all of `work` is stored with its events, or nothing. */
  change<Result>(channel: Channel, work: (change: Change) => Result): Result {
    const now = this.clock.now();
    const acts: (() => void)[] = [];
    const { result, outgoing } = this.db.transaction(() => {
      const events: { event: EventBody; to: readonly App[] | undefined }[] = [];
      const done = work({
        db: this.db,
        channel,
        now,
        ts: nextTs(this.db, channel, now),
        emit: (event, to) => events.push({ event, to }),
        afterwards: (act) => acts.push(act),
      });
      const envelopes = events.flatMap(({ event, to = this.directory.appsIn(channel) }) =>
        this.#store(to, event, now, channel),
      );
      return { result: done, outgoing: envelopes };
    });
    for (const act of acts) act();
    if (outgoing.length > 0) this.deliver(outgoing);
    return result;
  }

  /** Tells apps what happened outside any channel (a channel was deleted, a direct conversation made). */
  tell(event: EventBody, to: readonly App[]): void {
    const told = this.db.transaction(() => this.#store(to, event, this.clock.now()));
    if (told.length > 0) this.deliver(told);
  }

  /** Tells an app what happened to its installation in this workspace's organisation. */
  tellOfOrganisation(organisation: Organisation, event: EventBody, app: App): void {
    const now = this.clock.now();
    const body = organisationCallback(organisation, app, event, this.ids.slackId('Ev'), now);
    this.deliver([storeEnvelope(this.db, { appId: app.id, kind: 'events_api', body }, now)]);
  }

  /** Sends what is not an event (a command, a press of a button, a shortcut) and waits for how it ends. */
  send(app: App, kind: EnvelopeKind, body: Record<string, unknown>): Promise<Outcome> {
    const envelope = storeEnvelope(this.db, { appId: app.id, kind, body }, this.clock.now());
    return new Promise((settle) => this.deliver([{ ...envelope, settle }]));
  }

  #store(apps: readonly App[], event: EventBody, now: Date, channel?: Channel): Outgoing[] {
    const { team } = this.directory;
    return apps.map((app) => {
      const body = eventCallback(team, app, event, this.ids.slackId('Ev'), now, channel);
      return storeEnvelope(this.db, { appId: app.id, kind: 'events_api', body }, now);
    });
  }
}

/** Takes the next timestamp of a channel. */
function nextTs(db: Database, channel: Channel, now: Date): string {
  const row = db
    .query<{ last_us: number }>(
      'update channel set last_us = max(last_us + ?, ?) where id = ? returning last_us',
    )
    .get(TS_STEP_US, now.getTime() * 1000, channel.id);
  if (!row) throw new Error(`the channel ${channel.id} is gone`);
  return formatTs(row.last_us);
}

/** Stores what is to be delivered. */
export function storeEnvelope(db: Database, envelope: Omit<Outgoing, 'seq'>, now: Date): Outgoing {
  const { appId, kind, body } = envelope;
  const row = db
    .query<{ seq: number }>(
      'insert into envelope (app_id, kind, body, due_at, created_at) values (?, ?, ?, ?, ?) returning seq',
    )
    .get(appId, kind, body, now, now);
  if (!row) throw new Error('an envelope was not stored');
  return { ...envelope, seq: row.seq };
}
