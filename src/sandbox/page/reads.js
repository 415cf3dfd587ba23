/**
 * The read position of each person, stored in this browser: newer messages are marked when they come back.
 */
const KEY = 'sandbox-read';
const read = JSON.parse(localStorage.getItem(KEY) ?? '{}');
const keyOf = (person, channel) => `${person} ${channel}`;

export const reads = {
  /** The position of the line “New” in the shown channel; undefined: none. */
  mark: undefined,

  enter(person, channel) {
    this.mark = read[keyOf(person, channel)];
  },

  leave(person, channel, messages) {
    const newest = [...messages.keys()].sort().at(-1);
    this.mark = undefined;
    if (!newest) return;
    read[keyOf(person, channel)] = newest;
    localStorage.setItem(KEY, JSON.stringify(read));
  },
};
