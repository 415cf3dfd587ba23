import { authorOfMessage } from '../api/author.ts';
import { usePeople } from '../api/people.ts';
import { useSession } from '../api/session.ts';
import type { Message, Person, TicketDetail } from '../api/types.ts';
import { type Activity, ticketNamedIn } from './activity.ts';

/** What stands in a conversation. */
export type Entry =
  { kind: 'message'; at: string; message: Message } | { kind: 'changes'; at: string; changes: Activity[] };

/**
 * Messages and changes in the order in which they happened; changes that follow each other are one entry, merges their
 * own.
 */
export function entriesOf(
  messages: readonly Message[],
  activity: readonly Activity[],
  from: string | undefined,
): Entry[] {
  const all: Entry[] = [
    ...messages.map((message) => ({ kind: 'message' as const, at: message.createdAt, message })),
    ...activity
      // The description says that the ticket was created.
      .filter(({ kind, at }) => kind !== 'created' && (from === undefined || at >= from))
      .map((change) => ({ kind: 'changes' as const, at: change.at, changes: [change] })),
  ].toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const entries: Entry[] = [];
  for (const entry of all) {
    const last = entries.at(-1);
    const isApart = [entry, last].some((each) => each?.kind === 'changes' && each.changes.some(isMerge));
    if (entry.kind === 'changes' && last?.kind === 'changes' && !isApart) last.changes.push(...entry.changes);
    else entries.push(entry.kind === 'changes' ? { ...entry, changes: [...entry.changes] } : entry);
  }
  return entries;
}

const isMerge = ({ kind, field }: Activity) => kind === 'merged' && field === 'mergedFrom';

/** Returns the ids of the merges into a ticket that were not undone. */
export function standingMerges(activity: readonly Activity[]): Set<string> {
  const last = new Map<string, Activity>();
  for (const entry of activity) {
    const other = entry.field === 'mergedFrom' ? ticketNamedIn(entry) : undefined;
    if (other) last.set(other.id, entry);
  }
  return new Set([...last.values()].filter(isMerge).map(({ id }) => id));
}

/** Returns who wrote a message. */
export function useAuthorOf(
  { requesterId, authorId: loggedBy }: TicketDetail,
  messages: readonly Message[] | undefined,
): { people: ReadonlyMap<string, Person>; authorOf: (message: Message) => Person | undefined } {
  const ids = [requesterId, loggedBy, ...(messages ?? []).map(({ authorId }) => authorId)];
  const session = useSession();
  const others = usePeople(ids.filter((id) => id !== null));
  const people = session?.user ? new Map([...others, [session.user.id, session.user]]) : others;
  return { people, authorOf: (message: Message) => authorOfMessage(message, people) };
}

/** What a list of entries shows. */
export interface EntriesProps {
  entries: readonly Entry[];
  ticket: TicketDetail;
  authorOf: (message: Message) => Person | undefined;
  /** The ids of the merges whose conversations can be opened. */
  merges: ReadonlySet<string>;
}
