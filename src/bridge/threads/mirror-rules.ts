/** The facts about a ticket message on which the bridge decides. */
export interface MirrorSituation {
  deleted: boolean;
  private: boolean;
  /** The thread is the team's: it shows notes and nothing else (B14, B15). */
  forTeam: boolean;
  /** Its linked chat messages in this conversation. */
  links: readonly {
    origin: 'chat' | 'service';
    version: string;
    deleted: boolean;
    /** Digest of its text; null if unknown. */
    digest: string | null;
  }[];
  /** The record itself names a message of this thread as its copy. */
  namedCopy: boolean;
  /** Its `updatedAt`; ISO 8601, so text order is time order. */
  version: string;
  /** Digest of its text. */
  digest: string;
}

type MirrorDecision =
  | { do: 'ignore'; why: string }
  | { do: 'post' }
  | { do: 'edit' }
  | { do: 'delete' }
  /** It exists in this thread and only the link is missing. */
  | { do: 'adopt'; why: string };

/** Decides what chat shows of a ticket message (B13, B14, B16). An older state never replaces a newer one. */
export function decideMirror(situation: MirrorSituation): MirrorDecision {
  const [first] = situation.links;
  if (!first) return decideUnknown(situation);
  if (first.origin === 'chat') return { do: 'ignore', why: 'B16 it came from this thread' };
  if (situation.links.every((link) => link.deleted)) return { do: 'ignore', why: 'B13 deleted already' };
  // A message made private after it was posted is deleted as far as Slack allows (B14).
  if (situation.deleted || situation.private !== situation.forTeam) return { do: 'delete' };
  if (situation.links.every((link) => link.version >= situation.version))
    return { do: 'ignore', why: 'B13 shown already' };
  // A reaction changes the message, but not its text.
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
