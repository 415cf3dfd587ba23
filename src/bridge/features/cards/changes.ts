import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { z } from 'zod';

import { PRIORITY_WORD, shorten } from '../../../contract/index.ts';
import { readQueueSettings } from './draw-card.ts';
import { becauseOf, moment } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { messageKind } from '../../outbox/post-kind.ts';
import { lineCall } from '../../threads/posts.ts';
import { actorsOf } from '../../tickets/update-ticket.ts';
import { type Conversation, conversationOfRow, locationOf } from '../../store/conversations.ts';
import { mayShow } from '../../tickets/permissions.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { userNames } from '../../tickets/ticket-facts.ts';
import { type BridgeTx, type Write } from '../../work.ts';

/** Names of a ticket's values, not yet escaped. */
interface ChangeWords {
  status: string;
  queue: string | undefined;
  /** Undefined if there is none, or none that the service names. */
  assignee: string | undefined;
  /** Why it was approved or declined, if anybody said so. */
  reason: string | null;
}

const TITLE_SHOWN = 150;
const REASON_SHOWN = 500;

/**
 * Returns one change of a ticket as a line in its thread (B30).
 * @param who name of the user; undefined if unknown.
 * @param isOwn whether the assignee assigned it to themselves.
 */
export function changeLine(
  field: keyof AnnouncedState,
  now: AnnouncedState,
  words: ChangeWords,
  { who, isOwn }: { who: string | undefined; isOwn: boolean },
): string {
  const [done, said] = phrase(field, now, words, isOwn);
  return who === undefined ? said : `*${escapeMrkdwn(who)}* ${done}`;
}

/** Active voice if the user is known, else passive voice. */
function phrase(
  field: keyof AnnouncedState,
  now: AnnouncedState,
  words: ChangeWords,
  isOwn: boolean,
): [string, string] {
  switch (field) {
    case 'statusId': {
      const status = `*${escapeMrkdwn(words.status)}*`;
      return [`set the status to ${status}`, `The status is now ${status}`];
    }
    case 'priority': {
      const word = escapeMrkdwn(PRIORITY_WORD[now.priority] ?? now.priority);
      return [`set the priority to *${word}*`, `The priority is now *${word}*`];
    }
    case 'assigneeId': {
      if (now.assigneeId === null) return ['unassigned this', 'This is unassigned'];
      if (isOwn) return ['assigned this to themselves', 'An agent took this'];
      const name = `*${escapeMrkdwn(words.assignee ?? 'an agent')}*`;
      return [`assigned this to ${name}`, `Assigned to ${name}`];
    }
    case 'queueId': {
      const queue = words.queue === undefined ? 'no queue' : `*${escapeMrkdwn(words.queue)}*`;
      return [`moved this to ${queue}`, `Moved to ${queue}`];
    }
    case 'dueAt':
      if (now.dueAt === null) return ['removed the due date', 'The due date was removed'];
      return [`set the due date to ${moment(new Date(now.dueAt))}`, `Due ${moment(new Date(now.dueAt))}`];
    case 'title': {
      const title = escapeMrkdwn(shorten(now.title ?? '', TITLE_SHOWN));
      return [`renamed this to “${title}”`, `Now called “${title}”`];
    }
    case 'approval': {
      if (now.approval === null) return ['asked for approval again', 'Approval was requested again'];
      const why = becauseOf(words.reason, REASON_SHOWN);
      return [`${now.approval} this${why}`, `${now.approval === 'approved' ? 'Approved' : 'Declined'}${why}`];
    }
  }
}

/** The state of a ticket whose changes its thread announces, in the order in which it does (B30). */
const AnnouncedState = z.object({
  title: z.string().nullable(),
  queueId: z.string().nullable(),
  statusId: z.string(),
  priority: z.string(),
  assigneeId: z.string().nullable(),
  dueAt: z.string().nullable(),
  approval: z.enum(['approved', 'declined']).nullable(),
});
export type AnnouncedState = z.infer<typeof AnnouncedState>;

export function announcedState(
  ticket: Omit<AnnouncedState, 'approval'> & { approvedAt: string | null; declinedAt: string | null },
): AnnouncedState {
  const approval = ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : null;
  return AnnouncedState.parse({ ...ticket, approval });
}

/**
 * Returns the differences since the last announcement; each once, however often it changed meanwhile. The requester
 * reads them: a snooze is the team's own matter.
 */
export function changesToAnnounce(before: AnnouncedState, now: AnnouncedState): (keyof AnnouncedState)[] {
  return AnnouncedState.keyof().options.filter((field) => before[field] !== now[field]);
}

/** Records what a thread has announced; from the moment it has its ticket, changes are announced in it. */
export async function recordAnnounced(
  tx: BridgeTx,
  { id }: Conversation,
  state: AnnouncedState,
): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ announced: JSON.stringify(state) })
    .where('id', '=', id)
    .execute();
}

/**
 * Announces changes of a ticket in its threads: all of them in its requester's, if its queue wants that (B30); else,
 * and in its other threads, whether it was approved, which people wait for (B39). The announced state is stored with
 * the planned lines, so each change is announced once, even if its events come twice or out of order. Turning it on
 * starts from the present state. Throws ServiceError.
 * @param visible whether the place may show anything of the ticket.
 */
export async function announceChanges(
  bridge: Bridge,
  ticket: Ticket,
  conversation: Conversation,
  visible: boolean,
): Promise<Write | undefined> {
  const now = announcedState(ticket);
  const before = AnnouncedState.safeParse(conversation.announced).data;
  const changed = before ? changesToAnnounce(before, now) : [];
  if (before && changed.length === 0) return undefined;
  const { parent_deleted, thread_ts } = conversation;
  const isAnnounced = visible && !parent_deleted;
  const told = isAnnounced ? await fieldsToTell(bridge, ticket, conversation, changed) : [];
  const text = told.length === 0 ? '' : await changeLines(bridge, ticket, now, told);
  return async (tx) => {
    await recordAnnounced(tx, conversation, now);
    if (text === '') return;
    await planPosts(tx, bridge, locationOf(conversation), [
      { kind: featureKind('change'), text, thread: thread_ts, ticket: ticket.id },
    ]);
  };
}

/** A line in a ticket's thread that announces changes; none if the ticket became private while it waited (B14). */
export const changePost = messageKind(
  'change',
  'reply',
  z.object({ text: z.string(), thread: z.string(), ticket: z.string() }),
  async (bridge, writer, row, { text, thread, ticket: ticketId }) => {
    const conversation = await conversationOfRow(bridge, row);
    const ticket = await readTicket(bridge, ticketId);
    if (!conversation || !ticket || !(await mayShow(bridge, ticket, conversation))) return undefined;
    return lineCall(bridge, writer, row, { text, thread });
  },
);

/** Returns which changes a thread announces. */
async function fieldsToTell(
  bridge: Bridge,
  ticket: Ticket,
  { role }: Conversation,
  changed: readonly (keyof AnnouncedState)[],
): Promise<readonly (keyof AnnouncedState)[]> {
  const settings = await readQueueSettings(bridge, ticket);
  if (settings?.silentMode) return [];
  if (role === 'request' && settings?.enableGranularChatNotifications) return changed;
  return changed.filter((field) => field === 'approval');
}

async function changeLines(
  bridge: Bridge,
  ticket: Ticket,
  now: AnnouncedState,
  changed: readonly (keyof AnnouncedState)[],
): Promise<string> {
  const actorOf = await actorsOf(bridge, ticket.id, ticket);
  const by = new Map(
    changed.map((field) => [
      field,
      field === 'approval' ? (ticket.metadata.approval?.userId ?? null) : actorOf(field),
    ]),
  );
  const nameOf = await userNames(bridge, [ticket.assigneeId, ...by.values()]);
  const words = {
    status: ticket.status.label,
    queue: ticket.queue?.name,
    assignee: nameOf(ticket.assigneeId),
    reason: ticket.metadata.approval?.reason ?? null,
  };
  const lines = changed.map((field) => {
    const actor = by.get(field) ?? null;
    const isOwn = actor !== null && actor === ticket.assigneeId;
    return changeLine(field, now, words, { who: nameOf(actor), isOwn });
  });
  return lines.join('\n');
}
