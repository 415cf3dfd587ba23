import { sql } from 'kysely';

import { moment } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { reasonOf, rulesOf } from './why-rules.ts';
import { findByMessage } from '../../threads/conversations.ts';
import { type ChatPlace, eventKey } from '../../slack/ids.ts';
import { findLink } from '../../threads/messages.ts';
import { observedChannel } from '../../tickets/watched.ts';
import type { Person } from '../../people/people.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { standingOf } from '../../tickets/standing.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';

/** Maximum number of events shown for a message. */
const TOLD = 8;

/**
 * Explains the bridge's decisions about a chat message (B55): each event, by which rule, when, on which ticket message
 * it is, and what to change. Throws ServiceError, ChatError.
 */
export async function explainMessage(bridge: Bridge, place: ChatPlace, person: Person): Promise<string> {
  const events = await eventsOf(bridge, place);
  const lines = events.map(lineOf);
  const where = await whereItStands(bridge, place, person);
  if (lines.length === 0 && !where) return unheard(bridge, place);
  const changes = events.flatMap(({ outcome }) => (outcome ? (reasonOf(outcome).change ?? []) : []));
  return [
    '*What I made of this message*',
    ...lines.map((line) => `• ${line}`),
    ...(where ? [where] : []),
    ...new Set(changes),
  ].join('\n');
}

interface Told {
  kind: string;
  received_at: Date;
  outcome: string | null;
  done_at: Date | null;
  state: string | null;
  last_error: string | null;
}

/** Returns the events of a message, with what blocks unfinished ones. */
async function eventsOf({ database }: Bridge, place: ChatPlace): Promise<Told[]> {
  const { rows } = await sql<Told>`
    select inbox.kind, inbox.received_at, inbox.outcome, inbox.done_at, job.state, job.last_error
    from inbox left join job on inbox.done_at is null and job.payload ->> 'inbox' = inbox.id
    where inbox.source = 'chat' and (inbox.event_key in (${eventKey.message(place)}, ${eventKey.deletion(place)})
      or starts_with(inbox.event_key, ${eventKey.edits(place)})
      or starts_with(inbox.event_key, ${eventKey.reactions(place)}))
    order by inbox.received_at desc limit ${TOLD}`.execute(database.db);
  return rows.toReversed();
}

const WHAT: Record<string, string> = {
  message: 'Written',
  'message-edited': 'Edited',
  'message-deleted': 'Deleted',
  reaction: 'An emoji',
};

function lineOf({ kind, received_at, outcome, state, last_error }: Told): string {
  const what = `${WHAT[kind] ?? 'Something'}, ${moment(received_at)}: `;
  if (outcome === null) {
    if (state === 'dead')
      return `${what}it can never go through as it is (${escapeChat(last_error ?? 'no reason given')}). *Retry* in its *Ticket actions* tries it again.`;
    const why = last_error ? ` (${escapeChat(last_error)})` : '';
    return `${what}it waits for its turn${why}, and is tried again by itself.`;
  }
  const rules = rulesOf(outcome);
  const rule = rules.length > 0 ? ` (rule ${rules.join(', ')})` : '';
  return `${what}${reasonOf(outcome).says}${rule}.`;
}

/** Returns the ticket message of a chat message, if this user may see the ticket. */
async function whereItStands(bridge: Bridge, place: ChatPlace, person: Person): Promise<string | undefined> {
  const { db } = bridge.database;
  const conversation = await findByMessage(db, place);
  const ticket = conversation?.ticket_id ? await readTicket(bridge, conversation.ticket_id) : undefined;
  if (!conversation || !ticket) return undefined;
  if (!(await standingOf(bridge, ticket, person)).sees) return 'Its ticket is private.';
  const named = ticketLink(bridge, ticket.code);
  const copy = await findLink(db, place);
  if (!copy)
    return conversation.description_ts === place.ts || conversation.thread_ts === place.ts
      ? `It is what ${named} is about.`
      : undefined;
  const id = `\`${escapeChat(copy.ticket_message_id)}\``;
  return copy.origin === 'service'
    ? `I posted it for the message ${id} of ${named}, which was written elsewhere (rule B13).`
    : `It is the message ${id} of ${named}${copy.deleted ? ', deleted there' : ''}.`;
}

/** Returns whether the bot wrote it; nothing else is stored about it. */
async function isPost({ database }: Bridge, { team, channel, ts }: ChatPlace): Promise<boolean> {
  const post = await database.db
    .selectFrom('outbox')
    .select('id')
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('ts', '=', ts)
    .executeTakeFirst();
  return post !== undefined;
}

async function unheard(bridge: Bridge, place: ChatPlace): Promise<string> {
  if (await isPost(bridge, place)) return 'I wrote it myself, and nothing follows from that (rule B16).';
  const links = await bridge.channels.linksOf(place.channel);
  const watched = await observedChannel(bridge.database.db, place);
  return [
    'I was told nothing of this message.',
    'I am told of messages in channels that I am a member of, since I am; and I forget what was done with them after a while.',
    links.length === 0 && !watched
      ? `This channel is not linked: \`${bridge.command} link &lt;queue&gt;\` links it, and brings me in.`
      : `Is it still held up? \`${bridge.command} help why\` says more, and whoever runs the help desk can type \`deskbridge doctor\`.`,
  ].join('\n');
}
