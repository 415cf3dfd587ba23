import { hash } from 'node:crypto';

import type { Selectable } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import type { Authenticated } from '../keys/authenticated.ts';
import { hashToken, makeToken, sameDigest } from '../keys/token.ts';
import type { Tables } from '../schema/tables.ts';
import { callerOfPerson } from '../sessions/caller-with-session.ts';
import { OAuthError } from './error.ts';
import type { Scope } from './scopes.ts';

const CODE_MS = 60_000;
const ACCESS_MS = 3_600_000;
/** A program that is not used for so long asks its person again. */
const UNUSED_MS = 30 * 86_400_000;
/** Minimum interval between updates of `last_used_at`. */
const LAST_USED_EVERY_MS = 60_000;

/** The start of access tokens; those of refreshing have the same. */
const PREFIX = 'dba';

type Row = Selectable<Tables['oauth_grant']>;
type Context = Pick<Tools, 'newId' | 'randomBytes'> & { now: Date };

/** Returns whether a token is one of OAuth rather than an API key or a session's. */
export function isAccessToken(token: string): boolean {
  return token.startsWith(`${PREFIX}_`);
}

/** A person allows a program something: returns the code that the program exchanges within a minute. */
export async function createGrant(
  tx: ServiceTx,
  { newId, randomBytes, now }: Context,
  caller: Caller,
  asked: {
    client: { id: string; name: string };
    scopes: readonly Scope[];
    codeChallenge: string;
    redirectUri: string;
  },
): Promise<string> {
  const { client, scopes, codeChallenge, redirectUri } = asked;
  const code = randomBytes(32).toString('base64url');
  const id = newId(ID_PREFIXES.oauthGrant);
  await tx
    .updateTable('oauth_client')
    .set({ used_at: now })
    .where('id', '=', client.id)
    .where('used_at', 'is', null)
    .execute();
  await tx
    .insertInto('oauth_grant')
    .values({
      workspace_id: caller.workspaceId,
      id,
      person_id: caller.personId ?? '',
      client_id: client.id,
      scopes: [...scopes],
      code_hash: hashToken(code),
      code_until: new Date(now.getTime() + CODE_MS),
      code_challenge: codeChallenge,
      redirect_uri: redirectUri,
      created_at: now,
      expires_at: new Date(now.getTime() + CODE_MS),
    })
    .execute();
  await writeAudit(
    tx,
    { newId, now },
    {
      workspaceId: caller.workspaceId,
      action: 'connection.started',
      actor: actorOf(caller),
      subjectId: id,
      reason: 'Connected a program.',
      detail: { clientId: client.id, scopes: [...scopes] },
    },
  );
  return code;
}

/** The tokens that a program receives. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
  scopes: readonly string[];
}

/**
 * Exchanges a code for tokens, once. A code that comes again was stolen, or its answer was: what it gave ends.
 * @returns undefined, with the grant ended, for such a code.
 */
export async function exchangeCode(
  tx: ServiceTx,
  context: Context,
  given: { code: string; clientId: string; redirectUri: string; codeVerifier: string },
): Promise<Tokens | undefined> {
  const { now } = context;
  const row = await tx
    .selectFrom('oauth_grant')
    .selectAll()
    .where('code_hash', '=', hashToken(given.code))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row || row.client_id !== given.clientId) throw invalidGrant();
  if (row.code_used_at !== null) {
    await endGrant(tx, context, row, STOLEN);
    return undefined;
  }
  const challenge = hash('sha256', given.codeVerifier, 'base64url');
  const isSame = sameDigest(Buffer.from(challenge), Buffer.from(row.code_challenge));
  if (row.code_until <= now || row.redirect_uri !== given.redirectUri || !isSame) throw invalidGrant();
  return renew(tx, context, row, { code_used_at: now });
}

/**
 * Exchanges a refresh token for new tokens; the old ones end. One that was exchanged before was stolen, or its answer was:
 * what it gave ends.
 * @returns undefined, with the grant ended, for such a token.
 */
export async function refreshTokens(
  tx: ServiceTx,
  context: Context,
  given: { refreshToken: string; clientId: string },
): Promise<Tokens | undefined> {
  const digest = hashToken(given.refreshToken);
  const row = await tx
    .selectFrom('oauth_grant')
    .selectAll()
    .where((is) => is.or([is('refresh_hash', '=', digest), is('previous_refresh_hash', '=', digest)]))
    .where('client_id', '=', given.clientId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row || row.expires_at <= context.now) throw invalidGrant();
  if (!row.refresh_hash || !sameDigest(row.refresh_hash, digest)) {
    await endGrant(tx, context, row, STOLEN);
    return undefined;
  }
  return renew(tx, context, row, { previous_refresh_hash: digest });
}

async function renew(
  tx: ServiceTx,
  { randomBytes, now }: Context,
  { workspace_id, id, scopes }: Row,
  more: { code_used_at: Date } | { previous_refresh_hash: Buffer },
): Promise<Tokens> {
  const [accessToken, refreshToken] = [makeToken(randomBytes, PREFIX), makeToken(randomBytes, PREFIX)];
  await tx
    .updateTable('oauth_grant')
    .set({
      ...more,
      access_hash: hashToken(accessToken),
      access_until: new Date(now.getTime() + ACCESS_MS),
      refresh_hash: hashToken(refreshToken),
      expires_at: new Date(now.getTime() + UNUSED_MS),
    })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
  return { accessToken, refreshToken, expiresInSeconds: ACCESS_MS / 1_000, scopes };
}

/** Ends what a token of it gave, if it is one. */
export async function revokeToken(
  tx: ServiceTx,
  context: Pick<Context, 'newId' | 'now'>,
  { token, clientId }: { token: string; clientId: string },
): Promise<void> {
  const digest = hashToken(token);
  const row = await tx
    .selectFrom('oauth_grant')
    .selectAll()
    .where((is) => is.or([is('refresh_hash', '=', digest), is('access_hash', '=', digest)]))
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (row) await endGrant(tx, context, row, 'A program disconnected itself.');
}

async function endGrant(
  tx: ServiceTx,
  { newId, now }: Pick<Context, 'newId' | 'now'>,
  { workspace_id, id, person_id }: Pick<Row, 'workspace_id' | 'id' | 'person_id'>,
  reason: string,
): Promise<void> {
  await tx.deleteFrom('oauth_grant').where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
  await writeAudit(
    tx,
    { newId, now },
    {
      workspaceId: workspace_id,
      action: 'connection.ended',
      actor: { personId: person_id },
      subjectId: id,
      reason,
    },
  );
}

const STOLEN = 'A program was disconnected: its code or token came twice.';

function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code or token is unknown, has expired, or is not of this client.',
  );
}

/** A person whom a program acts as, and what they allowed it. */
export interface GrantedCaller {
  caller: Authenticated;
  scopes: readonly string[];
}

/** Reads the person behind an access token, as they are now. */
export async function callerWithGrant(
  db: ServiceDb,
  token: string,
  now: Date,
): Promise<GrantedCaller | undefined> {
  const row = await db
    .selectFrom('oauth_grant as g')
    .innerJoin('person as p', (on) =>
      on.onRef('p.workspace_id', '=', 'g.workspace_id').onRef('p.id', '=', 'g.person_id'),
    )
    .select(['g.workspace_id', 'g.id', 'g.person_id', 'g.scopes', 'g.last_used_at', 'p.role', 'p.queue_ids'])
    .where('g.access_hash', '=', hashToken(token))
    .where('g.access_until', '>', now)
    .where('p.deactivated_at', 'is', null)
    .where('p.erased_at', 'is', null)
    .executeTakeFirst();
  if (!row) return undefined;
  if (now.getTime() - (row.last_used_at?.getTime() ?? 0) >= LAST_USED_EVERY_MS)
    await db
      .updateTable('oauth_grant')
      .set({ last_used_at: now })
      .where('workspace_id', '=', row.workspace_id)
      .where('id', '=', row.id)
      .execute();
  return { caller: callerOfPerson(row, row.id), scopes: row.scopes };
}
