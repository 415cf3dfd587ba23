/** 80 bits in groups that can be typed; without letters and digits that look alike. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP = 4;

/** What somebody has to write at the desk to speak as the user that they are there. */
export function lineWithCode(code: string): string {
  return `link-me ${code}`;
}

/** A code of 16 or more random bytes; the alphabet has 32 characters, so each is as likely as any other. */
export function codeFrom(bytes: Uint8Array): string {
  const characters = Array.from(
    bytes.slice(0, GROUPS * GROUP),
    (byte) => ALPHABET[byte % ALPHABET.length] ?? '',
  );
  return characters.join('').replaceAll(/.{4}(?!$)/g, '$&-');
}

/** As much of a ticket message as says whether it proves who somebody is. */
export interface Proof {
  content: string;
  private: boolean;
  deleted: boolean;
  status: string | null;
  /** ISO 8601, by the service's clock. */
  createdAt: string;
  updatedAt: string;
  source: string | null;
  authorId: string | null;
  chatChannelId: string | null;
  chatMessages: readonly unknown[];
  emailMessageId: string | null;
}

/** Ways in by which the service itself knows who writes; an e-mail, a form or chat only says so. */
const SIGNED_IN = new Set(['WEB', 'API']);

/** Services stamp the two times of a new message one after the other. */
const STAMPED_WITHIN_MS = 1_000;

/**
 * The code that a message proves the knowledge of: an internal note that was written at the desk and is nothing but
 * the line. What came from chat, by e-mail or by a form proves nothing; nor does an edited note, for whoever edits it need
 * not be its author; nor a code inside of other words: somebody may be quoting it.
 */
export function codeIn(message: Proof): string | undefined {
  if (!message.private || message.deleted || message.authorId === null) return undefined;
  if (!SIGNED_IN.has(message.source ?? '') || message.chatChannelId !== null) return undefined;
  if (message.chatMessages.length > 0 || message.emailMessageId || wasEdited(message)) return undefined;
  const line = message.content.trim().replace(/^`+(.*?)`+$/s, '$1');
  return /^link-me ([A-Z2-9]{4}(?:-[A-Z2-9]{4}){3})$/.exec(line.trim())?.[1];
}

function wasEdited({ status, createdAt, updatedAt }: Proof): boolean {
  const changedAfterMs = Date.parse(updatedAt) - Date.parse(createdAt);
  return status === 'EDITED' || !(changedAfterMs <= STAMPED_WITHIN_MS);
}
