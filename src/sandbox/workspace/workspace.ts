import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { type Db, transaction, type Tx } from '../../platform/database/open.ts';
import type { EnvelopeKind, Tables } from '../schema/tables.ts';
import type { Journal } from '../journal.ts';
import type { App, Channel, Directory } from './directory.ts';
import { type EventBody, eventCallback } from './events.ts';
import type { IdMaker } from './ids.ts';
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
export type Outcome = { payload: unknown } | { error: 'operation_timeout' | 'dispatch_failed' };

/** What a change may do: everything in one transaction, with the channel's row locked. */
export interface Change {
  tx: Tx<Tables>;
  channel: Channel;
  now: Date;
  /** A timestamp that no other change of this channel has or will have: a new message's ts, or the event's. */
  ts: string;
  /** Tells the apps that are members; sent once the transaction is through. */
  emit(event: EventBody): void;
  /** Runs once the transaction is through: the directory, the journal. */
  afterwards(act: () => void): void;
}

/**
 * The one place where the workspace's state changes. A change of a channel holds the channel's row, so what
 * happens in it has one order, and its events are stored with it: none is lost between the change and its telling.
 */
export class Workspace {
  readonly db: Db<Tables>;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly directory: Directory;
  readonly journal: Journal;
  /** Direct conversations being made, by their members. */
  readonly opening = new Map<string, Promise<Channel>>();
  /** Acknowledgements whose body is being shown, by response token: later answers come after it. */
  readonly answering = new Map<string, Promise<void>>();
  /** Set by the start-up: takes envelopes that are stored. */
  deliver: (envelopes: Outgoing[]) => void = () => undefined;

  readonly #lines = new Map<string, Promise<void>>();

  constructor(parts: { db: Db<Tables>; clock: Clock; ids: IdMaker; directory: Directory; journal: Journal }) {
    this.db = parts.db;
    this.clock = parts.clock;
    this.ids = parts.ids;
    this.directory = parts.directory;
    this.journal = parts.journal;
  }

  /** One change of a channel after the other: what waits holds no connection, and events go out in their order. */
  change<Result>(channel: Channel, work: (change: Change) => Promise<Result>): Promise<Result> {
    const before = this.#lines.get(channel.id) ?? Promise.resolve();
    const mine = before.then(() => this.#changeNow(channel, work));
    const line = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#lines.set(channel.id, line);
    void line.then(() => {
      if (this.#lines.get(channel.id) === line) this.#lines.delete(channel.id);
    });
    return mine;
  }

  async #changeNow<Result>(channel: Channel, work: (change: Change) => Promise<Result>): Promise<Result> {
    const now = this.clock.now();
    let events: EventBody[] = [];
    let acts: (() => void)[] = [];
    let outgoing: Outgoing[] = [];
    const result = await transaction(this.db, async (tx) => {
      events = [];
      acts = [];
      const ts = await nextTs(tx, channel, now);
      const value = await work({
        tx,
        channel,
        now,
        ts,
        emit: (event) => events.push(event),
        afterwards: (act) => acts.push(act),
      });
      outgoing = await this.#store(tx, this.directory.appsIn(channel), events, now);
      return value;
    });
    for (const act of acts) act();
    if (outgoing.length > 0) this.deliver(outgoing);
    return result;
  }

  /** Sends what is not an event (a command, a press of a button, a shortcut) and waits for how it ends. */
  async send(app: App, kind: EnvelopeKind, body: Record<string, unknown>): Promise<Outcome> {
    const [envelope] = await storeEnvelopes(this.db, [{ appId: app.id, kind, body }], this.clock.now());
    if (!envelope) throw new Error('an envelope was not stored');
    return new Promise((settle) => this.deliver([{ ...envelope, settle }]));
  }

  async #store(tx: Tx<Tables>, apps: App[], events: EventBody[], now: Date): Promise<Outgoing[]> {
    const envelopes = apps.flatMap((app) =>
      events.map((event) => ({
        appId: app.id,
        kind: 'events_api' as const,
        body: eventCallback(this.directory.team, app, event, this.ids.slackId('Ev'), now),
      })),
    );
    return envelopes.length > 0 ? storeEnvelopes(tx, envelopes, now) : [];
  }
}

/** Takes the next timestamp of a channel, which also locks its row until the transaction ends. */
async function nextTs(tx: Tx<Tables>, channel: Channel, now: Date): Promise<string> {
  const row = await sql<{ last_us: number }>`
    update channel set last_us = greatest(last_us + ${TS_STEP_US}, ${now.getTime() * 1000}::bigint)
    where id = ${channel.id} returning last_us`.execute(tx);
  const last = row.rows[0]?.last_us;
  if (last === undefined) throw new Error(`the channel ${channel.id} is gone`);
  return formatTs(last);
}

async function storeEnvelopes(
  db: Db<Tables>,
  envelopes: Omit<Outgoing, 'seq'>[],
  now: Date,
): Promise<Outgoing[]> {
  const rows = await db
    .insertInto('envelope')
    .values(
      envelopes.map((envelope) => ({
        app_id: envelope.appId,
        kind: envelope.kind,
        body: JSON.stringify(envelope.body),
        state: 'waiting',
        attempt: 0,
        reason: '',
        due_at: now,
        created_at: now,
      })),
    )
    .returning('seq')
    .execute();
  // Postgres gives rows of one insert back in the order of its values.
  return envelopes.map((envelope, index) => ({ ...envelope, seq: rows[index]?.seq ?? 0 }));
}
