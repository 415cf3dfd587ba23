/** The properties of a command that decide its order (kit/commands.ts). */
interface Named {
  id: string;
  label: string;
  group: string;
}

/** Commands for a ticket, the most used first; those for several tickets have other ids (list/bulk.tsx). */
const ACTS = [
  'assignee',
  'assign',
  'take',
  'status',
  'priority',
  'snooze',
  'tags',
  'tag',
  'reply',
  'note',
  'send-close',
  'send-wait',
  'send-next',
  'send-later',
  'due',
  'queue',
  'merge',
  'link',
  'copy-link',
  'edit-title',
  'edit-description',
  'details',
  'archive',
];

/** The id of a command without which tickets it is for. */
export const actOf = (id: string): string => id.replace(/-(current|all)$/, '');

function rankIn(names: readonly string[], name: string): number {
  const at = names.indexOf(name);
  return at === -1 ? names.length : at;
}

/** The commands as they are listed before anything is typed: by group, what is wanted most first. */
export const listed = <Each extends Named>(commands: readonly Each[], groups: readonly string[]): Each[] =>
  commands.toSorted(
    (one, other) =>
      rankIn(groups, one.group) - rankIn(groups, other.group) ||
      rankIn(ACTS, actOf(one.id)) - rankIn(ACTS, actOf(other.id)),
  );

/** From this one on a command matches less well than a ticket that was found. */
const WEAK = 3;

/** How well a command matches what is typed, 0 the best; undefined: not at all. */
function matchOf({ label, group }: Named, text: string): number | undefined {
  const [name, typed] = [label.toLocaleLowerCase(), text.toLocaleLowerCase()];
  const wanted = typed.split(/\s+/);
  const words = name.split(/[^\p{L}\p{N}]+/u);
  if (name.startsWith(typed)) return 0;
  if (wanted.every((word) => words.some((each) => each.startsWith(word)))) return 1;
  if (wanted.every((word) => name.includes(word))) return WEAK;
  const all = `${group} ${label}`.toLocaleLowerCase();
  return wanted.every((word) => all.includes(word)) ? WEAK + 1 : undefined;
}

/** The commands that match a text, the best first: those above tickets, and those below them. */
export function matchCommands<Each extends Named>(
  commands: readonly Each[],
  text: string,
): { strong: Each[]; weak: Each[] } {
  const matches = commands
    .flatMap((command) => {
      const match = matchOf(command, text);
      return match === undefined ? [] : [{ command, match }];
    })
    .toSorted((one, other) => one.match - other.match);
  const those = (isStrong: boolean) =>
    matches.filter(({ match }) => match < WEAK === isStrong).map(({ command }) => command);
  return { strong: those(true), weak: those(false) };
}
