import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { sql } from 'kysely';

import { moment } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { OWN_POST, reasonOf, WRITTEN_ELSEWHERE } from './rules.ts';
import { findByMessage } from '../../store/conversations.ts';
import { type ChatPlace, eventKey } from '../../slack/ids.ts';
import { findLink } from '../../store/links.ts';
import { observedChannel } from '../../threads/observed.ts';
import { type Person, personOf } from '../../people/people.ts';
import { readTicket, permissionsFor } from '../../tickets/find-ticket.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';
import { whyNotReadable } from '../../tickets/who-reads.ts';
import { ServiceError } from '../../../client/index.ts';
import { messageIn, MESSAGE_ACTIONS, sayingModal, SERVICE_AWAY } from '../../blocks/modals.ts';
import { changeModal } from '../../inbox/answer-in-time.ts';
import { respond } from '../../slack/respond.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { deadLettersOf } from '../../inbox/dead-letters.ts';
import { type Done, EVENT } from '../../work.ts';

const EVENTS_SHOWN = 8;

/**
 * Explains the bridge's decisions about a chat message (B55): each event, by which rule, when, on which ticket message
 * it is, and what to change. Throws ServiceError, ChatError.
 */
export async function explainMessage(bridge: Bridge, place: ChatPlace, person: Person): Promise<string> {
  const events = await eventsOf(bridge, place);
  const where = await ticketMessageOf(bridge, place, person);
  if (events.length === 0 && !where) return explainUnknown(bridge, place);
  const changes = events.flatMap(({ outcome }) => (outcome ? (reasonOf(outcome).change ?? []) : []));
  return [
    '*How I handled this message*',
    ...events.map((event) => `• ${eventLine(event)}`),
    ...(where ? [where] : []),
    ...new Set(changes),
  ].join('\n');
}

interface MessageEvent {
  kind: string;
  received_at: Date;
  outcome: string | null;
  done_at: Date | null;
  dead: boolean | null;
  error: string | null;
}

/** Returns the events of a message, with what blocks unfinished ones. */
async function eventsOf({ database }: Bridge, place: ChatPlace): Promise<MessageEvent[]> {
  const { rows } = await sql<MessageEvent>`
    select inbox.kind, inbox.received_at, inbox.outcome, inbox.done_at, dead_at is not null as dead, error
    from inbox left join work on inbox.done_at is null and work.done_at is null and work.kind = ${EVENT.name}
      and work.body ->> 'inbox' = inbox.id
    where inbox.source = 'chat' and (inbox.event_key in (${eventKey.message(place)}, ${eventKey.deletion(place)})
      or starts_with(inbox.event_key, ${eventKey.edits(place)})
      or starts_with(inbox.event_key, ${eventKey.reactions(place)}))
    order by inbox.received_at desc limit ${EVENTS_SHOWN}`.execute(database.db);
  return rows.toReversed();
}

const WHAT: Record<string, string> = {
  message: 'Written',
  'message-edited': 'Edited',
  'message-deleted': 'Deleted',
  reaction: 'An emoji',
};

function eventLine({ kind, received_at, outcome, dead, error }: MessageEvent): string {
  const what = `${WHAT[kind] ?? 'Something'}, ${moment(received_at)}: `;
  if (outcome === null) {
    if (dead)
      return `${what}it cannot be delivered (${escapeMrkdwn(error ?? 'no reason given')}). *Retry* in its *Ticket actions* tries it again.`;
    const why = error ? ` (${escapeMrkdwn(error)})` : '';
    return `${what}it waits${why}, and is retried automatically.`;
  }
  return `${what}${reasonOf(outcome).says}.`;
}

/** Returns the ticket message of a chat message, if this user may see the ticket. */
async function ticketMessageOf(
  bridge: Bridge,
  place: ChatPlace,
  person: Person,
): Promise<string | undefined> {
  const { db } = bridge.database;
  const conversation = await findByMessage(db, place);
  const ticket = conversation?.ticket_id ? await readTicket(bridge, conversation.ticket_id) : undefined;
  if (!conversation || !ticket) return undefined;
  if (!(await permissionsFor(bridge, ticket, person)).sees) return whyNotReadable(bridge, ticket, person);
  const named = ticketLink(bridge, ticket.code);
  const copy = await findLink(db, place);
  if (!copy)
    return conversation.description_ts === place.ts || conversation.thread_ts === place.ts
      ? `It is what ${named} is about.`
      : undefined;
  const id = `\`${escapeMrkdwn(copy.ticket_message_id)}\``;
  return copy.origin === 'service'
    ? `I posted it for the message ${id} of ${named}, ${WRITTEN_ELSEWHERE}.`
    : `It is the message ${id} of ${named}${copy.deleted ? ', deleted there' : ''}.`;
}

/** For the bot's own messages only the post is stored, no event. */
async function explainUnknown(bridge: Bridge, place: ChatPlace): Promise<string> {
  const { team: team_id, channel: channel_id, ts } = place;
  const post = await bridge.database.db
    .selectFrom('outbox')
    .select('id')
    .where((where) => where.and({ team_id, channel_id, ts }))
    .executeTakeFirst();
  if (post) return `${OWN_POST}.`;
  const links = await bridge.channels.linksOf(place.channel);
  const watched = await observedChannel(bridge.database.db, place);
  return [
    'I have no record of this message.',
    'I receive messages in channels that I am a member of, from when I joined; and I delete these records after a while.',
    links.length === 0 && !watched
      ? `This channel is not linked: \`${bridge.command} link &lt;queue&gt;\` links it and adds me to it.`
      : `Is it still delayed? \`${bridge.command} help why\` says more, and the help desk’s administrators can run \`npx deskbridge doctor\`.`,
  ].join('\n');
}

/**
 * Handles *Why?* and *Retry* in *Ticket actions* of a message, and *Retry* in the failure notice to its author (B54,
 * B55). Everyone who sees the message may press both: at worst, a retry fails again.
 */
export async function pressMessageAction(
  bridge: Bridge,
  ctx: EventContext<EventOf<'action'>>,
): Promise<Done> {
  const { team, user, actionId, value, view, responseUrl } = ctx.event.action;
  const message = messageIn(value);
  if (!message) return ctx.finish('not a message of ours');
  const place = { team, ...message };
  const isWhy = actionId === MESSAGE_ACTIONS.why;
  const text = isWhy ? await explanationText(bridge, place, user) : await retry(bridge, place);
  ctx.afterwards(async () => {
    if (!view) await respond(bridge, responseUrl, { text });
    else await changeModal(bridge, ctx.event, view.id, sayingModal(isWhy ? 'Why?' : 'Retry', text));
  });
  return ctx.finish(isWhy ? 'why was asked' : 'retry was asked');
}

async function explanationText(bridge: Bridge, place: ChatPlace, user: string): Promise<string> {
  try {
    return await explainMessage(bridge, place, await personOf(bridge, place.team, user));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return SERVICE_AWAY;
  }
}

/** Retries the dead letters of a message, like `deskbridge dead-letters retry`. */
async function retry(bridge: Bridge, place: ChatPlace): Promise<string> {
  const ids = await deadLettersOf(bridge, place);
  const retried = ids.length === 0 ? 0 : await bridge.engine.retryDeadLetters(ids);
  return retried === 0
    ? 'Nothing failed for this message. *Why?* in its *Ticket actions* shows how it was handled.'
    : 'Retrying now. The :warning: disappears when it succeeds.';
}
