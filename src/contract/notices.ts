// Who is notified of a ticket: the same in chat (the bridge) and in the inbox (the service).

/** The state of a ticket that decides notifications. */
export interface Seen {
  assigneeId: string | null;
  statusId: string;
  isDecided: boolean;
}

interface TicketNow extends Seen {
  authorId: string | null;
  createdAt: string;
  assignedAt: string | null;
  followers: readonly string[];
  /** The user who approved or declined it; null if undecided or unknown. */
  decidedBy: string | null;
}

/** A ticket message that was not announced yet. */
export interface NewMessage {
  id: string;
  authorId: string | null;
  private: boolean;
  mentions: readonly string[];
  /** Users whom Slack itself notifies: authors in its thread, and those it mentions there. None in the inbox. */
  heardBy: ReadonlySet<string>;
}

export interface NoticeFacts {
  /** Undefined at the first check of the ticket. */
  before: Seen | undefined;
  now: TicketNow;
  /** No notifications are sent for changes before this instant. */
  since: string;
  /** Oldest first. */
  messages: readonly NewMessage[];
  /** Returns who set a field to its present value, if known. */
  actorOf: (field: 'assigneeId' | 'statusId') => string | null;
}

export type NoticeKind = 'assigned' | 'passed-on' | 'status' | 'decided' | 'reply' | 'note' | 'mention';

export interface Notice {
  user: string;
  kind: NoticeKind;
  by: string | null;
  /** The ticket message that it is about. */
  message?: string;
}

/**
 * Decides who is notified of what (B43): the assignee of everything on their ticket, followers of status and replies,
 * mentioned users of that. Not of their own changes, nor of what Slack already notifies them.
 */
export function decideNotices({ before, now, since, messages, actorOf }: NoticeFacts): Notice[] {
  const { assigneeId, followers } = now;
  const circle = [...new Set([...(assigneeId === null ? [] : [assigneeId]), ...followers])];
  const notices: Notice[] = [];
  const tell = (users: readonly (string | null)[], notice: Omit<Notice, 'user'>) => {
    for (const user of users) if (user !== null && user !== notice.by) notices.push({ user, ...notice });
  };

  const isNew = now.createdAt >= since;
  const assignedNow = before
    ? before.assigneeId !== assigneeId
    : isNew || (now.assignedAt !== null && now.assignedAt >= since);
  if (assignedNow) {
    const known = actorOf('assigneeId');
    // Nobody is named for what was done after the opening, while it is not known who did it.
    const isOfOpening = !before && (now.assignedAt === null || now.assignedAt <= now.createdAt);
    const by = known ?? (isOfOpening ? now.authorId : null);
    const isPerhapsOwn = !before && known === null && assigneeId === now.authorId;
    if (!isPerhapsOwn) tell([assigneeId], { kind: 'assigned', by });
    if (before) tell([before.assigneeId], { kind: 'passed-on', by });
  }
  if (before && before.statusId !== now.statusId) tell(circle, { kind: 'status', by: actorOf('statusId') });
  if (before && !before.isDecided && now.isDecided) tell(circle, { kind: 'decided', by: now.decidedBy });

  for (const { id, authorId: by, private: isNote, mentions, heardBy } of messages) {
    const unnotified = (users: readonly (string | null)[]) =>
      users.filter((user) => user !== null).filter((user) => !heardBy.has(user));
    tell(unnotified(mentions), { kind: 'mention', by, message: id });
    const others = unnotified(isNote ? [assigneeId] : circle).filter((user) => !mentions.includes(user));
    tell(others, { kind: isNote ? 'note' : 'reply', by, message: id });
  }
  return notices;
}

/** More mentions than this are a group, not individuals. */
export const MENTIONED_AT_MOST = 20;

/** Messages older than this are not announced: they were imported. */
export const NEWS_MS = 24 * 60 * 60_000;

/** Replaces the chat channel of the bridge's own notes: they are not in any. */
export const BRIDGE_CHANNEL = 'deskbridge';

/** Returns whether the bridge itself wrote this note: it does not count as a reply. */
export function isOwnNote({ chatChannelId }: { chatChannelId: string | null }): boolean {
  return chatChannelId === BRIDGE_CHANNEL;
}
