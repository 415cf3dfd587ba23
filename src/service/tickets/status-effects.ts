import type { StatusKind } from './statuses.ts';

export interface Ends {
  resolved_at: Date | null;
  closed_at: Date | null;
}

/** Returns whether a ticket with a status of this group is finished. */
export function isEnd(kind: StatusKind): boolean {
  return kind === 'RESOLVED' || kind === 'CLOSED';
}

/**
 * Returns the timestamps that a status sets (docs/api.md, Tickets): entering Done resolves, entering Closed closes (and
 * resolves if needed), returning to an open group clears both.
 */
export function endsAfter(kind: StatusKind, before: Ends, now: Date): Ends {
  switch (kind) {
    case 'RESOLVED':
      return { resolved_at: now, closed_at: before.closed_at };
    case 'CLOSED':
      return { resolved_at: before.resolved_at ?? now, closed_at: now };
    case 'OPEN':
    case 'IN_PROGRESS':
    case 'PENDING':
      return { resolved_at: null, closed_at: null };
  }
}
