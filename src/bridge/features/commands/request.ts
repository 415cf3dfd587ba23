import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import type { Bridge } from '../../bridge.ts';
import { type Person, personOf, usersOf } from '../../people/people.ts';
import { type Ticket, isInTeam, teamOfQueue } from '../../tickets/find-ticket.ts';
import { wordsOfCommand } from '../../threads/message-text.ts';
import type { ChatCommand } from '../../slack/chat-event.ts';
import type { ActionAnswer } from '../../tickets/update-ticket.ts';
import type { ChannelQueue } from '../../tickets/channels.ts';
import { type Attempt } from '../../work.ts';

/** A command, or a mention in a ticket's thread that is one. */
export interface CommandRequest {
  team: string;
  channel: string;
  person: Person;
  /** The text after the command's name and reference, as it looks: for what is compared, or shown again. */
  words: string;
  /** The same as Slack sends it, with references to people, channels and links: for what is stored or looked up. */
  escaped: string;
  attempt: Attempt;
  /** When it was typed, for “in 2 hours”: it may run much later (B33, B47). */
  typedAt: Date;
  /** Unique per command, the same for every attempt. */
  key: string;
}

/**
 * The implementation of a command; one that changes something is stored and retried while the service is unavailable
 * (B47).
 */
export type Work =
  | { changes?: true; run(bridge: Bridge, asked: CommandRequest): Promise<ActionAnswer> }
  /** About one ticket, which the user may see; the implementation checks whether they may change it. */
  | {
      changes?: true;
      onTicket(bridge: Bridge, asked: CommandRequest, ticket: Ticket): Promise<ActionAnswer>;
    };

/** Returns an error: what was wrong, and what to type instead (B36). */
export function refuse(text: string): ActionAnswer {
  return { text, refused: true };
}

/**
 * Returns a command's request, with the user. Throws ChatError, ServiceError.
 * @param escaped the text after the command's name and reference.
 */
export async function readRequest(
  bridge: Bridge,
  { team, channel, user }: ChatCommand,
  escaped: string,
  attempt: Attempt & { inboxId: string | null },
  typedAt: Date,
): Promise<CommandRequest> {
  return {
    team,
    channel,
    person: await personOf(bridge, team, user),
    words: await wordsOfCommand(bridge, team, escaped),
    escaped,
    attempt,
    typedAt,
    key: attempt.inboxId ?? '',
  };
}

/** Returns whether a user is an admin or owner of the Slack workspace, uncached. Throws ChatError. */
export async function isAdmin({ chat, bot }: Bridge, person: Person): Promise<boolean> {
  return !person.is_guest && (await chat.profile(person.chat_user_id, bot)).isAdmin;
}

/** Returns whether a user is an admin of the help desk, who may do the same there. Throws ServiceError. */
async function isDeskAdmin(bridge: Bridge, { user_id: userId, is_guest }: Person): Promise<boolean> {
  if (userId === null || is_guest) return false;
  const [user] = await usersOf(bridge, [userId]);
  return user?.role === 'admin' && !user.deactivatedAt;
}

/**
 * Returns why a user may not configure these queues; undefined for admins of the Slack workspace or of the help desk,
 * and for members of every queue's team. Everyone but guests may configure a queue without a team, because someone has
 * to start (B0). Throws ChatError, ServiceError.
 */
export async function setUpRefusal(
  bridge: Bridge,
  person: Person,
  queueIds: readonly string[],
): Promise<string | undefined> {
  if ((await isAdmin(bridge, person)) || (await isDeskAdmin(bridge, person))) return undefined;
  const foreign: string[] = [];
  for (const id of new Set(queueIds)) if (!(await isOfTeam(bridge, person, id))) foreign.push(id);
  if (foreign.length === 0) return undefined;
  const names: string[] = [];
  for (const id of foreign) names.push(`*${escapeMrkdwn((await bridge.channels.queue(id))?.name ?? id)}*`);
  return `Only admins of this Slack workspace or of the help desk, and the team of ${names.join(' and ')}, can do that. Ask one of them.`;
}

async function isOfTeam(bridge: Bridge, person: Person, queueId: string): Promise<boolean> {
  const team = await teamOfQueue(bridge, queueId);
  if (isInTeam(team, person)) return true;
  const isUnnamed = team.userIds.size === 0 && !(await bridge.channels.hasTriage(queueId));
  return isUnnamed && !person.is_guest && !person.is_bot;
}

/** Returns the queue of a channel: the linked one (for requests or the team), the observed one, or the default. */
export async function queueHere(
  { channels }: Pick<Bridge, 'channels'>,
  channel: string,
): Promise<ChannelQueue | undefined> {
  const [link] = await channels.linksOf(channel);
  if (link) return { workspaceId: link.workspaceId, queueId: link.queueId, linked: true };
  return channels.of(channel);
}
