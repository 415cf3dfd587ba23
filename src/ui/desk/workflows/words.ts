/** The name of a field as people write it: `statusGroup` is the status group, `queueId` the queue. */
export const spaced = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('-', ' ')
    .replace(/ ids?$/i, '')
    .toLowerCase();

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
