/** What of a ticket decides who is told what; kept from one look to the next. */
export interface Seen {
  assigneeId: string | null;
  statusId: string;
  isDecided: boolean;
}

export interface TicketNow extends Seen {
  authorId: string | null;
  createdAt: string;
  assignedAt: string | null;
  followers: readonly string[];
  /** Who approved or declined it; null where nobody has, or the service does not say. */
  decidedBy: string | null;
}

/** A ticket message of which nobody was told yet. */
export interface NewMessage {
  id: string;
  authorId: string | null;
  private: boolean;
  mentions: readonly string[];
  /** Whom chat itself tells of it: those who talk in the thread where it stands, and whom it names there. */
  heardBy: ReadonlySet<string>;
}

export interface NoticeSituation {
  /** Undefined where the ticket is looked at for the first time. */
  before: Seen | undefined;
  now: TicketNow;
  /** What happened before this instant is history, of which nobody is told. */
  since: string;
  /** Oldest first. */
  messages: readonly NewMessage[];
  /** Who gave a field its present value, where that is known. */
  actorOf: (field: 'assigneeId' | 'statusId') => string | null;
}

export type NoticeKind = 'assigned' | 'passed-on' | 'status' | 'decided' | 'reply' | 'note' | 'mention';

/** One thing that one person is to hear of. */
export interface Notice {
  user: string;
  kind: NoticeKind;
  /** Whose act it was, where that is known. */
  by: string | null;
  /** The ticket message that it is about. */
  message?: string;
}

/**
 * Who is to hear what (B43): the assignee of everything on their ticket, followers of status and answers, whoever is
 * named of that. Nobody hears of their own acts, nor of what chat itself tells them.
 */
export function decideNotices({ before, now, since, messages, actorOf }: NoticeSituation): Notice[] {
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
    const by = before ? actorOf('assigneeId') : (actorOf('assigneeId') ?? now.authorId);
    tell([assigneeId], { kind: 'assigned', by });
    if (before) tell([before.assigneeId], { kind: 'passed-on', by });
  }
  if (before && before.statusId !== now.statusId) tell(circle, { kind: 'status', by: actorOf('statusId') });
  if (before && !before.isDecided && now.isDecided) tell(circle, { kind: 'decided', by: now.decidedBy });

  for (const { id, authorId: by, private: isNote, mentions, heardBy } of messages) {
    const unheard = (user: string | null) => user !== null && !heardBy.has(user);
    tell(mentions.filter(unheard), { kind: 'mention', by, message: id });
    const others = (isNote ? [assigneeId] : circle).filter(
      (user) => unheard(user) && user !== null && !mentions.includes(user),
    );
    tell(others, { kind: isNote ? 'note' : 'reply', by, message: id });
  }
  return notices;
}

/** How much somebody wants to hear. */
export type NoticeLevel = 'all' | 'mine' | 'none';
export const NOTICE_LEVELS = ['all', 'mine', 'none'] as const satisfies readonly NoticeLevel[];
export const DEFAULT_LEVEL: NoticeLevel = 'all';

/** Whether somebody wants a notice: of tickets that they only follow not with `mine`, none with `none` (B43). */
export function isWanted(
  { kind }: Pick<Notice, 'kind'>,
  level: NoticeLevel,
  { isAssignee }: { isAssignee: boolean },
): boolean {
  if (level === 'all') return true;
  if (level === 'none') return false;
  return isAssignee || kind === 'mention' || kind === 'passed-on';
}

/** Whether somebody may hear it: notes are the team's, a private ticket only theirs who see it (B0, B14). */
export function mayHear(
  { kind }: Pick<Notice, 'kind'>,
  { isNote, sees, isTeam }: { isNote: boolean; sees: boolean; isTeam: boolean },
): boolean {
  // Whom it was taken from may know that it was.
  if (kind === 'passed-on') return true;
  return sees && (!isNote || isTeam);
}
