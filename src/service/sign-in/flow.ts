import { hash } from 'node:crypto';

import type { ServiceDb, Tools } from '../handler.ts';
import { hashToken } from '../keys/token.ts';
import type { FlowSecrets } from './provider.ts';

export const FLOW_SECONDS = 10 * 60;
const SECRET_BYTES = 32;

/** A started sign-in. */
export interface Flow {
  secrets: FlowSecrets;
  returnTo: string;
}

/** Starts a sign-in; `cookie` is for the browser that started it, and for nothing else. */
export async function startFlow(
  db: ServiceDb,
  { randomBytes }: Pick<Tools, 'randomBytes'>,
  now: Date,
  { provider, returnTo }: { provider: string; returnTo: string },
): Promise<{ cookie: string; secrets: FlowSecrets }> {
  const [cookie, nonce, codeVerifier] = [secret(), secret(), secret()];
  await db
    .insertInto('sign_in_flow')
    .values({
      hash: hashToken(cookie),
      provider,
      nonce,
      code_verifier: codeVerifier,
      return_to: returnTo,
      created_at: now,
      expires_at: new Date(now.getTime() + FLOW_SECONDS * 1000),
    })
    .execute();
  return { cookie, secrets: { state: stateOfCookie(cookie), nonce, codeVerifier } };

  function secret(): string {
    return randomBytes(SECRET_BYTES).toString('base64url');
  }
}

/** Ends the sign-in of a browser's cookie; each is completed at most once. Undefined if there is none any more. */
export async function takeFlow(
  db: ServiceDb,
  now: Date,
  { cookie, provider }: { cookie: string; provider: string },
): Promise<Flow | undefined> {
  const row = await db
    .deleteFrom('sign_in_flow')
    .where('hash', '=', hashToken(cookie))
    .where('provider', '=', provider)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return (
    row && {
      secrets: { state: stateOfCookie(cookie), nonce: row.nonce, codeVerifier: row.code_verifier },
      returnTo: row.return_to,
    }
  );
}

/** The `state` of a sign-in: the provider, its logs and the address bar see it, and cannot tell the cookie from it. */
export function stateOfCookie(cookie: string): string {
  return hash('sha256', `deskbridge sign-in state ${cookie}`, 'base64url');
}
