import type { NewId } from '../../platform/ids.ts';

export interface IdMaker {
  /** An id in Slack's spelling: a prefix of capitals and letters or digits. Sorts by when it was made. */
  slackId(prefix: string): string;
  uuid(): string;
  /** Five characters, as Slack gives to blocks without a `block_id`. */
  blockId(): string;
  /** `13345224609.738474920.8088930838d88f008e0`: three parts, as Slack's trigger ids. */
  triggerId(): string;
  /** A secret in an address (tickets, response addresses). */
  secret(): string;
}

const BLOCK_ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Ids of the sandbox from the two sources that tests can fix. */
export function createIdMaker(newId: NewId, random: () => number): IdMaker {
  // By hand: each message takes some hundred letters, and a list of them costs several times as much.
  const pick = (letters: string, count: number): string => {
    let picked = '';
    for (let index = 0; index < count; index += 1)
      picked += letters.charAt(Math.floor(random() * letters.length));
    return picked;
  };
  const hex = (count: number) => pick('0123456789abcdef', count);
  return {
    slackId: (prefix) =>
      `${prefix}${newId(prefix)
        .slice(prefix.length + 1)
        .toUpperCase()}`,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick('89ab', 1)}${hex(3)}-${hex(12)}`,
    blockId: () => pick(BLOCK_ID_LETTERS, 5),
    triggerId: () => `${pick('123456789', 13)}.${pick('123456789', 12)}.${hex(32)}`,
    secret: () => hex(40),
  };
}
