import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { RegisteredApp } from './apps.ts';
import type { IdMaker } from './ids.ts';

/** A bot token: what it opens, and whether it still does. */
export type BotToken = Tables['bot_token'];

/** Whose token it is; one of the two. */
export type Holder = Pick<BotToken, 'team_id' | 'organisation_id'>;

interface Parts {
  db: Database;
  ids: IdMaker;
  clock: { now(): Date };
}

/** The bot tokens of all installations. A token that ended is kept, for what a call with it is told. */
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
   * A token for an app in a workspace or an organisation: a new one where its tokens expire or it has none, else the one it has. Where
   * tokens expire, two of them are valid at the same time at most.
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

  /** Changes a refresh token for a new pair; it is used up by that. */
  refresh(app: RegisteredApp, used: BotToken): BotToken {
    this.#parts.db.update('bot_token', { token: used.token }, { refresh_token: null });
    return this.issue(app, used);
  }

  /** From now on they open nothing, nor are they refreshed. */
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
