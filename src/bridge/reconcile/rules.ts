import { compareEdits, compareTs } from '../slack/ids.ts';
import { isUserText } from '../slack/message-kinds.ts';

export interface ListedFacts {
  ts: string;
  subtype: string | undefined;
  isOurs: boolean;
  /** The identity of its event. */
  key: string;
  edit: { ts: string; key: string } | undefined;
}

export interface LinkFacts {
  ts: string;
  origin: 'chat' | 'service';
  version: string | null;
  deleted: boolean;
}

export interface ThreadFacts {
  rootTs: string;
  /** The message that describes the ticket, and the edit of it that the ticket shows. */
  describedTs: string | null;
  describedByEdit: string | null;
  links: readonly LinkFacts[];
  /** Keys of stored events, whatever their outcome. */
  stored: ReadonlySet<string>;
  /** Earlier messages are skipped: their records may have been pruned. */
  since: string;
  /** Later messages may still arrive as events. */
  until: string;
  deletionKey: (ts: string) => string;
}

/** Differences without an event (B50), by timestamp. */
interface Differences {
  missed: string[];
  /** Like `missed`, but so recent that their events may still arrive: checked again later. */
  young: string[];
  edited: string[];
  /** No longer listed: to be confirmed. */
  gone: string[];
}

/**
 * Compares a listed thread with the bridge's records. The links must be read before the list: a message linked in
 * between would look deleted.
 */
export function differences(listed: readonly ListedFacts[], facts: ThreadFacts): Differences {
  const links = new Map(facts.links.map((link) => [link.ts, link]));
  const there = new Set(listed.map(({ ts }) => ts));
  const isDescription = (ts: string) => ts === facts.rootTs || ts === facts.describedTs;
  const unknown = listed.filter(
    ({ ts, subtype, isOurs, key }) =>
      !isOurs &&
      isUserText(subtype) &&
      !isDescription(ts) &&
      !links.has(ts) &&
      !facts.stored.has(key) &&
      compareTs(ts, facts.since) >= 0,
  );
  const isSettled = ({ ts }: ListedFacts) => compareTs(ts, facts.until) <= 0;
  const missed = unknown.filter(isSettled);
  const young = unknown.filter((message) => !isSettled(message));
  const edited = listed.filter(({ ts, edit, isOurs }) => {
    if (isOurs || !edit || facts.stored.has(edit.key)) return false;
    const link = links.get(ts);
    if (ts !== facts.describedTs && (link?.origin !== 'chat' || link.deleted)) return false;
    const shown = ts === facts.describedTs ? facts.describedByEdit : link?.version;
    const order = compareEdits(edit.ts, shown);
    // Another edit within the same second: recognised by its key, as long as keys are stored.
    return order > 0 || (order === 0 && compareTs(edit.ts, facts.since) >= 0);
  });
  const gone = facts.links.filter(
    ({ ts, deleted }) => !deleted && !there.has(ts) && !facts.stored.has(facts.deletionKey(ts)),
  );
  return { missed: tsOf(missed), young: tsOf(young), edited: tsOf(edited), gone: tsOf(gone) };
}

function tsOf(messages: readonly { ts: string }[]): string[] {
  return messages.map(({ ts }) => ts);
}
