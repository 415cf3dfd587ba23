/** How far each person has read, kept by this browser: what is newer is marked when they come back. */
const KEY = 'sandbox-read';
const read = JSON.parse(localStorage.getItem(KEY) ?? '{}');
const keyOf = (person, channel) => `${person} ${channel}`;

export const reads = {
  /** Where the line “New” stands in the channel that is shown; undefined: nowhere. */
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
