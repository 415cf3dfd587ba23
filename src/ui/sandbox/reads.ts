import type { Message } from './types.ts';

/**
 * The read position of each person, stored in this browser: newer messages are marked when they come back.
 */
const KEY = 'sandbox-read';
const read = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, string>;
const keyOf = (person: string, channel: string) => `${person} ${channel}`;

export const reads = {
  /** The position of the line “New” in the shown channel; undefined: none. */
  mark: undefined as string | undefined,

  enter(person: string, channel: string): void {
    this.mark = read[keyOf(person, channel)];
  },

  leave(person: string, channel: string, messages: ReadonlyMap<string, Message>): void {
    const newest = [...messages.keys()].sort().at(-1);
    this.mark = undefined;
    if (!newest) return;
    read[keyOf(person, channel)] = newest;
    localStorage.setItem(KEY, JSON.stringify(read));
  },
};
