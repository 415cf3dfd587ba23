import { noticeMessage } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { cardTellsAssignee } from '../cards/index.ts';
import { decideNotices, isWanted, mayHear, type NewMessage, type Notice, type Seen } from './rules.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import { actorsOf } from '../../tickets/acts.ts';
import { copiesOf, findByTicket } from '../../threads/conversations.ts';
import { noticeLevelOf } from './store.ts';
import { chatUsersOf, personOf } from '../../people/people.ts';
import { mentionedIn } from '../../text/to-chat.ts';
import { isOwnNote } from '../../tickets/add-note.ts';
import type { Begun } from '../../tickets/create-once.ts';
import { directWith } from '../../slack/direct-with.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { membersOf } from '../../slack/members-of.ts';
import { standingOf } from '../../tickets/standing.ts';
import { namesOf, ticketUrl } from '../../tickets/ticket-facts.ts';
import { messagesChangedSince, type TicketMessage } from '../../threads/ticket-messages.ts';
import { type PlannedLine, unreached } from '../../people/unreached.ts';

interface Looking {
  ticket: Ticket;
  before: (Seen & Talkers) | undefined;
  since: string;
  /** The queue is silent: nobody is notified (B28). */
  silent: boolean;
  /** The service's updatedAt up to which messages were checked. */
  updatedFrom: string | null;
  begun: Begun;
}

/** Users who have written in a ticket's threads: Slack notifies them of replies there. */
interface Talkers {
  /** In the requester's thread. */
  talkers: string[];
  /** In the team's thread. */
  noteTalkers: string[];
}

interface Gathered extends Talkers {
  lines: PlannedLine[];
  /** Ticket messages that were considered. */
  messages: string[];
  messagesUntil: string | undefined;
}

/** Older messages are not announced, even if they were edited. */
const NEWS_MS = 24 * 60 * 60_000;

/**
 * Returns who is to be notified about a ticket now, each in one direct message (B43). Throws ServiceError, ChatError.
 */
export async function gatherNotices(bridge: Bridge, looking: Looking): Promise<Gathered> {
  const { ticket, before, since, silent } = looking;
  const { messages, until } = await newMessages(bridge, looking);
  const talkers = new Set(before?.talkers);
  const noteTalkers = new Set(before?.noteTalkers);
  for (const { authorId, source, private: isNote } of messages)
    if (source === 'CHAT' && authorId) (isNote ? noteTalkers : talkers).add(authorId);
  const gathered: Gathered = {
    lines: [],
    messages: messages.map(({ id }) => id),
    messagesUntil: until,
    talkers: [...talkers],
    noteTalkers: [...noteTalkers],
  };
  if (silent) return gathered;
  const notices = decideNotices({
    before,
    now: {
      assigneeId: ticket.assigneeId,
      statusId: ticket.statusId,
      isDecided: ticket.approvedAt !== null || ticket.declinedAt !== null,
      authorId: ticket.authorId,
      createdAt: ticket.createdAt,
      assignedAt: ticket.assignedAt,
      followers: ticket.followers.map(({ id }) => id),
      decidedBy: ticket.metadata.approval?.userId ?? null,
    },
    since,
    messages: await heardFacts(bridge, ticket, messages, gathered),
    actorOf: await actorsOf(bridge, ticket.id, ticket),
  });
  const people = [...new Set(notices.map(({ user }) => user))];
  if (people.length === 0) return gathered;
  const byCard = await isToldByCard(bridge, ticket);
  const accounts = await chatUsersOf(bridge, people);
  for (const user of people) {
    const account = accounts.get(user);
    // Users without a chat account cannot be notified.
    if (account === undefined) continue;
    const theirs = notices.filter((one) => one.user === user);
    const line = await lineFor(bridge, { ...looking, byCard }, messages, account, theirs);
    if (line) gathered.lines.push(line);
  }
  return gathered;
}

/** Returns whether the assignee of a private ticket gets its card now, in the same direct messages (B27). */
async function isToldByCard(bridge: Bridge, ticket: Ticket): Promise<boolean> {
  if (!ticket.private || ticket.assigneeId === null) return false;
  const request = await findByTicket(bridge.database.db, ticket.id);
  const ended = hasEnded(ticket.status.statusGroup.label) || ticket.archivedAt !== null;
  if (!cardTellsAssignee(ticket, { ended, silent: false, begun: request !== undefined })) return false;
  // In its thread, or the place it is moving to, they read it and get no card.
  if (request?.relocating) return false;
  if (!request?.direct) return true;
  return (await membersAmong(bridge, request.channel_id, [ticket.assigneeId])).length === 0;
}

/** Returns new messages on the ticket that were not announced, oldest first, and how far the check reached. */
async function newMessages(
  bridge: Bridge,
  { ticket, since, updatedFrom }: Looking,
): Promise<{ messages: TicketMessage[]; until: string | undefined }> {
  const from = new Date(bridge.clock.now().getTime() - NEWS_MS).toISOString();
  const changed = await messagesChangedSince(bridge, ticket, updatedFrom);
  const until = changed.at(-1)?.updatedAt;
  const listed = changed.filter(
    (message) =>
      message.createdAt >= since && message.createdAt >= from && !message.deleted && !isOwnNote(message),
  );
  if (listed.length === 0) return { messages: [], until };
  const known = await bridge.database.db
    .selectFrom('notified_message')
    .select('ticket_message_id')
    .where(
      'ticket_message_id',
      'in',
      listed.map(({ id }) => id),
    )
    .execute();
  const messages = listed
    .filter(({ id }) => !known.some((one) => one.ticket_message_id === id))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  return { messages, until };
}

/** Returns whom Slack itself notifies of each message: authors in its thread, and mentioned members of the channel. */
async function heardFacts(
  bridge: Bridge,
  ticket: Ticket,
  messages: readonly TicketMessage[],
  { talkers, noteTalkers }: Talkers,
): Promise<NewMessage[]> {
  if (messages.length === 0) return [];
  const { db } = bridge.database;
  const request = await findByTicket(db, ticket.id);
  const isShown = request !== undefined && (!ticket.private || request.direct);
  const triage = (await copiesOf(db, ticket.id)).find(({ role }) => role === 'triage');
  const facts: NewMessage[] = [];
  for (const { id, authorId, content, private: isNote } of messages) {
    const mentions = mentionedIn(content).slice(0, MENTIONED_AT_MOST);
    const thread = isNote ? triage : isShown ? request : undefined;
    const heardBy = new Set<string>();
    if (thread) {
      for (const user of isNote ? noteTalkers : talkers) heardBy.add(user);
      if (!isNote && ticket.requesterId !== null) heardBy.add(ticket.requesterId);
      for (const user of await membersAmong(bridge, thread.channel_id, mentions)) heardBy.add(user);
    }
    facts.push({ id, authorId, private: isNote, mentions, heardBy });
  }
  return facts;
}

/** Returns those of some users who are in a channel: a mention there reaches them. */
async function membersAmong(bridge: Bridge, channel: string, users: readonly string[]): Promise<string[]> {
  if (users.length === 0) return [];
  const accounts = await chatUsersOf(bridge, users);
  const members = await membersOf(bridge, channel);
  return users.filter((user) => members.includes(accounts.get(user) ?? ''));
}

/** More mentions than this are a group, not individuals. */
const MENTIONED_AT_MOST = 20;

/** Returns one user's message: what they want and may read; undefined if that is nothing. */
async function lineFor(
  bridge: Bridge,
  { ticket, begun, byCard }: Looking & { byCard: boolean },
  messages: readonly TicketMessage[],
  account: string,
  notices: readonly Notice[],
): Promise<PlannedLine | undefined> {
  const { team } = bridge.bot;
  const person = await personOf(bridge, team, account);
  if (person.is_bot) return undefined;
  const level = await noticeLevelOf(bridge, { team, user: account });
  const standing = await standingOf(bridge, ticket, person);
  const isAssignee = ticket.assigneeId !== null && ticket.assigneeId === person.user_id;
  const messageOf = (notice: Notice) => messages.find(({ id }) => id === notice.message);
  const heard = notices.filter(
    (notice) =>
      isWanted(notice, level, { isAssignee }) &&
      mayHear(notice, { ...standing, isNote: messageOf(notice)?.private ?? false }),
  );
  if (heard.length === 0) return undefined;
  const channel = await directWith(bridge, account);
  if (channel === undefined) {
    const isAssigned = heard.some(({ kind }) => kind === 'assigned');
    return isAssigned ? unreached(bridge, begun, ticket, person, 'it is assigned to you') : undefined;
  }
  const told = byCard ? heard.filter(({ kind }) => kind !== 'assigned') : heard;
  if (told.length === 0) return undefined;
  const nameOf = await namesOf(bridge, [ticket.assigneeId, ...told.map(({ by }) => by)]);
  const subject = { code: ticket.code, url: ticketUrl(bridge, ticket.code), title: ticket.title ?? '' };
  const facts = told.map((notice) => ({
    kind: notice.kind,
    by: nameOf(notice.by),
    words: messageOf(notice)?.content,
    isNote: messageOf(notice)?.private ?? false,
  }));
  const { text, blocks } = noticeMessage(
    // A user who lost access to a private ticket may no longer see its contents.
    { ...subject, title: standing.sees ? subject.title : '' },
    facts,
    {
      status: ticket.status.label,
      assignee: nameOf(ticket.assigneeId),
      decision: ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : undefined,
      reason: ticket.metadata.approval?.reason ?? null,
    },
  );
  return { channel, body: { kind: 'line', text, blocks } };
}
