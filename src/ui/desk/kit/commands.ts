import { useEffectEvent, useLayoutEffect, useSyncExternalStore } from 'react';

// All of this is there as soon as a part is drawn: after an effect, a key that follows at once would come too early.

/** Something that a person can do: by its keys, and from the command bar. */
export interface Command {
  id: string;
  /** As a sentence begins: "Assign to…". */
  label: string;
  /** Where the command bar lists it: "Ticket", "Go to". */
  group: string;
  /** `j`, `g i` (one after the other), `Mod+Enter`, `?`. */
  keys?: string;
  /** Other keys that do the same, not shown. */
  alsoKeys?: string;
  /** Works while typing too. */
  whileTyping?: boolean;
  /** Not in the command bar: moving by a row, and the like. */
  isHidden?: boolean;
  run: () => void;
}

let all: readonly Command[] = [];
const watchers = new Set<() => void>();

function setAll(next: readonly Command[]): void {
  all = next;
  for (const watcher of watchers) watcher();
}

/** Offers commands while the component is shown. The latest of two with the same keys wins. */
export function useCommands(commands: readonly Command[]): void {
  const ids = JSON.stringify(commands.map(({ run: _, ...shown }) => shown));
  const run = useEffectEvent((id: string) => commands.find((command) => command.id === id)?.run());
  useLayoutEffect(() => {
    const own = (JSON.parse(ids) as Omit<Command, 'run'>[]).map((command) => ({
      ...command,
      run: () => run(command.id),
    }));
    setAll([...all, ...own]);
    return () => setAll(all.filter((command) => !own.includes(command)));
  }, [ids]);
}

/** Everything that can be done now. */
export const useAllCommands = (): readonly Command[] =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => all,
  );

/** Gets the keys of the commands of a part of the page that is still on its way. */
let early: ((keys: string) => void) | undefined;

/** While the component is shown, letters that are no command yet go to `press` (see runKeys). */
export function useEarlyKeys(press: (keys: string) => void): void {
  const own = useEffectEvent(press);
  useLayoutEffect(() => {
    early = (keys) => own(keys);
    return () => void (early = undefined);
  }, []);
}

/** Runs the command that has these keys, if there is one by now. */
export const runKeys = (wanted: string): void => all.findLast(({ keys }) => keys === wanted)?.run();

const SEQUENCE_MS = 1_000;
let before: { stroke: string; at: number } | undefined;

function strokeOf(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'Mod+' : '';
  const shift = event.shiftKey && event.key.length > 1 ? 'Shift+' : '';
  return `${mod}${shift}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type=checkbox],[type=radio]), textarea, select') ||
    // A picker or menu that is open has the keys for itself, those that its search field passes on too.
    target.closest('[role=dialog], [role=listbox], [role=menu]') !== null);

function onKey(event: KeyboardEvent): void {
  const former = before;
  before = undefined;
  if (event.defaultPrevented || event.altKey) return;
  const stroke = strokeOf(event);
  const pair = former && event.timeStamp - former.at < SEQUENCE_MS ? `${former.stroke} ${stroke}` : undefined;
  const typing = isTyping(event.target);
  // The last letter of a word is no first key of two.
  if (!typing) before = { stroke, at: event.timeStamp };
  // A toast is an alertdialog too, and no reason to wait.
  const isDialog =
    document.querySelector(
      '[role=dialog][data-modal], [role=alertdialog]:not([aria-modal=false]), [data-opening]',
    ) !== null;
  const byKeys = (strokes: string) =>
    all.findLast(
      ({ keys, alsoKeys, whileTyping }) =>
        (keys === strokes || alsoKeys === strokes) && (whileTyping || !(typing || isDialog)),
    );
  // `g s` is not `s`.
  const command = (pair && byKeys(pair)) || byKeys(stroke);
  if (!command) {
    const isFirstOfTwo = all.some(({ keys }) => keys?.startsWith(`${stroke} `));
    if (/^\S$/.test(stroke) && !typing && !isDialog && !isFirstOfTwo) early?.(stroke);
    return;
  }
  event.preventDefault();
  before = undefined;
  command.run();
}

/** Starts to listen for keys; once, in the shell. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
