/** Why a sign-in was refused; the desk has a sentence for each. */
export type RefusalCode = 'unknown' | 'unverified' | 'deactivated' | 'expired' | 'failed' | 'limited';

/** The person is not signed in. Nothing else changes: a session that works goes on. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
