/** What is known of a ticket message when the bridge decides what chat shows of it. */
export interface MirrorSituation {
  deleted: boolean;
  private: boolean;
  /** The thread is the team's: notes are for it, and nothing else is (B14, B15). */
  forTeam: boolean;
  /** Chat messages recorded for it in this conversation. */
  links: readonly {
    origin: 'chat' | 'service';
    version: string;
    deleted: boolean;
    /** Of the words that it shows; null where that is not known. */
    digest: string | null;
  }[];
  /** The record itself names a message of this very thread as its copy. */
  namedCopy: boolean;
  /** Its `updatedAt`; ISO 8601, so text order is time order. */
  version: string;
  /** Of its words. */
  digest: string;
}

export type MirrorDecision =
  | { do: 'ignore'; why: string }
  | { do: 'post' }
  | { do: 'edit' }
  | { do: 'delete' }
  /** It stands in this thread and only the link is missing. */
  | { do: 'adopt'; why: string };

/** What chat shows of a ticket message (B13, B14, B16). An older state never wins over a newer one. */
export function decideMirror(situation: MirrorSituation): MirrorDecision {
  const [first] = situation.links;
  if (!first) return decideUnknown(situation);
  if (first.origin === 'chat') return { do: 'ignore', why: 'B16 it came from this thread' };
  if (situation.links.every((link) => link.deleted)) return { do: 'ignore', why: 'B13 deleted already' };
  // A message made private after it was posted is taken back as far as chat allows (B14).
  if (situation.deleted || situation.private !== situation.forTeam) return { do: 'delete' };
  if (situation.links.every((link) => link.version >= situation.version))
    return { do: 'ignore', why: 'B13 shown already' };
  // A reaction is a change of the message, and none of its words.
  if (situation.links.every((link) => link.deleted || link.digest === situation.digest))
    return { do: 'ignore', why: 'B13 the same words' };
  return { do: 'edit' };
}

function decideUnknown({ deleted, private: isPrivate, forTeam, namedCopy }: MirrorSituation): MirrorDecision {
  if (namedCopy) return { do: 'adopt', why: 'B16 it stands in this thread' };
  if (isPrivate !== forTeam)
    return { do: 'ignore', why: isPrivate ? 'B14 a private note' : 'B13 said in the request thread' };
  if (deleted) return { do: 'ignore', why: 'B13 deleted before it was shown' };
  return { do: 'post' };
}
