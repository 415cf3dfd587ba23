import { sql } from 'kysely';

import { type Db, transaction, type Tx } from '../../platform/database/open.ts';
import type { AlarmClock } from '../clock.ts';
import type { EnvelopeKind, Tables } from '../schema/tables.ts';
import type { Journal } from '../journal.ts';
import { Drafts } from '../views/drafts.ts';
import { Homes } from '../views/homes.ts';
import { Triggers } from '../views/triggers.ts';
import { Views } from '../views/views.ts';
import type { SharePlan } from './content.ts';
import type { App, Channel, Directory, Organisation } from './directory.ts';
import { type EventBody, eventCallback, organisationCallback } from './events.ts';
import type { StoredMessage } from './content.ts';
import type { IdMaker } from './ids.ts';
import { insertMessages } from './message-rows.ts';
import { createNoise } from './noise.ts';
import { Panes } from './panes.ts';
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

/** What a change may do: everything in one transaction, with the channel's row locked. */
export interface Change {
  tx: Tx<Tables>;
  channel: Channel;
  now: Date;
  /** A timestamp that no other change of this channel has or will have: a new message's ts, or the event's. */
  ts: string;
  /** Tells the apps that are members (as they are when the change ends), or `to`; sent once it is through. */
  emit(event: EventBody, to?: readonly App[]): void;
  /** Stores a new message; of a change that only appends, together with those of its neighbours. */
  append(message: StoredMessage): Promise<void>;
  /** Runs once the transaction is through: the directory, the journal. */
  afterwards(act: () => void): void;
}

/** Changes of one channel that share a transaction: as many as have gathered, up to this. */
const TOGETHER = 64;

/** A change that waits for its turn, and who waits for it. */
interface Waiting {
  /** It does nothing in the database but append. */
  appends: boolean;
  work: (change: Change) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * The one place where the workspace's state changes. A change of a channel holds the channel's row, so what
 * happens in it has one order, and its events are stored with it: none is lost between the change and its telling.
 */
export class Workspace {
  readonly db: Db<Tables>;
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
  /** What apps show in their assistant panes. */
  readonly panes: Panes;
  readonly drafts = new Drafts();
  readonly triggers: Triggers;
  /** Direct conversations being made, by their members. */
  readonly opening = new Map<string, Promise<Channel>>();
  /** Acknowledgements whose body is being shown, by response token: later answers come after it. */
  readonly answering = new Map<string, Promise<void>>();
  /** Set by the start-up: where the sandbox is reached, `http://host:port`; addresses in events begin with it. */
  baseUrl = '';
  /** Set by the start-up: shows files whose plan is stored. */
  showLater: (plan: SharePlan) => void = () => undefined;
  /** Set by the start-up: takes envelopes that are stored. */
  deliver: (envelopes: Outgoing[]) => void = () => undefined;

  readonly #lines = new Map<string, Waiting[]>();

  constructor(parts: {
    db: Db<Tables>;
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
    this.panes = new Panes(parts);
    this.triggers = new Triggers(parts);
  }

  /**
   * One change of a channel after the other: what waits holds no connection, and events go out in their order. What
   * has gathered meanwhile shares a transaction, so that a busy channel does not wait for the disk at each message.
   * `work` may run again, and must have no effect outside the database that a second run does not repeat. With
   * `appends` it promises to use no more of the database than `append`.
   */
  change<Result>(
    channel: Channel,
    work: (change: Change) => Promise<Result>,
    { appends = false }: { appends?: boolean } = {},
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const waiting: Waiting = { appends, work, resolve: (value) => resolve(value as Result), reject };
      const line = this.#lines.get(channel.id);
      if (line) {
        line.push(waiting);
        return;
      }
      const started = [waiting];
      this.#lines.set(channel.id, started);
      void this.#work(channel, started);
    });
  }

  async #work(channel: Channel, line: Waiting[]): Promise<void> {
    while (line.length > 0) {
      const batch = line.splice(0, TOGETHER);
      if (await this.#tryTogether(channel, batch)) continue;
      // One of them failed and took the others along: each for itself.
      for (const one of batch) await this.#tryTogether(channel, [one]);
    }
    this.#lines.delete(channel.id);
  }

  /** False where the batch has to be tried one by one. */
  async #tryTogether(channel: Channel, batch: readonly Waiting[]): Promise<boolean> {
    const progress = { committing: false };
    try {
      const values = await this.#changeTogether(channel, batch, progress);
      batch.forEach(({ resolve }, index) => resolve(values[index]));
      return true;
    } catch (error) {
      // A commit that failed may have happened: done again, everything could be there twice.
      const over = batch.length === 1 || progress.committing;
      if (over) for (const { reject } of batch) reject(error);
      return over;
    }
  }

  async #changeTogether(
    channel: Channel,
    batch: readonly Waiting[],
    progress: { committing: boolean },
  ): Promise<unknown[]> {
    const now = this.clock.now();
    let acts: (() => void)[] = [];
    let outgoing: Outgoing[] = [];
    const values = await transaction(this.db, async (tx) => {
      acts = [];
      progress.committing = false;
      const told: Omit<Outgoing, 'seq'>[] = [];
      const results: unknown[] = [];
      const stamps = await nextStamps(tx, channel, now, batch.length);
      let appended: StoredMessage[] = [];
      const flush = async () => {
        const rows = appended;
        appended = [];
        if (rows.length > 0) await insertMessages(tx, rows);
      };
      for (const [index, { work, appends }] of batch.entries()) {
        if (!appends) await flush();
        const events: { event: EventBody; to: readonly App[] | undefined }[] = [];
        results.push(
          await work({
            tx,
            channel,
            now,
            ts: stamps[index] ?? '',
            emit: (event, to) => events.push({ event, to }),
            afterwards: (act) => acts.push(act),
            append: async (message) => {
              appended.push(message);
              if (!appends) await flush();
            },
          }),
        );
        for (const { event, to } of events)
          told.push(
            ...this.#envelopes(to ?? this.directory.appsIn(channel), event, now, channel.isExtShared),
          );
      }
      await flush();
      outgoing = told.length > 0 ? await storeEnvelopes(tx, told, now) : [];
      progress.committing = true;
      return results;
    });
    for (const act of acts) act();
    if (outgoing.length > 0) this.deliver(outgoing);
    return values;
  }

  /** Tells apps what happened outside any channel (a channel was deleted, a direct conversation made). */
  async tell(event: EventBody, to: readonly App[]): Promise<void> {
    const now = this.clock.now();
    const told = this.#envelopes(to, event, now);
    if (told.length > 0) this.deliver(await storeEnvelopes(this.db, told, now));
  }

  /** Tells an app what happened to its installation in this workspace's organisation. */
  async tellOfOrganisation(organisation: Organisation, event: EventBody, app: App): Promise<void> {
    const now = this.clock.now();
    const body = organisationCallback(organisation, app, event, this.ids.slackId('Ev'), now);
    this.deliver(await storeEnvelopes(this.db, [{ appId: app.id, kind: 'events_api', body }], now));
  }

  /** Sends what is not an event (a command, a press of a button, a shortcut) and waits for how it ends. */
  async send(app: App, kind: EnvelopeKind, body: Record<string, unknown>): Promise<Outcome> {
    const [envelope] = await storeEnvelopes(this.db, [{ appId: app.id, kind, body }], this.clock.now());
    if (!envelope) throw new Error('an envelope was not stored');
    return new Promise((settle) => this.deliver([{ ...envelope, settle }]));
  }

  #envelopes(
    apps: readonly App[],
    event: EventBody,
    now: Date,
    isExtShared = false,
  ): Omit<Outgoing, 'seq'>[] {
    return apps.map((app) => ({
      appId: app.id,
      kind: 'events_api' as const,
      body: eventCallback(this.directory.team, app, event, this.ids.slackId('Ev'), now, isExtShared),
    }));
  }
}

/** Takes the next timestamps of a channel, which also locks its row until the transaction ends. */
async function nextStamps(tx: Tx<Tables>, channel: Channel, now: Date, count: number): Promise<string[]> {
  const more = (count - 1) * TS_STEP_US;
  const row = await sql<{ last_us: number }>`
    update channel set
      last_us = greatest(last_us + ${TS_STEP_US}, ${now.getTime() * 1000}::bigint) + ${more}::bigint
    where id = ${channel.id} returning last_us`.execute(tx);
  const last = row.rows[0]?.last_us;
  if (last === undefined) throw new Error(`the channel ${channel.id} is gone`);
  return Array.from({ length: count }, (_, index) => formatTs(last - more + index * TS_STEP_US));
}

async function storeEnvelopes(
  db: Db<Tables>,
  envelopes: Omit<Outgoing, 'seq'>[],
  now: Date,
): Promise<Outgoing[]> {
  // Lists, not a row of parameters for each: a busy channel stores 64 envelopes at once, and they all count.
  const { rows } = await sql<{ seq: number }>`
    insert into envelope (app_id, kind, body, state, attempt, reason, due_at, created_at)
    select app_id, kind, body, 'waiting', 0, '', ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${envelopes.map(({ appId }) => appId)}::text[], ${envelopes.map(({ kind }) => kind)}::text[],
      ${envelopes.map(({ body }) => JSON.stringify(body))}::jsonb[]
    ) as told (app_id, kind, body)
    returning seq`.execute(db);
  // Postgres gives rows of one insert back in the order of its values.
  return envelopes.map((envelope, index) => ({ ...envelope, seq: rows[index]?.seq ?? 0 }));
}
