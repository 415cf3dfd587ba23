import { makeToken } from '../keys/token.ts';

const PREFIX = 'dbs';

/** Generates the token of a session: `dbs_<short id>_<secret>`. */
export function makeSessionToken(randomBytes: (length: number) => Buffer): string {
  return makeToken(randomBytes, PREFIX);
}

/** Returns whether a token is a session's rather than an API key. */
export function isSessionToken(token: string): boolean {
  return token.startsWith(`${PREFIX}_`);
}
