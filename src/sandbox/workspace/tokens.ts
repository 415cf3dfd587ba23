import type { Selectable } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import { LIMITS } from '../limits.ts';
import type { Tables } from '../schema/tables.ts';
import type { RegisteredApp } from './apps.ts';
import type { IdMaker } from './ids.ts';

/** A bot token: what it opens, and whether it still does. */
export type BotToken = Selectable<Tables['bot_token']>;

/** Whose token it is; one of the two. */
export type Holder = Pick<BotToken, 'team_id' | 'organisation_id'>;

interface Parts {
  db: Db<Tables>;
  ids: IdMaker;
  clock: { now(): Date };
}

/**
 * The bot tokens of all installations, held in memory: every call shows one. A token that ended is kept, for what a
 * call with it is told.
 */
export class Tokens {
  readonly #parts: Parts;
  readonly #tokens = new Map<string, BotToken>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    this.#tokens.clear();
    const rows = await this.#parts.db.selectFrom('bot_token').selectAll().orderBy('created_at').execute();
    for (const row of rows) this.#tokens.set(row.token, row);
  }

  get(token: string): BotToken | undefined {
    return this.#tokens.get(token);
  }

  byRefreshToken(refreshToken: string): BotToken | undefined {
    return [...this.#tokens.values()].find((one) => one.refresh_token === refreshToken);
  }

  isExpired({ expires_at }: BotToken): boolean {
    return expires_at !== null && expires_at <= this.#parts.clock.now();
  }

  /** Those of an app in a workspace or an organisation that open it, the oldest first. */
  valid(appId: string, holder: string): BotToken[] {
    return this.of(appId, holder).filter((one) => !this.isExpired(one));
  }

  /**
   * A token for an app in a workspace or an organisation: a new one where its tokens expire or it has none, else the one it has. Where
   * tokens expire, two of them are valid at the same time at most.
   */
  async issue(app: RegisteredApp, holder: Holder): Promise<BotToken> {
    const { db, ids, clock } = this.#parts;
    const known = this.valid(app.id, holder.team_id ?? holder.organisation_id ?? '');
    const lasting = known.find(({ expires_at }) => expires_at === null);
    if (!app.tokenRotation && lasting) return lasting;
    const now = clock.now();
    const row = await db
      .insertInto('bot_token')
      .values({
        token: `${app.tokenRotation ? 'xoxe.xoxb-1' : 'xoxb'}-${ids.secret()}`,
        app_id: app.id,
        team_id: holder.team_id,
        organisation_id: holder.organisation_id,
        refresh_token: app.tokenRotation ? `xoxe-1-${ids.secret()}` : null,
        expires_at: app.tokenRotation ? new Date(now.getTime() + LIMITS.tokenMs) : null,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    this.#tokens.set(row.token, row);
    if (app.tokenRotation) await this.end(known.slice(0, -1));
    return row;
  }

  /** Changes a refresh token for a new pair; it is used up by that. */
  async refresh(app: RegisteredApp, used: BotToken): Promise<BotToken> {
    await this.#parts.db
      .updateTable('bot_token')
      .set({ refresh_token: null })
      .where('token', '=', used.token)
      .execute();
    used.refresh_token = null;
    return this.issue(app, used);
  }

  /** From now on they open nothing, nor are they refreshed. */
  async end(tokens: readonly BotToken[]): Promise<void> {
    if (tokens.length === 0) return;
    await this.#parts.db
      .updateTable('bot_token')
      .set({ ended: true, refresh_token: null })
      .where(
        'token',
        'in',
        tokens.map(({ token }) => token),
      )
      .execute();
    for (const one of tokens) Object.assign(one, { ended: true, refresh_token: null });
  }

  /** Every token of an app in a workspace or an organisation that has not ended, the expired ones too. */
  of(appId: string, holder: string): BotToken[] {
    return [...this.#tokens.values()].filter(
      (one) => one.app_id === appId && (one.team_id ?? one.organisation_id) === holder && !one.ended,
    );
  }
}
