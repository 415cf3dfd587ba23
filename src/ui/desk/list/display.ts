import { useMemo, useSyncExternalStore } from 'react';

import type { Ticket } from '../api/types.ts';
import { useMe, type View } from './views.ts';

/** The groupings of a list. The service sorts by all of them but tags, and these are saved with a view. */
export const GROUPINGS = ['statusId', 'assigneeId', 'priority', 'queueId', 'requesterId', 'tagId'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Returns the groups in which a ticket is listed: several with tags, '' for none. */
export function groupIdsOf(ticket: Ticket, groupBy: Grouping): string[] {
  if (groupBy !== 'tagId') return [ticket[groupBy] ?? ''];
  return ticket.tags.length > 0 ? ticket.tags.map(({ id }) => id) : [''];
}

/** A user's display settings for lists, stored in their browser. */
export interface Kept {
  isCompact?: boolean;
  /** Saved views at the top of the navigation. */
  pinned?: string[];
  /** Settings by the id of the view. */
  views?: Record<string, { columns?: string[] | undefined; groupBy?: string }>;
}

export interface Display {
  /** Absent: as many as there is room for. */
  columns: readonly string[] | undefined;
  /** Absent: one list. */
  groupBy: Grouping | undefined;
  isCompact: boolean;
}

export const displayKey = (me: string | null | undefined) => `desk lists ${me ?? ''}`;
/** Called when this page has changed it. */
export const watchers = new Set<() => void>();

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  // Another tab has changed it.
  window.addEventListener('storage', watcher);
  return () => {
    watchers.delete(watcher);
    window.removeEventListener('storage', watcher);
  };
}

/** Returns an empty record for a stored value that cannot be parsed. */
export function parsed(text: string | null): Kept {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

function useKept(): Kept {
  const key = displayKey(useMe());
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  return useMemo(() => parsed(text), [text]);
}

export const strings = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;

const isGrouping = (name: string | undefined): name is Grouping => GROUPINGS.includes(name as Grouping);

/** How a view is shown: as the person has chosen here, otherwise as it was saved. */
export function useDisplay({ id, filters }: View): Display {
  const kept = useKept();
  const { groupBy: saved } = filters as { groupBy?: string };
  return useMemo(() => {
    const own = kept.views?.[id];
    const groupBy = own?.groupBy ?? saved;
    return {
      columns: strings(own?.columns),
      groupBy: isGrouping(groupBy) ? groupBy : undefined,
      isCompact: kept.isCompact === true,
    };
  }, [kept, id, saved]);
}

/** The ids of the saved views that the person has pinned. */
export const usePinned = (): readonly string[] => strings(useKept().pinned) ?? [];
