import { priority } from '../../../contract/index.ts';
import type { Bridge } from '../../bridge.ts';
import { plan } from '../../outbox/outbox.ts';
import { matchName } from '../../tickets/match-name-rules.ts';
import type { EmojiChange } from '../../blocks/emoji.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { type Conversation, placeOf } from '../../threads/conversations.ts';
import { type Person, personOf } from '../../people/people.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { readTicket, type Ticket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { actOfStatus, refusalFor } from '../../tickets/act.ts';
import { updateTicket } from '../../tickets/update-ticket.ts';
import { mayUseEmoji } from '../../tickets/way-in.ts';

/** The error, for the user; undefined if it is done, or already was. */
type Refusal = string | undefined;

/**
 * Handles an emoji that changes tickets, on a ticket's parent message (B1, B5): the effect is visible on the card, an
 * error is sent to the user. Permissions are those of the card.
 */
export async function reactToChange(
  bridge: Bridge,
  turn: Turn<EventOf<'reaction'>>,
  { conversation, ticketId, change }: { conversation: Conversation; ticketId: string; change: EmojiChange },
): Promise<void> {
  const { place, user } = turn.event;
  const home = await bridge.channels.of(place.channel);
  if (!home?.linked) return turn.finish('B5 the channel is not linked');
  const refusal = (await mayUseEmoji(bridge, home, { team: place.team, user }))
    ? await changeTicket(bridge, ticketId, await personOf(bridge, place.team, user), change)
    : FOR_THE_TEAM;
  if (refusal === undefined) return turn.finish(`B1 reaction: ${change.kind}`);
  return turn.finish(`B1 reaction: ${change.kind} refused`, (tx) =>
    plan(tx, bridge, { ...placeOf(conversation), channel: place.channel }, [
      { kind: 'whisper', user, text: refusal, thread: place.ts },
    ]),
  );
}

const FOR_THE_TEAM =
  'Nothing was changed: in this channel only the help desk’s team changes tickets by emoji. Write in the thread instead.';

async function changeTicket(
  bridge: Bridge,
  ticketId: string,
  person: Person,
  change: EmojiChange,
): Promise<Refusal> {
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return TICKET_GONE;
  switch (change.kind) {
    case 'status':
      return changeStatus(bridge, ticket, person, change.status);
    case 'priority': {
      const wanted = priority.safeParse(change.priority).data;
      if (wanted === undefined) return misconfigured('priority', change.priority);
      const refusal = await refusalFor(bridge, ticket, person, 'priority');
      if (refusal) return refusal.text;
      return update(bridge, ticket, person, { priority: wanted });
    }
    case 'assign-me': {
      const refusal = await refusalFor(bridge, ticket, person, 'assign');
      if (refusal) return refusal.text;
      if (person.user_id === null)
        return `The help desk’s service does not know you as a user yet. Ask an admin to link your account.`;
      return update(bridge, ticket, person, { assigneeId: person.user_id });
    }
  }
}

async function changeStatus(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  wanted: string,
): Promise<Refusal> {
  const statuses = await bridge.statuses.of(ticket);
  const match = matchName(wanted, statuses);
  const status =
    statuses.find(({ id }) => id === wanted) ?? (match && 'found' in match ? match.found : undefined);
  if (!status) return misconfigured('status', wanted);
  const refusal = await refusalFor(bridge, ticket, person, actOfStatus(ticket, status));
  return refusal ? refusal.text : update(bridge, ticket, person, { statusId: status.id });
}

type Data = Parameters<Bridge['service']['updateTicket']>[0]['body']['data'];

/** Writes only what differs from the record. */
async function update(bridge: Bridge, ticket: Ticket, person: Person, data: Data): Promise<undefined> {
  const record: Record<string, unknown> = ticket;
  if (Object.entries(data).some(([field, value]) => record[field] !== value))
    await updateTicket(bridge, person.user_id, ticket.id, data);
}

function misconfigured(what: string, value: string): string {
  return `Nothing was changed: the workspace’s emoji names the ${what} “${escapeChat(value)}”, which is not there for this ticket. Whoever runs the help desk can change it in the workspace’s \`chatEmojiActions\`.`;
}
