import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError, ifRejected } from '../slack/errors.ts';
import { SERVED_ELSEWHERE } from '../slack/client.ts';
import type { CorePost } from '../store/posts.ts';
import { findByTicket } from '../store/conversations.ts';
import type { Person } from '../people/people.ts';
import { addNote } from './create-once.ts';
import type { Ticket } from './find-ticket.ts';
import { ticketLink } from './ticket-facts.ts';
import { type Attempt } from '../work.ts';

/** Returns the direct message channel with a user; undefined if there is none, as with users of other organisations. */
export function directWith({ chat }: Pick<Bridge, 'chat'>, user: string): Promise<string | undefined> {
  return chat.directChannel(user).catch(ifRejected(undefined));
}

/**
 * Returns whether the bridge of another workspace of the same organisation has this direct message channel: then that
 * one notifies the user.
 */
export async function isServedElsewhere({ chat }: Pick<Bridge, 'chat'>, user: string): Promise<boolean> {
  try {
    await chat.directChannel(user);
    return false;
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return error.code === SERVED_ELSEWHERE;
    throw error;
  }
}

/** A message to post, its place and its ordering key. */
export interface PlannedLine {
  channel: string;
  /** Default the direct message's. */
  orderingKey?: string;
  body: Extract<CorePost, { kind: 'bot-message' }>;
}

/**
 * Returns where to notify a user without a direct message channel (B0a): for a public ticket in its thread; for a
 * private one in its team's thread and in a note on the ticket. Undefined if there is no such place, or if another
 * workspace's bridge notifies them.
 * @param what the reason, as in "it is assigned to you".
 */
export async function unreachableNotice(
  bridge: Bridge,
  attempt: Attempt,
  ticket: Ticket,
  { chat_user_id: account, name }: Person,
  what: string,
): Promise<PlannedLine | undefined> {
  if (await isServedElsewhere(bridge, account)) return undefined;
  const reference = ticketLink(bridge, ticket.code);
  const conversation = await findByTicket(bridge.database.db, ticket.id);
  if (!ticket.private && conversation && !conversation.parent_deleted)
    return {
      channel: conversation.channel_id,
      orderingKey: conversation.id,
      body: {
        kind: 'bot-message',
        text: `<@${account}> ${reference}: ${escapeMrkdwn(what)}. I cannot write to you directly.`,
        under: conversation.thread_ts,
      },
    };
  const says = `${name} is not reachable in Slack and could not be notified: ${what}.`;
  await addNote(bridge, attempt, ticket.id, `unreachableNotice ${account} ${what}`, says);
  const place = (await bridge.channels.triageOf(ticket.queue?.id)) ?? bridge.adminChannel;
  if (place === undefined) return undefined;
  return { channel: place, body: { kind: 'bot-message', text: `${reference}: ${escapeMrkdwn(says)}` } };
}

/** Returns the members of a channel; empty if Slack does not say. */
export function channelMembers({ chat }: Pick<Bridge, 'chat'>, channel: string): Promise<readonly string[]> {
  return chat.members(channel).catch(ifRejected([]));
}
