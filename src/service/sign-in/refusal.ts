/** Why a sign-in was refused; the desk has a sentence for each. */
export type RefusalCode = 'unknown' | 'unverified' | 'deactivated' | 'expired' | 'failed' | 'limited';

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

  constructor(code: RefusalCode, { cause, person }: { cause?: unknown; person?: SigningPerson } = {}) {
    super(code, { cause });
    this.code = code;
    this.person = person;
  }
}
