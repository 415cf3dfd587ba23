import { type Answer, AnsweredError } from '../../../client/index.ts';
import type { Bridge } from '../../bridge.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';

type Entry = Answer<'readTicketActivity'>['items'][number];

/**
 * Returns whether a user asked for a ticket, or for one that was merged into it: as its requester or author, now or
 * before (B39). A key may decide for anybody, so the bridge applies what the service requires of people who
 * are signed in. Throws ServiceError.
 */
export async function hasAskedFor(bridge: Bridge, ticket: Ticket, userId: string): Promise<boolean> {
  const unread = [ticket];
  const seen = new Set<string>();
  for (let next = unread.shift(); next; next = unread.shift()) {
    seen.add(next.id);
    if (userId === next.requesterId || userId === next.authorId) return true;
    for (const entry of await activityOf(bridge, next.id)) {
      const before = idOf(entry.from);
      if (['requesterId', 'authorId'].includes(entry.field ?? '') && before === userId) return true;
      if (entry.field !== 'mergedFrom' || before === undefined || seen.has(before)) continue;
      const merged = await readTicket(bridge, before);
      // Unless the merge was undone.
      if (merged?.mergedIntoId) unread.push(merged);
    }
  }
  return false;
}

/** Another implementation may keep no history. */
async function activityOf(bridge: Bridge, id: string): Promise<readonly Entry[]> {
  try {
    return (await bridge.service.readTicketActivity({ params: { id }, query: {} })).items;
  } catch (error) {
    if (error instanceof AnsweredError && error.missing) return [];
    throw error;
  }
}

const idOf = (value: Entry['from']): string | undefined => (typeof value === 'string' ? value : value?.id);
