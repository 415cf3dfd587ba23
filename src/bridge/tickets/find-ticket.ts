// Tickets as the bridge sees them: find, open, change, and who may do what. rules.ts decides without reading
// anything.

import { unescapeMrkdwn, escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { ifRejected } from '../slack/errors.ts';
import type { Queue } from './channels.ts';
import { type Relation, type Audience, maySee, parseRef, takesPart, type TicketRef } from './rules.ts';
import { chatUsersOf, type Person, usersOf } from '../people/people.ts';
import { isTrusted } from '../people/trust.ts';
import { type Answer, AnsweredError } from '../../client/index.ts';
import { findByMessage } from '../store/conversations.ts';
import { typedWords } from '../text/typed.ts';

/** The team of a queue: some known by their chat account, some by their user in the service. */
interface Team {
  /** Members of the queue's triage channels. */
  chatUserIds: ReadonlySet<string>;
  /** The queue's `autoAssignees`. */
  userIds: ReadonlySet<string>;
}

type Reads = Pick<Bridge, 'channels' | 'chat' | 'bot' | 'trust'>;

/**
 * Returns the team of a queue: the members of its triage channels, without the bot, and its `autoAssignees` (B0).
 * Members are cached by the reader; a triage channel that the bot is not in adds none. Throws ChatError, ServiceError.
 */
export async function teamOfQueue(reads: Reads, queueId: string): Promise<Team> {
  return teamIn(reads, queueId, await reads.channels.queue(queueId));
}

async function teamIn(
  reads: Reads,
  queueId: string,
  queue: Pick<Queue, 'autoAssignees'> | undefined,
): Promise<Team> {
  const { channels, chat, bot } = reads;
  const chatUserIds = new Set<string>();
  // Of a workspace that is not trusted, nobody is of the team.
  if (!(await isTrusted(reads))) return { chatUserIds, userIds: new Set() };
  for (const channel of await channels.triagesOf(queueId))
    for (const member of await chat.members(channel).catch(ifRejected([]))) chatUserIds.add(member);
  chatUserIds.delete(bot.userId);
  return { chatUserIds, userIds: new Set(queue?.autoAssignees.map(({ id }) => id)) };
}

/** Returns the teams of all queues; together they are the workspace's team (B0). Throws ChatError, ServiceError. */
export async function teamsOf(bridge: Reads & Pick<Bridge, 'service'>): Promise<ReadonlyMap<string, Team>> {
  const teams = new Map<string, Team>();
  for await (const queue of bridge.service.all('listQueues', { query: {} }))
    if (!queue.deletedAt) teams.set(queue.id, await teamIn(bridge, queue.id, queue));
  return teams;
}

function joinTeams(teams: Iterable<Team>): Team {
  const all = [...teams];
  return {
    chatUserIds: new Set(all.flatMap(({ chatUserIds }) => [...chatUserIds])),
    userIds: new Set(all.flatMap(({ userIds }) => [...userIds])),
  };
}

/** Returns whether a user is in the team, by either of their accounts. */
export function isInTeam(
  { chatUserIds, userIds }: Team,
  person: { chat_user_id: string; user_id: string | null },
): boolean {
  return chatUserIds.has(person.chat_user_id) || (person.user_id !== null && userIds.has(person.user_id));
}

/**
 * Returns what a write to the service says of an assignee whom only Slack knows as a member of a team: the queues of
 * that team. Only for queues that nobody else reads, so that another service gets no field that it does not know.
 */
export async function teamsOfAssignee(
  bridge: Bridge,
  assigneeId: string | null | undefined,
): Promise<{ teamQueueIds?: string[] }> {
  if (!assigneeId) return {};
  const account = (await chatUsersOf(bridge, [assigneeId])).get(assigneeId);
  if (account === undefined) return {};
  const person = { chat_user_id: account, user_id: assigneeId };
  const teamQueueIds: string[] = [];
  for (const [queueId, team] of await teamsOf(bridge))
    if ((await bridge.channels.readersOf(queueId)) === 'team' && isInTeam(team, person))
      teamQueueIds.push(queueId);
  return teamQueueIds.length > 0 ? { teamQueueIds } : {};
}

/**
 * Returns a user's relation to a ticket, and whether they may see it (B0, B25): the one check behind buttons, modals,
 * commands, emoji and search. A ticket without a queue belongs to the workspace's team. Its assignee counts as team. A
 * queue without a team is open to everyone but guests who can see the ticket, so that a new help desk can be used.
 * Throws ServiceError or ChatError.
 */
export async function permissionsFor(
  bridge: Bridge,
  ticket: Audience & { queueId: string | null },
  person: Person,
): Promise<Relation & { sees: boolean }> {
  const { queueId } = ticket;
  const team =
    queueId === null ? joinTeams((await teamsOf(bridge)).values()) : await teamOfQueue(bridge, queueId);
  const isMember = isInTeam(team, person);
  const hasPlace = queueId === null ? team.chatUserIds.size > 0 : await bridge.channels.hasTriage(queueId);
  const isUnnamed = !hasPlace && team.userIds.size === 0;
  const isForAll = (await bridge.channels.readersOf(queueId)) === 'workspace';
  const isAnybody = isUnnamed && isForAll && !person.is_guest && !person.is_bot;
  const isUser = (id: string | null) => id !== null && id === person.user_id;
  const sees = (await readsQueue(bridge, queueId, person)) ? maySee : takesPart;
  return {
    isTeam: isMember || isAnybody || isUser(ticket.assigneeId),
    isRequester: isUser(ticket.requesterId),
    sees: isMember || sees(ticket, person.user_id),
  };
}

/**
 * Returns whether a user reads those tickets of a queue that are not private, though they take part in none (B0): of a
 * queue for agents as an agent, of a team's as its member, in Slack or at the desk. Not as an admin: only at the desk
 * is it recorded that they opened a team's ticket. Throws ServiceError or ChatError.
 */
export async function readsQueue(bridge: Bridge, queueId: string | null, person: Person): Promise<boolean> {
  if (!(await isTrusted(bridge))) return false;
  const readers = await bridge.channels.readersOf(queueId);
  if (queueId === null || readers === 'workspace') return true;
  if (isInTeam(await teamOfQueue(bridge, queueId), person)) return true;
  const [user] = person.user_id === null ? [] : await usersOf(bridge, [person.user_id]);
  if (!user || user.deactivatedAt || (user.role ?? 'requester') === 'requester') return false;
  return readers === 'agents' || (user.queueIds?.includes(queueId) ?? false);
}

export type Ticket = Answer<'readTicket'>;

/** Returns a ticket's record; undefined if it is gone, or not accessible with this key. */
export async function readTicket(
  bridge: Bridge,
  id: string,
  query: { workspaceId?: string | undefined; messagesFrom?: string | undefined } = {},
): Promise<Ticket | undefined> {
  try {
    return await bridge.service.readTicket({ params: { id }, query });
  } catch (error) {
    if (error instanceof AnsweredError && error.status === 404) return undefined;
    throw error;
  }
}

/** Returns the ticket that continues in place of a merged one; a ticket that is not merged continues itself. */
export async function mergeTargetOf(bridge: Bridge, ticket: Ticket): Promise<Ticket> {
  let last = ticket;
  for (let step = 0; last.mergedIntoId && step < MERGES_FOLLOWED; step++) {
    const next = await readTicket(bridge, last.mergedIntoId);
    if (!next) break;
    last = next;
  }
  return last;
}

/** Our service names the last ticket of a chain; another one may name the next. */
const MERGES_FOLLOWED = 10;

/**
 * Returns the ticket of a reference or an id: the key's home workspace's, else the first one offered in chat that has
 * it. Undefined and throws like `readTicket`.
 * @param workspaceId the only workspace to search.
 */
export async function readNamed(
  bridge: Bridge,
  named: string,
  workspaceId?: string,
): Promise<Ticket | undefined> {
  const ticket = await readTicket(bridge, named, { workspaceId });
  if (ticket || workspaceId !== undefined) return ticket;
  const offered = await bridge.channels.offered();
  if (offered.length === 1) return undefined;
  for (const one of offered) {
    const found = await readTicket(bridge, named, { workspaceId: one });
    if (found) return found;
  }
  return undefined;
}

/** Shown if the ticket of a button or modal is gone. */
export const TICKET_GONE = 'This ticket no longer exists.';

/** The ticket, or a message that says what was wrong and what to type instead (B36). */
type Found =
  | { ticket: Ticket }
  /** `code`: the reference of a ticket that they cannot see, or that is not there. */
  | { refusal: string; code?: string };

/**
 * Returns the ticket that a user named, if they may see it: to others a private one does not exist (B35).
 * @param typed as Slack sends it, escaped.
 */
export async function findTicket(
  bridge: Bridge,
  typed: string,
  channel: string,
  person: Person,
): Promise<Found> {
  const ref = parseRef(unescapeMrkdwn(typed));
  const named = ref ? await resolveRef(bridge, ref, channel) : { refusal: NO_REFERENCE(typedWords(typed)) };
  if ('refusal' in named) return named;
  const isCode = ref?.kind === 'code' || ref?.kind === 'number';
  const why = isCode ? ` \`${bridge.command} why ${escapeMrkdwn(named.said)}\` says why.` : '';
  const unknown = {
    refusal: `There is no ticket \`${escapeMrkdwn(named.said)}\` that you can see. Try \`${bridge.command} search <words>\`.${why}`,
    ...(isCode && { code: named.said }),
  };
  if (named.id === undefined) return unknown;
  try {
    const ticket = await readNamed(bridge, named.id, named.workspaceId);
    if (!ticket) return unknown;
    const offered = await bridge.channels.isOffered(ticket.queue?.workspaceId);
    return offered && (await permissionsFor(bridge, ticket, person)).sees ? { ticket } : unknown;
  } catch (error) {
    if (error instanceof AnsweredError && error.next === 'give-up') return unknown;
    throw error;
  }
}

const NO_REFERENCE = (typed: string) =>
  `\`${escapeMrkdwn(typed)}\` is not a ticket reference. Type one such as \`IT-42\`, or \`#42\` in the queue's channel.`;

/** Returns the service's name for the ticket, and the answer about it. */
async function resolveRef(
  bridge: Bridge,
  ref: TicketRef,
  channel: string,
): Promise<{ id: string | undefined; said: string; workspaceId?: string } | { refusal: string }> {
  switch (ref.kind) {
    case 'code':
      return { id: ref.code, said: ref.code };
    case 'id':
      return { id: ref.id, said: ref.id };
    case 'message': {
      const place = { team: bridge.bot.team, channel: ref.channel, ts: ref.ts };
      const conversation = await findByMessage(bridge.database.db, place);
      return { id: conversation?.ticket_id ?? undefined, said: 'of that message' };
    }
    case 'number': {
      const { queueId } = (await bridge.channels.of(channel)) ?? {};
      const queue = queueId === undefined ? undefined : await bridge.channels.queue(queueId);
      const code = `${queue?.prefix}-${ref.number}`;
      if (queue) return { id: code, said: code, workspaceId: queue.workspaceId };
      return {
        refusal: `\`#${ref.number}\` needs a channel that is linked to a queue. Type the whole reference, such as \`IT-${ref.number}\`.`,
      };
    }
  }
}
