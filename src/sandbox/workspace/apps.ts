import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { type RecordOf, recordOf, type Tables } from '../store/tables.ts';
import { type App, appOf, type Organisation } from './directory.ts';
import type { IdMaker } from './ids.ts';

/** An app as its maker registered it: the same in all workspaces it is installed in. */
export type RegisteredApp = RecordOf<Tables['app']>;
/** How an app is reached. */
export type Transport = Pick<RegisteredApp, 'requestUrl' | 'requestUrlVerified' | 'socketMode'>;

/** Changes how an app is reached, from the next delivery on. */
export function setTransport(db: Database, { id }: RegisteredApp, transport: Transport): void {
  db.update(
    'app',
    { id },
    {
      request_url: transport.requestUrl ?? null,
      request_url_verified: transport.requestUrlVerified,
      socket_mode: transport.socketMode,
    },
  );
}

/** The apps that are registered. */
export class RegisteredApps {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(id: string): RegisteredApp | undefined {
    return this.#one('id', id);
  }

  byAppToken(token: string): RegisteredApp | undefined {
    return this.#one('app_token', token);
  }

  byClientId(clientId: string): RegisteredApp | undefined {
    return this.#one('client_id', clientId);
  }

  values(): RegisteredApp[] {
    return this.#db.query<Tables['app']>('select * from app order by id').all().map(recordOf);
  }

  #one(column: 'id' | 'app_token' | 'client_id', value: string): RegisteredApp | undefined {
    const row = this.#db.query<Tables['app']>(`select * from app where ${column} = ?`).get(value);
    return row && recordOf(row);
  }
}

/** A bot token: its scope, and whether it is valid. */
export type BotToken = Tables['bot_token'];

/** The owner: one of the two. */
export type Holder = Pick<BotToken, 'team_id' | 'organisation_id'>;

interface Parts {
  db: Database;
  ids: IdMaker;
  clock: { now(): Date };
}

/** The bot tokens of all installations. A token that ended is kept, for the error of a call with it. */
export class Tokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get(token: string): BotToken | undefined {
    return this.#parts.db.query<BotToken>('select * from bot_token where token = ?').get(token);
  }

  byRefreshToken(refreshToken: string): BotToken | undefined {
    return this.#parts.db
      .query<BotToken>('select * from bot_token where refresh_token = ?')
      .get(refreshToken);
  }

  isExpired({ expires_at }: BotToken): boolean {
    return expires_at !== null && expires_at <= this.#parts.clock.now();
  }

  /** Those of an app in a workspace or an organisation that open it, the oldest first. */
  valid(appId: string, holder: string): BotToken[] {
    return this.of(appId, holder).filter((one) => !this.isExpired(one));
  }

  /**
   * A token for an app in a workspace or an organisation: a new one where its tokens expire or it has none, else the
   * one it has. Where tokens expire, two of them are valid at the same time at most.
   */
  issue(app: RegisteredApp, holder: Holder): BotToken {
    const { db, ids, clock } = this.#parts;
    const known = this.valid(app.id, holder.team_id ?? holder.organisation_id ?? '');
    const lasting = known.find(({ expires_at }) => expires_at === null);
    if (!app.tokenRotation && lasting) return lasting;
    const now = clock.now();
    const row = db.insert('bot_token', {
      token: `${app.tokenRotation ? 'xoxe.xoxb-1' : 'xoxb'}-${ids.secret()}`,
      app_id: app.id,
      team_id: holder.team_id,
      organisation_id: holder.organisation_id,
      refresh_token: app.tokenRotation ? `xoxe-1-${ids.secret()}` : null,
      expires_at: app.tokenRotation ? new Date(now.getTime() + LIMITS.tokenMs) : null,
      created_at: now,
    });
    if (app.tokenRotation) this.end(known.slice(0, -1));
    return row;
  }

  /** Exchanges a refresh token for a new pair; it is valid once. */
  refresh(app: RegisteredApp, used: BotToken): BotToken {
    this.#parts.db.update('bot_token', { token: used.token }, { refresh_token: null });
    return this.issue(app, used);
  }

  /** Ends tokens: they are invalid and cannot be refreshed. */
  end(tokens: readonly BotToken[]): void {
    for (const { token } of tokens)
      this.#parts.db.update('bot_token', { token }, { ended: true, refresh_token: null });
  }

  /** Every token of an app in a workspace or an organisation that has not ended, the expired ones too. */
  of(appId: string, holder: string): BotToken[] {
    return this.#parts.db
      .query<BotToken>(
        `select * from bot_token where app_id = ? and ? in (team_id, organisation_id) and not ended
       order by created_at, rowid`,
      )
      .all(appId, holder);
  }
}

/** The organisations there are (Enterprise Grid), and the apps that they have installed. */
export class Organisations {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(id: string): Organisation | undefined {
    return this.#db.query<Organisation>('select * from organisation where id = ?').get(id);
  }

  all(): Organisation[] {
    return this.#db.query<Organisation>('select * from organisation order by id').all();
  }

  /** By its id, its domain or its name. */
  find(name: string): Organisation | undefined {
    return this.#db
      .query<Organisation>(
        'select * from organisation where ?1 in (id, domain, name) order by id = ?1 desc, domain = ?1 desc, id',
      )
      .get(name);
  }

  /** An organisation's installation of an app; undefined if there is none. */
  app(organisationId: string, appId: string): App | undefined {
    const row = this.#db
      .query<Tables['organisation_installation'] & { name: string }>(
        `select installed.*, app.name from organisation_installation installed join app on app.id = installed.app_id
       where organisation_id = ? and app_id = ? and active`,
      )
      .get(organisationId, appId);
    return row && appOf({ ...row, by_organisation: true });
  }

  /** Makes an organisation of workspaces. */
  add(organisation: Organisation, teams: readonly string[]): void {
    this.#db.transaction(() => {
      this.#db.insert('organisation', organisation);
      for (const id of teams) this.#db.update('team', { id }, { organisation_id: organisation.id });
    });
  }

  /** Installs an app, or installs it again: the same bot user as before, and the scopes of all times together. */
  install(
    organisation: Organisation,
    app: RegisteredApp,
    scopes: readonly string[],
    made: { botUserId: string; botId: string },
  ): App {
    const known = this.app(organisation.id, app.id);
    const place = { app_id: app.id, organisation_id: organisation.id };
    const all = [...new Set([...(known?.scopes ?? []), ...scopes])];
    const before = this.#db.update('organisation_installation', place, { scopes: all, active: true });
    if (before === 0)
      this.#db.insert('organisation_installation', {
        ...place,
        bot_user_id: made.botUserId,
        bot_id: made.botId,
        scopes: all,
        active: true,
      });
    const installed = this.app(organisation.id, app.id);
    if (!installed) throw new Error('an installation was not stored');
    return installed;
  }

  uninstall(organisation: Organisation, app: App): void {
    const place = { app_id: app.id, organisation_id: organisation.id };
    this.#db.update('organisation_installation', place, { active: false, scopes: [] });
  }
}
