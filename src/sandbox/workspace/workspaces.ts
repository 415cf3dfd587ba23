import type { Log } from '../../platform/log.ts';
import type { AlarmClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { ParsedTeam } from '../seed.ts';
import type { Database } from '../store/database.ts';
import { insertTeam } from './apply-seed.ts';
import { Organisations, RegisteredApps, Tokens } from './apps.ts';
import { Directory, type Organisation } from './directory.ts';
import { FileShares } from './files-share.ts';
import type { IdMaker } from './ids.ts';
import { createNoise, type Outgoing, Workspace } from './workspace.ts';
import { Schedule } from './scheduled.ts';

interface Parts {
  db: Database;
  clock: AlarmClock;
  ids: IdMaker;
  journal: Journal;
  log: Log;
  /** Domains whose links the app previews, as the seed says. */
  unfurlDomains: readonly string[];
  /** How long a trigger may be used; default, Slack's three seconds. */
  patienceMs: number | undefined;
}

/** A workspace with what works for it by itself. */
interface Hosted {
  workspace: Workspace;
  schedule: Schedule;
  shares: FileShares;
}

/**
 * The workspaces there are, each with a directory of its own, the apps that are registered, and the tokens that say
 * which app in which workspace a call is for. The first workspace is the default one; it is the same object always.
 */
export class Workspaces {
  readonly apps: RegisteredApps;
  readonly tokens: Tokens;
  readonly organisations: Organisations;
  /** Set by the start-up: takes envelopes that are stored. */
  deliver: (envelopes: Outgoing[]) => void = () => undefined;

  readonly #parts: Parts;
  readonly #default: Hosted;
  #hosted: Hosted[] = [];
  #baseUrl = '';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.apps = new RegisteredApps(parts.db);
    this.tokens = new Tokens(parts);
    this.organisations = new Organisations(parts.db);
    this.#default = this.#host();
  }

  /** Opens the workspaces there are, after the start and after the database was filled. */
  load(): void {
    const { db } = this.#parts;
    this.stop(this.#hosted.filter((one) => one !== this.#default));
    this.#hosted = [];
    for (const [index, { id }] of db
      .query<{ id: string }>('select id from team order by rowid')
      .all()
      .entries())
      this.#open(index === 0 ? this.#default : this.#host(), id);
  }

  get default(): Workspace {
    return this.#default.workspace;
  }

  get all(): Workspace[] {
    return this.#hosted.map(({ workspace }) => workspace);
  }

  /** By its id, its domain or its name. */
  find(name: string): Workspace | undefined {
    const { all } = this;
    return (
      all.find(({ directory }) => directory.team.id === name) ??
      all.find(({ directory }) => directory.team.domain === name) ??
      all.find(({ directory }) => directory.team.name === name)
    );
  }

  /** The workspace a channel is in; undefined where there is no such channel. */
  ofChannel(channelId: string): Workspace | undefined {
    return this.all.find(({ directory }) => directory.channels.has(channelId));
  }

  /** Makes one organisation of workspaces. */
  unite(organisation: Organisation, members: readonly Workspace[]): void {
    this.organisations.add(
      organisation,
      members.map(({ directory }) => directory.team.id),
    );
  }

  scheduleOf(workspace: Workspace): Schedule {
    const hosted = this.#hosted.find((one) => one.workspace === workspace) ?? this.#default;
    return hosted.schedule;
  }

  /** Adds a workspace. */
  add(team: ParsedTeam): Workspace {
    const { db, clock, journal } = this.#parts;
    db.transaction(() => insertTeam(db, team, clock.now()));
    const hosted = this.#host();
    this.#open(hosted, team.team.id);
    journal.record('channel', { channel: '*', change: 'created' });
    return hosted.workspace;
  }

  /** Where the sandbox is reached; addresses in events begin with it. */
  reachedAt(baseUrl: string): void {
    this.#baseUrl = baseUrl;
    for (const { workspace } of this.#hosted) workspace.baseUrl = baseUrl;
  }

  /** Posts what is due by the clock. */
  wake(): void {
    for (const { schedule } of this.#hosted) schedule.wake();
  }

  /** Goes on with what was planned before the last stop. */
  resume(): void {
    for (const { shares } of this.#hosted) shares.resume();
  }

  /** Ends what works by itself in the default workspace and in these. */
  stop(hosted: readonly Hosted[] = [this.#default, ...this.#hosted]): void {
    for (const { schedule } of hosted) schedule.stop();
    for (const { shares } of hosted) shares.stop();
  }

  #host(): Hosted {
    const directory = new Directory(this.#parts.db);
    const workspace = new Workspace({ ...this.#parts, directory });
    const shares = new FileShares(workspace);
    workspace.showLater = (plan) => shares.start(plan);
    workspace.deliver = (envelopes) => this.deliver(envelopes);
    workspace.baseUrl = this.#baseUrl;
    return { workspace, schedule: new Schedule(workspace, this.#parts.log), shares };
  }

  #open(hosted: Hosted, teamId: string): void {
    const { workspace } = hosted;
    const { directory } = workspace;
    directory.of(teamId);
    workspace.views.reset(workspace.homes.load(directory));
    workspace.drafts.clear();
    workspace.drafted.clear();
    Object.assign(workspace.noise, createNoise(), { unfurlDomains: [...this.#parts.unfurlDomains] });
    this.#hosted.push(hosted);
  }
}
