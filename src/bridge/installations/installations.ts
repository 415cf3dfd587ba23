// Where several workspaces install the app by OAuth: who installed it, with which token. One bridge is started for
// each of them.

import { type Selectable, sql } from 'kysely';

import { migration, migrate } from '../../platform/database/migrate.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Db, openDatabase, transaction, type Tx } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import { renewingSecrets, type Sealing } from '../../platform/sealing.ts';
import type { InstallationTables } from './tables.ts';

/** The Postgres schema of the installations; each Slack workspace also has its own. */
export const SCHEMA = 'installations';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [migration('0001', new URL('schema.sql', import.meta.url))];

export interface Installed {
  team: string;
  name: string;
  /** The Postgres schema with all of its data. */
  schema: string;
  /** The id whose token it uses: its own, or that of its organisation. */
  installation: string;
  /** The organisation that has installed the app for its workspaces. */
  organisation?: string | undefined;
  /** When its token was granted; later after a reinstallation. */
  installedAt: Date;
}

/** Slack's tokens for a workspace, or for an organisation. */
export interface Grant {
  botToken: string;
  /** Used to renew the token before it expires; absent if it never does. */
  refresh?: { token: string; expiresAt: Date } | undefined;
}

export interface NewInstallation extends Grant {
  id: string;
  name: string;
  isOrganisation: boolean;
  scopes: readonly string[];
  installedBy: string;
}

/** The schema of a bridge with SLACK_BOT_TOKEN: a workspace served that way keeps its data. */
const OWN_SCHEMA = 'bridge';

/** Slack's ids: one becomes part of a schema's name. */
const ID = /^[A-Z0-9]{2,40}$/;

/** The installations of the app, and their workspaces. Tokens are encrypted and bound to their owner. */
export class Installations {
  readonly #database: Database<InstallationTables>;
  /** Encrypts tokens and other values that the database must not reveal. */
  readonly sealing: Sealing;
  readonly #clock: Clock;

  private constructor(database: Database<InstallationTables>, sealing: Sealing, clock: Clock) {
    this.#database = database;
    this.sealing = sealing;
    this.#clock = clock;
  }

  /** @throws StartError where tokens were sealed with a key that we were not given. */
  static async open(options: {
    databaseUrl: string;
    sealing: Sealing;
    clock: Clock;
    log: Log;
  }): Promise<Installations> {
    const { databaseUrl: url, sealing, clock, log } = options;
    const database = openDatabase<InstallationTables>({ url, schema: SCHEMA, log, poolSize: 2 });
    const installations = new Installations(database, sealing, clock);
    try {
      await migrate(database, migrations);
      await renewingSecrets(() => installations.#renewTokens());
    } catch (error) {
      await database.close();
      throw error;
    }
    return installations;
  }

  /** Returns the workspaces with the app, in order of installation. */
  async all(): Promise<Installed[]> {
    const rows = await this.#database.db
      .selectFrom('workspace')
      .innerJoin('installation', 'installation.id', 'workspace.installation_id')
      .select([
        'workspace.team_id as team',
        'workspace.name',
        'workspace.schema',
        'installation.id as installation',
        'installation.is_organisation',
        'workspace.since',
        'installation.installed_at',
      ])
      .where('workspace.left_at', 'is', null)
      .where('installation.removed_at', 'is', null)
      .orderBy('workspace.since')
      .orderBy('workspace.team_id')
      .execute();
    return rows.map(({ is_organisation, since, installed_at, ...one }) => ({
      ...one,
      ...(is_organisation ? { organisation: one.installation } : {}),
      installedAt: since > installed_at ? since : installed_at,
    }));
  }

  /** Returns whether the app was installed in a workspace first. */
  async isFirst(team: string): Promise<boolean> {
    const first = await this.#database.db
      .selectFrom('workspace')
      .select('team_id')
      .orderBy('since')
      .orderBy('team_id')
      .limit(1)
      .executeTakeFirst();
    return first?.team_id === team;
  }

  async organisations(): Promise<string[]> {
    const rows = await this.#database.db
      .selectFrom('installation')
      .select('id')
      .where('is_organisation', '=', true)
      .where('removed_at', 'is', null)
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Stores an installation; it replaces an earlier one, and its workspaces keep their data. An organisation's adds no
   * workspace by itself (`open`).
   */
  async save({ id, name, isOrganisation, scopes, installedBy, ...grant }: NewInstallation): Promise<void> {
    checkId(id);
    const values = {
      name,
      is_organisation: isOrganisation,
      ...this.#sealed(id, grant),
      scopes: [...scopes],
      installed_by: installedBy,
      installed_at: this.#clock.now(),
      removed_at: null,
    };
    await transaction(this.#database.db, async (tx) => {
      await tx
        .insertInto('installation')
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
      if (!isOrganisation) await this.#open(tx, id, [{ id, name }]);
    });
  }

  /** Sets the workspaces in which an organisation allows the app; the data of removed ones stays. */
  async open(organisation: string, teams: readonly { id: string; name: string }[]): Promise<void> {
    for (const { id } of teams) checkId(id);
    await transaction(this.#database.db, async (tx) => {
      // Serialized, and skipped if the organisation is gone.
      const installation = await tx
        .selectFrom('installation')
        .select('id')
        .where('id', '=', organisation)
        .where('removed_at', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (!installation) return;
      await this.#leave(tx, organisation, teams);
      await this.#open(tx, organisation, teams);
    });
  }

  /**
   * The app was removed from a workspace or an organisation at `at`, or its token was revoked; ignored if it was
   * installed again since. The workspaces' data stays.
   */
  async remove(id: string, at: Date): Promise<void> {
    await transaction(this.#database.db, async (tx) => {
      const removed = await tx
        .updateTable('installation')
        .set({ removed_at: this.#clock.now() })
        .where('id', '=', id)
        .where('installed_at', '<=', at)
        .where('removed_at', 'is', null)
        .returning('id')
        .execute();
      if (removed.length > 0) await this.#leave(tx, id, []);
    });
  }

  /**
   * Returns the workspace whose bridge handles a channel of an organisation: `team`, unless another one already does.
   * Workspaces of an organisation may share a channel, and each event must be handled once.
   */
  async homeOf(organisation: string, channel: string, team: string): Promise<string> {
    await this.#database.db
      .insertInto('channel_workspace')
      .values({ installation_id: organisation, channel_id: channel, team_id: team })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const home = await this.#database.db
      .selectFrom('channel_workspace')
      .select('team_id')
      .where('installation_id', '=', organisation)
      .where('channel_id', '=', channel)
      .executeTakeFirst();
    return home?.team_id ?? team;
  }

  /** Returns the tokens of a workspace or an organisation; undefined if the app is not installed there. */
  async grant(id: string): Promise<Grant | undefined> {
    const row = await this.#tokens(this.#database.db, id).executeTakeFirst();
    return row && this.#opened(id, row);
  }

  /**
   * Replaces a token. Serialized over all replicas and all workspaces of an organisation: Slack accepts a refresh token
   * once, so later callers find the new one.
   * @param renew gets the current grant, and returns the one to store. If it throws, nothing changes.
   */
  async renew(id: string, renew: (grant: Grant) => Promise<Grant>): Promise<Grant | undefined> {
    return transaction(this.#database.db, async (tx) => {
      const row = await this.#tokens(tx, id).forUpdate().executeTakeFirst();
      if (!row) return undefined;
      const known = this.#opened(id, row);
      const grant = await renew(known);
      if (grant !== known)
        await tx.updateTable('installation').set(this.#sealed(id, grant)).where('id', '=', id).execute();
      return grant;
    });
  }

  #tokens(db: Db<InstallationTables>, id: string) {
    return db
      .selectFrom('installation')
      .select(['bot_token', 'refresh_token', 'expires_at'])
      .where('id', '=', id)
      .where('removed_at', 'is', null);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  /** One with the same token stays unchanged. */
  async #open(
    tx: Tx<InstallationTables>,
    installation: string,
    teams: readonly { id: string; name: string }[],
  ): Promise<void> {
    const since = this.#clock.now();
    for (const { id, name } of teams) {
      const schema = (await wasServed(tx, id)) ? OWN_SCHEMA : `${OWN_SCHEMA}_${id.toLowerCase()}`;
      await tx
        .insertInto('workspace')
        .values({ team_id: id, installation_id: installation, name, schema, since })
        .onConflict((conflict) =>
          conflict.column('team_id').doUpdateSet({
            installation_id: installation,
            name,
            left_at: null,
            since: sql<Date>`case when workspace.left_at is null and workspace.installation_id = ${installation}
              then workspace.since else ${since} end`,
          }),
        )
        .execute();
    }
  }

  /** Removes an installation's other workspaces; their channels are free for others. */
  async #leave(
    tx: Tx<InstallationTables>,
    installation: string,
    teams: readonly { id: string }[],
  ): Promise<void> {
    const left = await tx
      .updateTable('workspace')
      .set({ left_at: this.#clock.now() })
      .where('installation_id', '=', installation)
      .where('left_at', 'is', null)
      .where(sql<boolean>`team_id <> all(${teams.map(({ id }) => id)}::text[])`)
      .returning('team_id')
      .execute();
    for (const { team_id } of left)
      await tx.deleteFrom('channel_workspace').where('team_id', '=', team_id).execute();
  }

  /** Encrypts with the newest key the tokens that an older one encrypted. */
  async #renewTokens(): Promise<void> {
    await transaction(this.#database.db, async (tx) => {
      const rows = await tx
        .selectFrom('installation')
        .select(['id', 'bot_token', 'refresh_token'])
        .where('removed_at', 'is', null)
        .orderBy('id')
        .forNoKeyUpdate()
        .execute();
      for (const { id, bot_token, refresh_token } of rows) {
        const renewed = {
          bot_token: this.sealing.renew(bot_token, sealingPlaces(id).botToken),
          refresh_token: refresh_token && this.sealing.renew(refresh_token, sealingPlaces(id).refreshToken),
        };
        if (renewed.bot_token === bot_token && renewed.refresh_token === refresh_token) continue;
        await tx.updateTable('installation').set(renewed).where('id', '=', id).execute();
      }
    });
  }

  #sealed(id: string, { botToken, refresh }: Grant) {
    return {
      bot_token: this.sealing.seal(botToken, sealingPlaces(id).botToken),
      refresh_token: refresh ? this.sealing.seal(refresh.token, sealingPlaces(id).refreshToken) : null,
      expires_at: refresh?.expiresAt ?? null,
    };
  }

  #opened(
    id: string,
    row: Pick<Selectable<InstallationTables['installation']>, 'bot_token' | 'refresh_token' | 'expires_at'>,
  ): Grant {
    const botToken = this.sealing.open(row.bot_token, sealingPlaces(id).botToken);
    if (row.refresh_token === null || row.expires_at === null) return { botToken };
    const token = this.sealing.open(row.refresh_token, sealingPlaces(id).refreshToken);
    return { botToken, refresh: { token, expiresAt: row.expires_at } };
  }
}

/** The places that the tokens of an installation are sealed for. */
function sealingPlaces(id: string): { botToken: string; refreshToken: string } {
  return { botToken: `${id} bot token`, refreshToken: `${id} refresh token` };
}

/** Returns whether a bridge of this single workspace ran here before. */
async function wasServed(tx: Tx<InstallationTables>, team: string): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${`${OWN_SCHEMA}.person`}) is not null as there`.execute(tx);
  if (!rows[0]?.there) return false;
  const people = await sql`
    select 1 from ${sql.id(OWN_SCHEMA, 'person')} where team_id = ${team} limit 1`.execute(tx);
  return people.rows.length > 0;
}

function checkId(id: string): void {
  if (!ID.test(id)) throw new TypeError(`${JSON.stringify(id)} is no id of chat`);
}
