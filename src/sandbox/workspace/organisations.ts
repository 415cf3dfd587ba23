import type { Selectable } from 'kysely';

import { type Db, transaction } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { RegisteredApp } from './apps.ts';
import type { App, Organisation } from './directory.ts';

/** The organisations there are (Enterprise Grid), and the apps that they have installed. Held in memory, as all else is. */
export class Organisations {
  readonly all = new Map<string, Organisation>();
  readonly #db: Db<Tables>;
  readonly #apps = new Map<string, App>();

  constructor(db: Db<Tables>) {
    this.#db = db;
  }

  async load(): Promise<void> {
    const [organisations, apps] = await Promise.all([
      this.#db.selectFrom('organisation').selectAll().orderBy('id').execute(),
      this.#db
        .selectFrom('organisation_installation')
        .innerJoin('app', 'app.id', 'organisation_installation.app_id')
        .selectAll('organisation_installation')
        .select('app.name')
        .where('active', '=', true)
        .execute(),
    ]);
    this.all.clear();
    for (const one of organisations) this.all.set(one.id, one);
    this.#apps.clear();
    for (const row of apps) this.#apps.set(keyOf(row.organisation_id, row.app_id), organisationsApp(row));
  }

  /** By its id, its domain or its name. */
  find(name: string): Organisation | undefined {
    const all = [...this.all.values()];
    return all.find((one) => one.id === name || one.domain === name || one.name === name);
  }

  /** An app as an organisation has it; undefined where it has not installed it. */
  app(organisationId: string, appId: string): App | undefined {
    return this.#apps.get(keyOf(organisationId, appId));
  }

  /** Makes an organisation of workspaces. */
  async add(organisation: Organisation, teams: readonly string[]): Promise<void> {
    await transaction(this.#db, async (tx) => {
      await tx.insertInto('organisation').values(organisation).execute();
      await tx
        .updateTable('team')
        .set({ organisation_id: organisation.id })
        .where('id', 'in', [...teams])
        .execute();
    });
    this.all.set(organisation.id, organisation);
  }

  /** Installs an app, or installs it again: the same bot user as before, and the scopes of all times together. */
  async install(
    organisation: Organisation,
    app: RegisteredApp,
    scopes: readonly string[],
    made: { botUserId: string; botId: string },
  ): Promise<App> {
    const known = this.app(organisation.id, app.id)?.scopes ?? new Set<string>();
    const all = [...new Set([...known, ...scopes])];
    const row = await this.#db
      .insertInto('organisation_installation')
      .values({
        app_id: app.id,
        organisation_id: organisation.id,
        bot_user_id: made.botUserId,
        bot_id: made.botId,
        scopes: all,
        active: true,
      })
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'organisation_id']).doUpdateSet({ scopes: all, active: true }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    const installed = organisationsApp({ ...row, name: app.name });
    this.#apps.set(keyOf(organisation.id, app.id), installed);
    return installed;
  }

  async uninstall(organisation: Organisation, app: App): Promise<void> {
    await this.#db
      .updateTable('organisation_installation')
      .set({ active: false, scopes: [] })
      .where('app_id', '=', app.id)
      .where('organisation_id', '=', organisation.id)
      .execute();
    this.#apps.delete(keyOf(organisation.id, app.id));
  }
}

const keyOf = (organisationId: string, appId: string) => `${organisationId} ${appId}`;

function organisationsApp(row: Selectable<Tables['organisation_installation']> & { name: string }): App {
  return {
    id: row.app_id,
    name: row.name,
    botUserId: row.bot_user_id,
    botId: row.bot_id,
    scopes: row.scopes ? new Set(row.scopes) : undefined,
    byOrganisation: true,
  };
}
