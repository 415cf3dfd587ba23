import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { RegisteredApp } from './apps.ts';
import { type App, appOf, type Organisation } from './directory.ts';

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

  /** An app as an organisation has it; undefined where it has not installed it. */
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
