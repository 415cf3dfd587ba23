import {
  decideNotices,
  MENTIONED_AT_MOST,
  type Notice,
  type NoticeFacts,
  type NoticeKind,
  type NotificationKind,
} from '../../contract/index.ts';
import { mentionedIn } from '../../platform/text/mentions.ts';
import type { ChangeFacts } from './changes.ts';

/** A notification of one person, before it is known whether they have an inbox and may read it. */
export interface Decided {
  person_id: string;
  kind: NotificationKind;
  ticket_id: string;
  message_id: string | null;
  source_id: string;
  actor_id: string | null;
  at: Date;
}

/** A change of a ticket, as it was stored. */
export interface StoredChange {
  id: string;
  ticket_id: string;
  facts: ChangeFacts;
  created_at: Date;
  /** The queue is silent: only approvers are notified. */
  silent: boolean;
  was_ended: boolean;
  is_ended: boolean;
}

export interface NewTicket {
  id: string;
  author_id: string | null;
  /** Its first assignee. */
  assignee_id: string | null;
  approvers: string[];
  created_at: Date;
  silent: boolean;
}

export interface NewTicketMessage {
  id: string;
  ticket_id: string;
  content: string;
  author_id: string | null;
  private: boolean;
  assignee_id: string | null;
  followers: string[];
  created_at: Date;
  silent: boolean;
}

const KIND: Record<NoticeKind, NotificationKind> = {
  assigned: 'assigned',
  'passed-on': 'reassigned',
  status: 'status',
  decided: 'decided',
  reply: 'replied',
  note: 'noted',
  mention: 'mentioned',
};

const NOTHING = { createdAt: '', assignedAt: null, authorId: null, followers: [], decidedBy: null };
const UNCHANGED = { assigneeId: null, statusId: '', isDecided: false };
/** No message is left out as too old. */
const ALWAYS = '';

/** Returns who is notified of a change: by the rules of notifications in chat, and approvers once per ticket. */
export function ofChange(change: StoredChange): Decided[] {
  const { before, now, followers, addedApprovers, actorId, decidedBy } = change.facts;
  const from = { ticketId: change.ticket_id, sourceId: change.id, at: change.created_at };
  const decided = change.silent
    ? []
    : notified({
        before,
        now: { ...NOTHING, ...now, followers, decidedBy: decidedBy ?? actorId },
        actorOf: () => actorId,
      });
  const isReopened = change.was_ended && !change.is_ended;
  return [
    ...decided.map((notice) => {
      const row = toRow(notice, from);
      return isReopened && row.kind === 'status' ? { ...row, kind: 'reopened' as const } : row;
    }),
    ...(now.isDecided ? [] : approvalRequests(addedApprovers, { ...from, actorId })),
  ];
}

/** The same for a new ticket. */
export function ofTicket(ticket: NewTicket): Decided[] {
  const { id, author_id: authorId, assignee_id: assigneeId, approvers, silent } = ticket;
  const from = { ticketId: id, sourceId: id, at: ticket.created_at };
  const decided = silent
    ? []
    : notified({
        now: { ...NOTHING, ...UNCHANGED, assigneeId, authorId },
        actorOf: () => authorId,
      });
  return [
    // Who asked may not have chosen the assignee: the queue's round robin did, or an agent who named one.
    ...decided.map((notice) => ({ ...toRow(notice, from), kind: 'opened' as const })),
    ...approvalRequests(approvers, { ...from, actorId: authorId }),
  ];
}

/** The same for a new message. */
export function ofMessage(message: NewTicketMessage): Decided[] {
  if (message.silent) return [];
  const seen = { ...UNCHANGED, assigneeId: message.assignee_id };
  const mentions = message.content.includes('](user:')
    ? mentionedIn(message.content).slice(0, MENTIONED_AT_MOST)
    : [];
  return notified({
    before: seen,
    now: { ...NOTHING, ...seen, followers: message.followers },
    messages: [
      { id: message.id, authorId: message.author_id, private: message.private, mentions, heardBy: new Set() },
    ],
    actorOf: () => null,
  }).map((notice) =>
    toRow(notice, { ticketId: message.ticket_id, sourceId: message.id, at: message.created_at }),
  );
}

function notified(
  facts: Pick<NoticeFacts, 'now' | 'actorOf'> & Partial<Pick<NoticeFacts, 'before' | 'messages'>>,
): Notice[] {
  return decideNotices({ before: undefined, messages: [], since: ALWAYS, ...facts });
}

interface Origin {
  ticketId: string;
  sourceId: string;
  at: Date;
}

function toRow({ user, kind, by, message }: Notice, { ticketId, sourceId, at }: Origin): Decided {
  return {
    person_id: user,
    kind: KIND[kind],
    ticket_id: ticketId,
    message_id: message ?? null,
    source_id: sourceId,
    actor_id: by,
    at,
  };
}

/** Approvers are notified even if the queue is silent, because the ticket waits for them. */
function approvalRequests(
  approvers: readonly string[],
  { ticketId, at, actorId }: Origin & { actorId: string | null },
): Decided[] {
  return approvers.map((person_id) => ({
    person_id,
    kind: 'approval',
    ticket_id: ticketId,
    message_id: null,
    source_id: ticketId,
    actor_id: actorId,
    at,
  }));
}
