import { useEffect, useState } from 'react';

import { call, Refusal } from '../api/call.ts';
import { isLacking } from '../api/lacking.ts';
import { changeCached, queryClient } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import type { ItemOf, Ticket, TicketDetail } from '../api/types.ts';

/** The service keeps no marks of what was read, or not for this person. */
let isAbsent = false;

async function markRead(id: string): Promise<void> {
  if (isAbsent) return;
  // Optimistic: going back shows the cached lists until they are read again.
  changeCached<Ticket>('listTickets', (each) => (each.id === id ? { ...each, isUnread: false } : each));
  const readAt = new Date().toISOString();
  changeCached<ItemOf<'listNotifications'>>('listNotifications', (each) =>
    each.ticketId === id && !each.readAt ? { ...each, readAt } : each,
  );
  try {
    await call('markTicketRead', { params: { id }, body: {} });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (await isLacking(error, id)) isAbsent = true;
  } finally {
    void queryClient.invalidateQueries({ queryKey: ['countNotifications'] });
    void queryClient.invalidateQueries({ queryKey: ['listNotifications'] });
  }
}

/** Marks an opened ticket as read by this person, and again for what arrives while it is shown. */
export function useMarkRead({ id }: TicketDetail, newest: string | undefined, isSettled: boolean): void {
  const isPerson = useSession()?.user !== undefined;
  useEffect(() => {
    if (!isSettled || !isPerson) return;
    const mark = () => !document.hidden && void markRead(id);
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [id, newest, isSettled, isPerson]);
}

/**
 * Until when this browser showed the ticket's messages before: what came later stands below the line "New". Undefined
 * for a ticket that was never open here.
 */
export function useSeenUntil(ticketId: string, newest: string | undefined): string | undefined {
  const session = useSession();
  const place = `seen ${session?.userId ?? 'key'} ${ticketId}`;
  const [seen] = useState(() => localStorage.getItem(place) ?? undefined);
  useEffect(() => {
    if (!newest) return;
    try {
      localStorage.setItem(place, newest);
    } catch {
      // Without storage there is no line.
    }
  }, [place, newest]);
  return seen;
}
