import { compareTs } from '../slack/ids.ts';
import { isSpoken } from '../slack/message-kinds.ts';

/** A message that chat lists, as far as it matters here. */
export interface ListedFacts {
  ts: string;
  subtype: string | undefined;
  /** The bot itself wrote it. */
  isOurs: boolean;
  /** What makes its event the same event. */
  key: string;
  edit: { ts: string; key: string } | undefined;
}

/** A message that the bridge has linked. */
export interface LinkFacts {
  ts: string;
  origin: 'chat' | 'service';
  version: string;
  deleted: boolean;
}

export interface ThreadFacts {
  rootTs: string;
  /** The message that is the ticket's description, and the edit of it that the ticket shows. */
  describedTs: string | null;
  describedByEdit: string | null;
  links: readonly LinkFacts[];
  /** Keys of the events that are stored already, whatever became of them. */
  stored: ReadonlySet<string>;
  /** Messages before this are not looked at: what is known of them may have been forgotten. */
  since: string;
  /** New messages after this may still be on their way as events. */
  until: string;
  deletionKey: (ts: string) => string;
}

/** What one side has that the other was never told (B50), by timestamp. */
export interface Differences {
  missed: string[];
  edited: string[];
  /** No longer listed: to be looked at once more before it is believed. */
  gone: string[];
}

/**
 * Compares a thread as chat lists it with what the bridge knows of it. The links must have been read before the list:
 * a message that was linked in between would look as if it were gone.
 */
export function differences(listed: readonly ListedFacts[], facts: ThreadFacts): Differences {
  const links = new Map(facts.links.map((link) => [link.ts, link]));
  const there = new Set(listed.map(({ ts }) => ts));
  const isDescription = (ts: string) => ts === facts.rootTs || ts === facts.describedTs;
  const missed = listed.filter(
    ({ ts, subtype, isOurs, key }) =>
      !isOurs &&
      isSpoken(subtype) &&
      !isDescription(ts) &&
      !links.has(ts) &&
      !facts.stored.has(key) &&
      compareTs(ts, facts.since) >= 0 &&
      compareTs(ts, facts.until) <= 0,
  );
  const edited = listed.filter(({ ts, edit, isOurs }) => {
    if (isOurs || !edit || facts.stored.has(edit.key)) return false;
    const link = links.get(ts);
    if (ts !== facts.describedTs && (link?.origin !== 'chat' || link.deleted)) return false;
    const shown = (ts === facts.describedTs ? facts.describedByEdit : link?.version) ?? '0';
    const order = compareTs(edit.ts, shown);
    // Another edit of the very second: what is known of it by its key, as long as keys are remembered.
    return order > 0 || (order === 0 && compareTs(edit.ts, facts.since) >= 0);
  });
  const gone = facts.links.filter(
    ({ ts, deleted }) => !deleted && !there.has(ts) && !facts.stored.has(facts.deletionKey(ts)),
  );
  return { missed: tsOf(missed), edited: tsOf(edited), gone: tsOf(gone) };
}

function tsOf(messages: readonly { ts: string }[]): string[] {
  return messages.map(({ ts }) => ts);
}
