import { sql } from 'kysely';
import { z } from 'zod';

import { ID_PREFIXES, isBlank } from '../../contract/index.ts';
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import { OAuthError } from './error.ts';

/** Programs that nobody has allowed anything: how many are kept, and for how long. */
const UNUSED = 1_000;
const UNUSED_MS = 86_400_000;
const URIS = 5;

/** Programs on a person's machine open these; every other scheme that is not of the web may run what it names. */
const APP_SCHEMES = ['cursor:', 'vscode:', 'vscode-insiders:', 'claude:', 'zed:'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Where a code may be sent: compared as it is written (`isRegistered`), and never anything that a browser would run. */
const redirectUri = z
  .string()
  .max(500)
  .refine((text) => {
    const url = URL.parse(text);
    if (!url || text.includes('\0') || text.includes('#') || url.username !== '' || url.password !== '')
      return false;
    if (url.protocol === 'https:') return true;
    return (
      (url.protocol === 'http:' && LOOPBACK.includes(url.hostname)) || APP_SCHEMES.includes(url.protocol)
    );
  });

/** RFC 7591, as far as it is used; other fields are ignored. */
const registration = z.object({
  redirect_uris: z.array(redirectUri).min(1).max(URIS),
  client_name: z
    .string()
    .max(100)
    .refine((name) => !isBlank(name) && !name.includes('\0'))
    .optional(),
  token_endpoint_auth_method: z.string().optional(),
});

export interface OAuthClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
}

/**
 * Registers a program. Anybody may: that alone allows it nothing. What nobody uses is forgotten after a day, the
 * oldest sooner where there are many.
 */
export async function registerClient(
  db: ServiceDb,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  body: unknown,
): Promise<OAuthClient> {
  const { data } = registration.safeParse(body);
  if (!data)
    throw new OAuthError(
      'invalid_redirect_uri',
      `Send 1 to ${URIS} redirect_uris: https, http on this machine, or the scheme of a known app.`,
    );
  if ((data.token_endpoint_auth_method ?? 'none') !== 'none')
    throw new OAuthError(
      'invalid_client_metadata',
      'Only public clients: token_endpoint_auth_method is none.',
    );
  const client = {
    id: newId(ID_PREFIXES.oauthClient),
    name: data.client_name?.trim() ?? 'A program without a name',
    redirectUris: data.redirect_uris,
  };
  await db
    .insertInto('oauth_client')
    .values({ id: client.id, name: client.name, redirect_uris: client.redirectUris, created_at: now })
    .execute();
  // The oldest make room: if the newest were refused, whoever registers a thousand would keep out everybody else.
  await db
    .deleteFrom('oauth_client')
    .where('used_at', 'is', null)
    .where('id', 'in', (unused) =>
      unused
        .selectFrom('oauth_client')
        .select('id')
        .where('used_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .offset(UNUSED),
    )
    .execute();
  return client;
}

/** The port of a program on this machine. */
const LOOPBACK_PORT = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+(?=[/?]|$)/;
const withoutPort = (uri: string) => uri.replace(LOOPBACK_PORT, '$1');

/**
 * Returns whether a program registered an address. Programs on this machine get a port only when they start, so theirs
 * may be another one (RFC 8252, 7.3).
 */
export function isRegistered({ redirectUris }: OAuthClient, asked: string): boolean {
  return URL.canParse(asked) && redirectUris.some((uri) => withoutPort(uri) === withoutPort(asked));
}

export async function findClient(db: ServiceDb, id: string): Promise<OAuthClient | undefined> {
  const row = await db
    .selectFrom('oauth_client')
    .select(['id', 'name', 'redirect_uris'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, redirectUris: row.redirect_uris };
}

/** Forgets programs that nobody allowed anything for a day, and grants that have ended. */
export async function pruneClients(db: ServiceDb, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - UNUSED_MS);
  await deleteInBatches(db, 'oauth_grant', sql`expires_at <= ${now}`, signal);
  await deleteInBatches(
    db,
    'oauth_client',
    sql`created_at < ${before} and not exists (select from oauth_grant g where g.client_id = oauth_client.id)`,
    signal,
  );
}
