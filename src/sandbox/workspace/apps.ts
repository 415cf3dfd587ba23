import type { Selectable } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';

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
export async function setTransport(db: Db<Tables>, app: RegisteredApp, transport: Transport): Promise<void> {
  const { requestUrl, requestUrlVerified, socketMode } = transport;
  await db
    .updateTable('app')
    .set({
      request_url: requestUrl ?? null,
      request_url_verified: requestUrlVerified,
      socket_mode: socketMode,
    })
    .where('id', '=', app.id)
    .execute();
  Object.assign(app, { requestUrl, requestUrlVerified, socketMode });
}

/** Changes where people may be sent back to after they installed an app. */
export async function setRedirectUrls(
  db: Db<Tables>,
  app: RegisteredApp,
  redirectUrls: string[],
): Promise<void> {
  await db.updateTable('app').set({ redirect_urls: redirectUrls }).where('id', '=', app.id).execute();
  app.redirectUrls = redirectUrls;
}

export function registeredAppOf(row: Selectable<Tables['app']>): RegisteredApp {
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
