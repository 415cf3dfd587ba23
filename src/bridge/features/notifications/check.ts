import { sql } from 'kysely';
import { z } from 'zod';

import { noticeLevelOf } from '../../people/notice-level.ts';
import { messageExcerpt } from './blocks.ts';
import {
  type ChangedNotice,
  changedNotices,
  type NewNotice,
  type NoticeContents,
  planChange,
  planNotice,
} from './notice.ts';
import { workspaceOfTicket } from '../../tickets/catalogue.ts';
import type { Bridge } from '../../bridge.ts';
import { cardNotifiesAssignee } from '../cards/index.ts';
import {
  cut,
  decideNotices,
  isOwnNote,
  MENTIONED_AT_MOST,
  type NewMessage,
  NEWS_MS,
  type Notice,
} from '../../../contract/index.ts';
import { isWanted, mayRead } from './rules.ts';
import { hasEnded } from '../../tickets/rules.ts';
import { actorsOf } from '../../tickets/update-ticket.ts';
import { copiesOf, findByTicket } from '../../store/conversations.ts';
import { chatUsersOf, personOf, programName } from '../../people/people.ts';
import { mentionedIn } from '../../../platform/text/mentions.ts';
import { directWith, channelMembers, type PlannedLine, unreachableNotice } from '../../tickets/reach.ts';
import { type Ticket, permissionsFor, readTicket } from '../../tickets/find-ticket.ts';
import { userNames, ticketUrl } from '../../tickets/ticket-facts.ts';
import { messagesOf, type TicketMessage } from '../../tickets/ticket-messages.ts';
import {
  type Attempt,
  attemptOf,
  type BodyOf,
  type Done,
  type NewWork,
  NOTIFY,
  type Work,
  workFor,
  type Write,
} from '../../work.ts';
import { planPosts } from '../../store/posts.ts';
import { directKey, ticketKey } from '../../slack/ids.ts';
import { announcesSince } from '../../first-run.ts';
import { planAsks } from '../approvals/index.ts';
import { keepReminders, wantedReminders } from '../reminders/index.ts';

/** The state of a ticket at the last check. */
const SeenTicket = z.object({
  assigneeId: z.string().nullable(),
  statusId: z.string(),
  group: z.string(),
  isDecided: z.boolean(),
  /** A digest of what approvers see. */
  asked: z.string(),
  /** Users who have written in its thread: Slack notifies them of every reply there. */
  authors: z.array(z.string()),
  /** The same for its team's thread. */
  noteAuthors: z.array(z.string()),
});
type SeenTicket = z.infer<typeof SeenTicket>;
type ThreadAuthors = Pick<SeenTicket, 'authors' | 'noteAuthors'>;

interface NotificationCheck {
  ticket: Ticket;
  before: SeenTicket | undefined;
  since: string;
  /** The queue is silent: nobody is notified (B28). */
  silent: boolean;
  /** The service's updatedAt up to which messages were checked. */
  updatedFrom: string | null;
  attempt: Attempt;
}

/** A changed message as a check keeps it: there may be any number of them, with texts of any length. */
interface HeardMessage extends TicketMessage {
  /** The users mentioned in its full text. */
  mentions: string[];
}

/** Characters of a message's content that are kept; a notice shows less. */
const CONTENT_KEPT = 12_000;

interface Gathered extends ThreadAuthors {
  /** Messages for users who cannot be notified directly. */
  lines: PlannedLine[];
  notices: NewNotice[];
  /** Notifications of earlier checks that say something else now. */
  changed: ChangedNotice[];
  messages: string[];
  messagesUntil: string | undefined;
}

/**
 * Returns who is to be notified about a ticket now, each in one direct message (B43). Throws ServiceError, ChatError.
 */
async function gatherNotifications(bridge: Bridge, looking: NotificationCheck): Promise<Gathered> {
  const { ticket, before, since, silent } = looking;
  const { messages, changed, until } = await newMessages(bridge, looking);
  const authors = new Set(before?.authors);
  const noteAuthors = new Set(before?.noteAuthors);
  for (const { authorId, source, private: isNote } of messages)
    if (source === 'CHAT' && authorId) (isNote ? noteAuthors : authors).add(authorId);
  const gathered: Gathered = {
    lines: [],
    notices: [],
    changed: await changedNotices(bridge.database.db, ticket.id, changed, {
      isForAll: await bridge.channels.isForEveryone(ticket),
      permissionsOf: async (account) =>
        permissionsFor(bridge, ticket, await personOf(bridge, bridge.bot.team, account)),
    }),
    messages: messages.map(({ id }) => id),
    messagesUntil: until,
    authors: [...authors],
    noteAuthors: [...noteAuthors],
  };
  if (silent) return gathered;
  const notices = decideNotices({
    before,
    now: {
      ...ticket,
      isDecided: ticket.approvedAt !== null || ticket.declinedAt !== null,
      followers: ticket.followers.map(({ id }) => id),
      decidedBy: ticket.metadata.approval?.userId ?? null,
    },
    since,
    messages: await slackNotified(bridge, ticket, messages, gathered),
    actorOf: await actorsOf(bridge, ticket.id, ticket),
  });
  const byUser = Map.groupBy(notices, ({ user }) => user);
  if (byUser.size === 0) return gathered;
  const byCard = await isNotifiedByCard(bridge, ticket);
  // Users without a chat account cannot be notified.
  for (const [user, account] of await chatUsersOf(bridge, [...byUser.keys()])) {
    const heard = byUser.get(user) ?? [];
    const { line, notice } = await noticeFor(bridge, { ...looking, byCard }, messages, account, heard);
    if (line) gathered.lines.push(line);
    if (notice) gathered.notices.push(notice);
  }
  return gathered;
}

/** Returns whether the assignee of a private ticket gets its card now, in the same direct messages (B27). */
async function isNotifiedByCard(bridge: Bridge, ticket: Ticket): Promise<boolean> {
  if (!ticket.private || ticket.assigneeId === null) return false;
  const request = await findByTicket(bridge.database.db, ticket.id);
  const ended = hasEnded(ticket.status.statusGroup.label) || ticket.archivedAt !== null;
  if (!cardNotifiesAssignee(ticket, { ended, silent: false, started: request !== undefined })) return false;
  // In its thread, or the place it is moving to, they read it and get no card.
  if (request?.relocating) return false;
  if (!request?.direct) return true;
  return (await membersAmong(bridge, request.channel_id, [ticket.assigneeId])).length === 0;
}

/**
 * Returns new messages on the ticket that were not announced, oldest first; all that changed since the last check; and
 * how far this one reached.
 */
async function newMessages(
  bridge: Bridge,
  { ticket, since, updatedFrom }: NotificationCheck,
): Promise<{ messages: HeardMessage[]; changed: HeardMessage[]; until: string | undefined }> {
  const from = new Date(bridge.clock.now().getTime() - NEWS_MS).toISOString();
  let until: string | undefined;
  const changed: HeardMessage[] = [];
  const narrowing = { workspaceId: workspaceOfTicket(ticket), updatedFrom };
  for await (const message of messagesOf(bridge, ticket.id, narrowing)) {
    if (until === undefined || message.updatedAt > until) until = message.updatedAt;
    const mentions = mentionedIn(message.content).slice(0, MENTIONED_AT_MOST);
    changed.push({ ...message, content: cut(message.content, CONTENT_KEPT), mentions });
  }
  const listed = changed.filter(
    (message) =>
      message.createdAt >= since && message.createdAt >= from && !message.deleted && !isOwnNote(message),
  );
  if (listed.length === 0) return { messages: [], changed, until };
  const ids = listed.map(({ id }) => id);
  const known = await bridge.database.db
    .selectFrom('notified_message')
    .select('ticket_message_id')
    .where('ticket_message_id', 'in', ids)
    .execute();
  const messages = listed
    .filter(({ id }) => !known.some((one) => one.ticket_message_id === id))
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  return { messages, changed, until };
}

/** Returns whom Slack itself notifies of each message: authors in its thread, and mentioned members of the channel. */
async function slackNotified(
  bridge: Bridge,
  ticket: Ticket,
  messages: readonly HeardMessage[],
  { authors, noteAuthors }: ThreadAuthors,
): Promise<NewMessage[]> {
  if (messages.length === 0) return [];
  const { db } = bridge.database;
  const request = await findByTicket(db, ticket.id);
  const isShown = request !== undefined && (!ticket.private || request.direct);
  const triage = (await copiesOf(db, ticket.id)).find(({ role }) => role === 'triage');
  const facts: NewMessage[] = [];
  for (const { id, authorId, mentions, private: isNote } of messages) {
    const thread = isNote ? triage : isShown ? request : undefined;
    const writers = isNote ? noteAuthors : [...authors, ticket.requesterId ?? ''];
    const heardBy = thread ? [...writers, ...(await membersAmong(bridge, thread.channel_id, mentions))] : [];
    facts.push({ id, authorId, private: isNote, mentions, heardBy: new Set(heardBy) });
  }
  return facts;
}

/** Returns those of some users who are in a channel: a mention there reaches them. */
async function membersAmong(bridge: Bridge, channel: string, users: readonly string[]): Promise<string[]> {
  if (users.length === 0) return [];
  const accounts = await chatUsersOf(bridge, users);
  const members = await channelMembers(bridge, channel);
  return users.filter((user) => members.includes(accounts.get(user) ?? ''));
}

/** Returns one user's notification: what they want and may read; or the line for a user who has no direct messages. */
async function noticeFor(
  bridge: Bridge,
  { ticket, attempt, byCard }: NotificationCheck & { byCard: boolean },
  messages: readonly HeardMessage[],
  account: string,
  notices: readonly Notice[],
): Promise<{ line?: PlannedLine | undefined; notice?: NewNotice }> {
  const { team } = bridge.bot;
  const person = await personOf(bridge, team, account);
  if (person.is_bot) return {};
  const level = await noticeLevelOf(bridge, { team, user: account });
  const permissions = await permissionsFor(bridge, ticket, person);
  const isAssignee = ticket.assigneeId !== null && ticket.assigneeId === person.user_id;
  const messageOf = (notice: Notice) => messages.find(({ id }) => id === notice.message);
  const heard = notices.filter(
    (notice) =>
      isWanted(notice, level, { isAssignee }) &&
      mayRead(notice, { ...permissions, isNote: messageOf(notice)?.private ?? false }),
  );
  if (heard.length === 0) return {};
  const channel = await directWith(bridge, account);
  if (channel === undefined) {
    if (!heard.some(({ kind }) => kind === 'assigned')) return {};
    return { line: await unreachableNotice(bridge, attempt, ticket, person, 'it is assigned to you') };
  }
  const shown = byCard ? heard.filter(({ kind }) => kind !== 'assigned') : heard;
  if (shown.length === 0) return {};
  const nameOf = await userNames(bridge, [ticket.assigneeId, ...shown.map(({ by }) => by)]);
  // A user who lost access to a private ticket may no longer see its contents.
  const title = permissions.sees ? (ticket.title ?? '') : '';
  const subject = { code: ticket.code, url: ticketUrl(bridge, ticket.code), title };
  const facts = shown.map((notice) => {
    const message = messageOf(notice);
    return {
      kind: notice.kind,
      by: (message && programName(message)) ?? nameOf(notice.by) ?? null,
      message: message?.id ?? null,
      words: message ? messageExcerpt(message) : null,
      isNote: message?.private ?? false,
    };
  });
  const state: NoticeContents['state'] = {
    status: ticket.status.label,
    assignee: nameOf(ticket.assigneeId) ?? null,
    decision: ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : null,
    reason: ticket.metadata.approval?.reason ?? null,
  };
  return { notice: { ticket: ticket.id, account, channel, contents: { subject, facts, state } } };
}

/** Returns the work that checks a ticket; what happens until then goes into one message (B43). */
export function notificationCheck(
  { noticeAfterMs: delayMs }: Pick<Bridge, 'noticeAfterMs'>,
  ticketId: string,
): NewWork {
  const key = ticketKey(ticketId);
  return workFor(NOTIFY, key, { ticket: ticketId }, { mergeKey: `notify:${key}`, delayMs });
}

/**
 * Checks a ticket and plans what follows: notifications (B43), questions to approvers (B39) and to the requester (B40).
 * State and plans are recorded in one transaction with the end of the work, so interrupted checks are repeated, and
 * nothing is sent twice.
 */
export async function checkNotifications(bridge: Bridge, work: Work<BodyOf<typeof NOTIFY>>): Promise<Done> {
  const { ticket: ticketId } = work.body;
  const { db } = bridge.database;
  const heard = await db
    .selectFrom('notification_state')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .executeTakeFirst();
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket || !(await bridge.channels.isOffered(ticket.queue?.workspaceId)))
    return { outcome: 'it notifies nobody' };
  const before = heard && SeenTicket.safeParse(heard.seen).data;
  const since = await announcesSince(bridge);
  const queue = ticket.queueId === null ? undefined : await bridge.channels.queue(ticket.queueId);
  const silent = queue?.settings?.silentMode ?? false;
  const attempt = attemptOf(work);
  const gathered = await gatherNotifications(bridge, {
    ticket,
    before,
    since,
    silent,
    updatedFrom: heard?.messages_until?.toISOString() ?? null,
    attempt,
  });
  const asks = await planAsks(bridge, {
    ticket,
    before,
    since,
    settings: { enableCSAT: queue?.settings?.enableCSAT ?? false, silentMode: silent },
    attempt,
  });
  const reminders = await wantedReminders(bridge, ticket, since);
  const write: Write = async (tx) => {
    await keepReminders(tx, ticketId, reminders);
    const seen: SeenTicket = {
      assigneeId: ticket.assigneeId,
      statusId: ticket.statusId,
      group: ticket.status.statusGroup.label,
      isDecided: ticket.approvedAt !== null || ticket.declinedAt !== null,
      asked: asks.shown,
      authors: gathered.authors,
      noteAuthors: gathered.noteAuthors,
    };
    const values = {
      seen: JSON.stringify(seen),
      messages_until: gathered.messagesUntil ?? heard?.messages_until ?? null,
    };
    await tx
      .insertInto('notification_state')
      .values({ ticket_id: ticketId, ...values })
      .onConflict((conflict) => conflict.column('ticket_id').doUpdateSet(values))
      .execute();
    if (gathered.messages.length > 0)
      await sql`
        insert into notified_message (ticket_message_id, notified_at)
        select id, ${bridge.clock.now()} from unnest(${gathered.messages}::text[]) as message (id)
        on conflict do nothing`.execute(tx);
    await asks.record(tx);
    for (const changed of gathered.changed) await planChange(tx, bridge, changed);
    for (const notice of gathered.notices) await planNotice(tx, bridge, notice);
    const { team } = bridge.bot;
    const lines = [...gathered.lines, ...asks.lines];
    for (const { channel, orderingKey = directKey(team, channel), body } of lines)
      await planPosts(tx, bridge, { conversationId: null, team, channel, orderingKey }, [body]);
  };
  return { outcome: `notified ${gathered.notices.length}`, write };
}
