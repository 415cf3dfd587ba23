import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';

/** An app as its maker registered it: the same in all workspaces it is installed in. */
export interface RegisteredApp extends Transport {
  id: string;
  name: string;
  appToken: string;
  signingSecret: string;
  clientId: string;
  clientSecret: string;
  /** Where people may be sent back to after they installed it. */
  redirectUrls: string[];
  /** Its bot tokens expire, and come with a refresh token. */
  tokenRotation: boolean;
}

/** How an app is reached. */
export interface Transport {
  /** Where events go by HTTP while Socket Mode is off. */
  requestUrl: string | undefined;
  /** The address has answered the challenge. */
  requestUrlVerified: boolean;
  socketMode: boolean;
}

/** Changes how an app is reached; the next delivery goes the new way. */
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
    return this.#db.query<Tables['app']>('select * from app order by id').all().map(registeredAppOf);
  }

  #one(column: 'id' | 'app_token' | 'client_id', value: string): RegisteredApp | undefined {
    const row = this.#db.query<Tables['app']>(`select * from app where ${column} = ?`).get(value);
    return row && registeredAppOf(row);
  }
}

function registeredAppOf(row: Tables['app']): RegisteredApp {
  return {
    id: row.id,
    name: row.name,
    appToken: row.app_token,
    signingSecret: row.signing_secret,
    clientId: row.client_id,
    clientSecret: row.client_secret,
    redirectUrls: row.redirect_urls,
    tokenRotation: row.token_rotation,
    requestUrl: row.request_url ?? undefined,
    requestUrlVerified: row.request_url_verified,
    socketMode: row.socket_mode,
  };
}
