import { type Db, transaction } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { AlarmClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Tables } from '../schema/tables.ts';
import type { ParsedTeam } from '../seed.ts';
import { insertTeam } from './apply-seed.ts';
import { type RegisteredApp, registeredAppOf } from './apps.ts';
import { Directory, type Organisation } from './directory.ts';
import { FileShares } from './files-share.ts';
import type { IdMaker } from './ids.ts';
import { createNoise } from './noise.ts';
import { Organisations } from './organisations.ts';
import { Schedule } from './scheduled.ts';
import { Tokens } from './tokens.ts';
import { type Outgoing, Workspace } from './workspace.ts';

interface Parts {
  db: Db<Tables>;
  clock: AlarmClock;
  ids: IdMaker;
  journal: Journal;
  log: Log;
  /** Domains whose links the app previews, as the seed says. */
  unfurlDomains: readonly string[];
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
  readonly apps = new Map<string, RegisteredApp>();
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
    this.tokens = new Tokens(parts);
    this.organisations = new Organisations(parts.db);
    this.#default = this.#host();
  }

  /** Reads everything again, after the start and after the schema was filled. */
  async load(): Promise<void> {
    const { db } = this.#parts;
    const [apps, teams] = await Promise.all([
      db.selectFrom('app').selectAll().orderBy('id').execute(),
      db.selectFrom('team').select('id').orderBy('seq').execute(),
    ]);
    this.apps.clear();
    for (const row of apps) this.apps.set(row.id, registeredAppOf(row));
    await this.tokens.load();
    await this.organisations.load();
    await this.stop(this.#hosted.filter((one) => one !== this.#default));
    this.#hosted = [];
    for (const [index, { id }] of teams.entries())
      await this.#open(index === 0 ? this.#default : this.#host(), id);
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
  async unite(organisation: Organisation, members: readonly Workspace[]): Promise<void> {
    await this.organisations.add(
      organisation,
      members.map(({ directory }) => directory.team.id),
    );
    for (const { directory } of members) directory.team.organisation = organisation;
  }

  scheduleOf(workspace: Workspace): Schedule {
    const hosted = this.#hosted.find((one) => one.workspace === workspace) ?? this.#default;
    return hosted.schedule;
  }

  byAppToken(token: string): RegisteredApp | undefined {
    return [...this.apps.values()].find(({ appToken }) => appToken === token);
  }

  byClientId(clientId: string): RegisteredApp | undefined {
    return [...this.apps.values()].find((app) => app.clientId === clientId);
  }

  /** Adds a workspace. */
  async add(team: ParsedTeam): Promise<Workspace> {
    const { db, clock, journal } = this.#parts;
    await transaction(db, (tx) => insertTeam(tx, team, clock.now()));
    const hosted = this.#host();
    await this.#open(hosted, team.team.id);
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
  async resume(): Promise<void> {
    for (const { shares } of this.#hosted) await shares.resume();
  }

  /** Waits until no file is on its way. */
  async settled(): Promise<void> {
    await Promise.all(this.#hosted.map(({ shares }) => shares.settled()));
  }

  /** Ends what works by itself in the default workspace and in these. */
  async stop(hosted: readonly Hosted[] = [this.#default, ...this.#hosted]): Promise<void> {
    for (const { schedule } of hosted) await schedule.stop();
  }

  #host(): Hosted {
    const directory = new Directory();
    const workspace = new Workspace({ ...this.#parts, directory });
    const shares = new FileShares(workspace);
    workspace.showLater = (plan) => shares.start(plan);
    workspace.deliver = (envelopes) => this.deliver(envelopes);
    workspace.baseUrl = this.#baseUrl;
    return { workspace, schedule: new Schedule(workspace, this.#parts.log), shares };
  }

  async #open(hosted: Hosted, teamId: string): Promise<void> {
    const { workspace } = hosted;
    const { directory } = workspace;
    await directory.load(this.#parts.db, teamId);
    workspace.views.reset(await workspace.homes.load(directory));
    workspace.drafts.clear();
    workspace.drafted.clear();
    workspace.panes.clear();
    Object.assign(workspace.noise, createNoise(), { unfurlDomains: [...this.#parts.unfurlDomains] });
    this.#hosted.push(hosted);
  }
}
