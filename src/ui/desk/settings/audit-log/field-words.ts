/** Where settings are kept says nothing to people. */
const UNSAID = new Set(['data', 'settings']);

/**
 * The words of a field, of its path in the audit log: `targets.HIGH.responseMinutes` is "Targets, high, first reply in
 * minutes".
 * @param known the words of a part of the path in the catalogue; other parts are split into their words.
 */
export function fieldWords(path: string, known: (part: string) => string | undefined): string {
  const parts = path.split('.');
  const said = parts.filter((part, place) => !UNSAID.has(part) || place === parts.length - 1);
  const words = said.map((part) => known(part) ?? split(part)).join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `defaultQueueId` is "default queue", `NO_PRIORITY` "no priority", `queueIds` "queues". */
function split(name: string): string {
  const spaced = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ');
  return spaced.replace(/ Id(s?)$/, '$1').toLowerCase();
}
