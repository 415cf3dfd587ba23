import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

import { StartError } from './lifecycle.ts';

/** AES-256. */
export const SEALING_KEY_BYTES = 32;
/** NIST SP 800-38D, 8.2.2: 96 random bits, safe for 2³² texts under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MARK = 'sealed1';

/** The sealed text cannot be opened with any key, was changed, or was moved from the place it was sealed for. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
}

/** Encrypts texts so that the database alone does not reveal them. */
export interface Sealing {
  /** `place` is bound to the text: a text sealed for one row cannot be opened in another. */
  seal(text: string, place: string): string;
  /** @throws SealingError */
  open(sealed: string, place: string): string;
  /**
   * Returns a text sealed with the newest key; the same text if it is already.
   * @throws SealingError
   */
  renew(sealed: string, place: string): string;
}

/**
 * Creates AES-256-GCM sealing. The first key seals, all of them open: to replace a key, put the new one before the old
 * one. A sealed text is `sealed1.<key's fingerprint>.<nonce, text and tag in base64url>`.
 */
export function createSealing(keys: readonly Buffer[]): Sealing {
  const [newest] = keys;
  if (!newest) throw new TypeError('a sealing needs a key');
  if (keys.some((key) => key.length !== SEALING_KEY_BYTES))
    throw new TypeError(`a sealing key has ${SEALING_KEY_BYTES} bytes`);
  const byFingerprint = new Map(keys.map((key) => [fingerprint(key), key]));
  const prefix = `${MARK}.${fingerprint(newest)}.`;

  const sealing: Sealing = {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest, nonce).setAAD(Buffer.from(place, 'utf8'));
      const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${prefix}${Buffer.concat(sealed).toString('base64url')}`;
    },
    open(sealed, place) {
      const [mark, name = '', content = ''] = sealed.split('.');
      const key = byFingerprint.get(name);
      if (mark !== MARK || !key) throw new SealingError('sealed with an unknown key');
      const bytes = Buffer.from(content, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealingError('too short to be sealed');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(place, 'utf8'))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        throw new SealingError('changed, or sealed for another place', { cause: error });
      }
    },
    renew(sealed, place) {
      const text = sealing.open(sealed, place);
      return sealed.startsWith(prefix) ? sealed : sealing.seal(text, place);
    },
  };
  return sealing;
}

/**
 * Runs what encrypts with the newest key, at the start, all that an older one encrypted.
 * @throws StartError where something was sealed with a key that we were not given: it would fail later, one by one.
 */
export async function renewingSecrets(renew: () => Promise<void>): Promise<void> {
  try {
    await renew();
  } catch (error) {
    if (!(error instanceof SealingError)) throw error;
    throw new StartError(
      'The secrets in this database were sealed with another key. Give every process on it the same TOKEN_ENCRYPTION_KEY; ' +
        'without one, the key is in encryption-key.json of the DATA_DIR that was used first.',
      { cause: error },
    );
  }
}

/** Identifies a key without revealing it. */
function fingerprint(key: Buffer): string {
  return createHash('sha256').update('deskbridge sealing key').update(key).digest('hex').slice(0, 8);
}
