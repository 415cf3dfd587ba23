import type { AlarmClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Database } from '../store/database.ts';
import type { EnvelopeKind } from '../store/tables.ts';
import { Drafts, Homes, Triggers, Views } from '../views/views.ts';
import type { SharePlan } from './content.ts';
import {
  type App,
  type Channel,
  type Directory,
  isExtShared,
  type Organisation,
  type Team,
} from './directory.ts';
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
  /** The links that a person is writing, by what chat.unfurl names them by. */
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
    /** How long a trigger may be used; default, Slack's three seconds. */
    patienceMs: number | undefined;
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
    const stored = this.db.transaction(() => this.#store(to, event, this.clock.now()));
    if (stored.length > 0) this.deliver(stored);
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

/** An event as apps get it (docs.slack.dev/reference/events): its type and whatever that type carries. */
export type EventBody = { type: string } & Record<string, unknown>;

/** The outer body of an event (docs.slack.dev/apis/events-api, "Callback field overview"). */
export function eventCallback(
  team: Team,
  app: App,
  event: EventBody,
  eventId: string,
  now: Date,
  channel: Channel | undefined,
): Record<string, unknown> {
  return {
    token: 'sandbox-verification-token',
    ...teamsOf(team, event, channel),
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: Math.floor(now.getTime() / 1000),
    authorizations: [
      {
        enterprise_id: team.organisation?.id ?? null,
        team_id: team.id,
        user_id: app.botUserId,
        is_bot: true,
        is_enterprise_install: app.byOrganisation,
      },
    ],
    is_ext_shared_channel: channel !== undefined && isExtShared(channel),
    event_context: `4-${eventId}`,
  };
}

/**
 * The workspace in which an event happened (`team_id`), and the one through which it comes (`context_team_id`). In a
 * channel shared with another organisation neither need be the app's own: only `authorizations` says that
 * (slack-facts.md, "Slack Connect").
 */
function teamsOf(team: Team, event: EventBody, channel: Channel | undefined) {
  const own = team.id;
  if (channel === undefined || !isExtShared(channel)) return withOrganisations(team, own, own);
  const host = channel.hostTeamId ?? own;
  switch (event.type) {
    case 'message':
      return withOrganisations(team, writerTeam(event) ?? own, host);
    case 'member_joined_channel':
    case 'member_left_channel':
      return withOrganisations(team, host, String(event['team']));
    case 'app_mention':
      return { team_id: own, ...(team.organisation ? { enterprise_id: team.organisation.id } : {}) };
    case 'channel_shared':
    case 'channel_unshared':
      return withOrganisations(team, own, own);
    default:
      return withOrganisations(team, host, host);
  }
}

function withOrganisations({ id, organisation }: Team, team: string, context: string) {
  const own = (one: string) => (one === id ? organisation?.id : undefined);
  const enterprise = own(team);
  return {
    team_id: team,
    context_team_id: context,
    context_enterprise_id: own(context) ?? null,
    ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
  };
}

/** The workspace of who wrote a message; undefined for a post under a name of its own. */
function writerTeam(event: EventBody): string | undefined {
  const [team] = [event, event['message'], event['previous_message']]
    .map((one) => (one as { team?: unknown } | undefined)?.team)
    .filter((one) => typeof one === 'string');
  return team;
}

/** The outer body of an event about an organisation's installation: of none of its workspaces. */
export function organisationCallback(
  organisation: Organisation,
  app: App,
  event: EventBody,
  eventId: string,
  now: Date,
): Record<string, unknown> {
  return {
    token: 'sandbox-verification-token',
    team_id: null,
    enterprise_id: organisation.id,
    context_team_id: null,
    context_enterprise_id: organisation.id,
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: Math.floor(now.getTime() / 1000),
    authorizations: [
      {
        enterprise_id: organisation.id,
        team_id: null,
        user_id: app.botUserId,
        is_bot: true,
        is_enterprise_install: true,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${eventId}`,
  };
}

/** What Slack changes in messages by itself: off, so that a test sees only what was done, until asked for. */
export interface Noise {
  /** A link in a message is previewed: `message_changed` with attachments and no `edited`. */
  unfurls: boolean;
  /** `message_changed` in which nothing changed. */
  languageDetection: boolean;
  /** Domains of which the app registered to hear (`link_shared`), in lower case. */
  unfurlDomains: string[];
}

export function createNoise(): Noise {
  return { unfurls: false, languageDetection: false, unfurlDomains: [] };
}
