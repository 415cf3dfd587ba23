/** Why a sign-in was refused; the desk has a sentence for each. */
export type RefusalCode =
  'unknown' | 'unverified' | 'no-email' | 'deactivated' | 'expired' | 'failed' | 'limited';

/** A user of a workspace. */
export interface SigningPerson {
  workspaceId: string;
  personId: string;
}

/** The person is not signed in. Nothing else changes: a session that works goes on. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly code: RefusalCode;
  /** The user who was refused, if the sign-in got so far. */
  readonly person: SigningPerson | undefined;
  /** The names of the claims that the provider sent, if the sign-in got so far; for the log. */
  readonly claims: readonly string[] | undefined;

  constructor(
    code: RefusalCode,
    {
      cause,
      person,
      claims,
    }: { cause?: unknown; person?: SigningPerson; claims?: readonly string[] | undefined } = {},
  ) {
    super(code, { cause });
    this.code = code;
    this.person = person;
    this.claims = claims;
  }
}
