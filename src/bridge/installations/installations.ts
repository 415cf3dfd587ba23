import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type Database, openDatabase, transaction } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { type InstallationTables, migrations, SCHEMA } from './schema.ts';

/** A chat workspace in which the app is installed. */
export interface Installed {
  team: string;
  name: string;
  /** The Postgres schema of everything that is kept of it. */
  schema: string;
}

/** What chat hands out for a workspace. */
export interface Grant {
  botToken: string;
  /** With it a new token is got before this one expires; absent where it never does. */
  refresh?: { token: string; expiresAt: Date } | undefined;
}

export interface NewInstallation extends Grant {
  team: string;
  name: string;
  scopes: readonly string[];
  installedBy: string;
}

/** The schema of a bridge of one workspace, by SLACK_BOT_TOKEN: a workspace that was served so keeps what is known of it. */
const OWN_SCHEMA = 'bridge';

/** It becomes part of a schema's name. */
const TEAM = /^[A-Z0-9]{2,40}$/;

/** Who has installed the app. Tokens are sealed, each for its workspace. */
export class Installations {
  readonly #database: Database<InstallationTables>;
  readonly #sealing: Sealing;
  readonly #clock: Clock;

  private constructor(database: Database<InstallationTables>, sealing: Sealing, clock: Clock) {
    this.#database = database;
    this.#sealing = sealing;
    this.#clock = clock;
  }

  static async open(options: {
    databaseUrl: string;
    sealing: Sealing;
    clock: Clock;
    log: Log;
  }): Promise<Installations> {
    const { databaseUrl: url, sealing, clock, log } = options;
    const database = openDatabase<InstallationTables>({ url, schema: SCHEMA, log, poolSize: 2 });
    try {
      await migrate(database, migrations);
    } catch (error) {
      await database.close();
      throw error;
    }
    return new Installations(database, sealing, clock);
  }

  /** Those that are in use, in the order in which they were made. */
  async all(): Promise<Installed[]> {
    const rows = await this.#database.db
      .selectFrom('installation')
      .select(['team_id as team', 'name', 'schema'])
      .where('removed_at', 'is', null)
      .orderBy('installed_at')
      .execute();
    return rows;
  }

  /** Keeps an installation; one of the same workspace is replaced, and goes on with what is known of it. */
  async save({ team, name, scopes, installedBy, ...grant }: NewInstallation): Promise<void> {
    if (!TEAM.test(team)) throw new TypeError(`${JSON.stringify(team)} is no id of a chat workspace`);
    const values = {
      name,
      ...this.#sealed(team, grant),
      scopes: [...scopes],
      installed_by: installedBy,
      installed_at: this.#clock.now(),
      removed_at: null,
    };
    await transaction(this.#database.db, async (tx) => {
      const schema = (await this.#wasServed(team)) ? OWN_SCHEMA : `${OWN_SCHEMA}_${team.toLowerCase()}`;
      await tx
        .insertInto('installation')
        .values({ team_id: team, schema, ...values })
        .onConflict((conflict) => conflict.column('team_id').doUpdateSet(values))
        .execute();
    });
  }

  /**
   * The app was removed from a workspace at `at`, or its token taken back; nothing is done where it was installed again
   * since. What is known of the workspace stays.
   */
  async remove(team: string, at: Date): Promise<void> {
    await this.#database.db
      .updateTable('installation')
      .set({ removed_at: this.#clock.now() })
      .where('team_id', '=', team)
      .where('installed_at', '<=', at)
      .where('removed_at', 'is', null)
      .execute();
  }

  /** What chat handed out for a workspace; undefined where the app is not installed there (any more). */
  async grant(team: string): Promise<Grant | undefined> {
    const row = await this.#database.db
      .selectFrom('installation')
      .select(['bot_token', 'refresh_token', 'expires_at'])
      .where('team_id', '=', team)
      .where('removed_at', 'is', null)
      .executeTakeFirst();
    return row && this.#opened(team, row);
  }

  /**
   * Replaces a workspace's grant. One at a time over all replicas: chat takes a refresh token once, so whoever comes
   * second finds what the first one got.
   * @param renew gets the grant as it is now, and gives the one to keep. What it throws changes nothing.
   */
  async renew(team: string, renew: (grant: Grant) => Promise<Grant>): Promise<Grant | undefined> {
    return transaction(this.#database.db, async (tx) => {
      const row = await tx
        .selectFrom('installation')
        .select(['bot_token', 'refresh_token', 'expires_at'])
        .where('team_id', '=', team)
        .where('removed_at', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (!row) return undefined;
      const known = this.#opened(team, row);
      const grant = await renew(known);
      if (grant !== known)
        await tx
          .updateTable('installation')
          .set(this.#sealed(team, grant))
          .where('team_id', '=', team)
          .execute();
      return grant;
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  #sealed(team: string, { botToken, refresh }: Grant) {
    return {
      bot_token: this.#sealing.seal(botToken, `${team} bot token`),
      refresh_token: refresh ? this.#sealing.seal(refresh.token, `${team} refresh token`) : null,
      expires_at: refresh?.expiresAt ?? null,
    };
  }

  #opened(
    team: string,
    row: { bot_token: string; refresh_token: string | null; expires_at: Date | null },
  ): Grant {
    const botToken = this.#sealing.open(row.bot_token, `${team} bot token`);
    if (row.refresh_token === null || row.expires_at === null) return { botToken };
    const token = this.#sealing.open(row.refresh_token, `${team} refresh token`);
    return { botToken, refresh: { token, expiresAt: row.expires_at } };
  }

  /** Whether a bridge of this workspace alone ran here before. */
  async #wasServed(team: string): Promise<boolean> {
    const { db } = this.#database;
    const { rows } = await sql<{ there: boolean }>`
      select to_regclass(${`${OWN_SCHEMA}.person`}) is not null as there`.execute(db);
    if (!rows[0]?.there) return false;
    const people = await sql`
      select 1 from ${sql.id(OWN_SCHEMA, 'person')} where team_id = ${team} limit 1`.execute(db);
    return people.rows.length > 0;
  }
}
