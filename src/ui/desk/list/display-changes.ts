import { type Grouping, displayKey, type Kept, parsed, strings, watchers } from './display.ts';
import { useMe, type View } from './views.ts';

function change(me: string | null | undefined, by: (kept: Kept) => Kept): void {
  localStorage.setItem(displayKey(me), JSON.stringify(by(parsed(localStorage.getItem(displayKey(me))))));
  for (const watcher of watchers) watcher();
}

/** Changes how views are shown. */
export function useSetDisplay({ id }: View) {
  const me = useMe();
  const ofView = (part: { columns?: string[] | undefined; groupBy?: string }) =>
    change(me, (kept) => ({ ...kept, views: { ...kept.views, [id]: { ...kept.views?.[id], ...part } } }));
  return {
    setColumns: (columns: string[] | undefined) => ofView({ columns }),
    /** Undefined: not grouped, also if the view was saved with groups. */
    setGroupBy: (groupBy: Grouping | undefined) => ofView({ groupBy: groupBy ?? 'none' }),
    setCompact: (isCompact: boolean) => change(me, (kept) => ({ ...kept, isCompact })),
  };
}

/** Shows a view as another one: it was saved from there. */
export function copyDisplay(me: string | null | undefined, from: string, to: string): void {
  change(me, ({ views, ...kept }) => {
    const { columns } = views?.[from] ?? {};
    return { ...kept, views: { ...views, ...(columns && { [to]: { columns } }) } };
  });
}

export function setPinned(me: string | null | undefined, id: string, isPinned: boolean): void {
  change(me, (kept) => {
    const others = (strings(kept.pinned) ?? []).filter((each) => each !== id);
    return { ...kept, pinned: isPinned ? [...others, id] : others };
  });
}
