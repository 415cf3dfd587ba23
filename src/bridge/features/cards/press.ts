import { CARD_ACTIONS, ticketOfControls } from '../../blocks/card.ts';
import { isInAnswer } from '../../blocks/results.ts';
import type { Bridge } from '../../bridge.ts';
import { personOf } from '../../people/people.ts';
import type { ChatAction, ChatShortcut } from '../../slack/interaction.ts';
import {
  assignTo,
  chooseStatus,
  closeOrReopen,
  type ActionAnswer,
  refusalFor,
} from '../../tickets/update-ticket.ts';
import { readTicket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { respond } from '../../slack/respond.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { findByMessage } from '../../store/conversations.ts';
import { findLink } from '../../store/links.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';
import { messageNamed } from '../../tickets/ticket-messages.ts';
import { writeMessage } from '../../threads/append-message.ts';
import { workspaceOfTicket } from '../../tickets/catalogue.ts';
import type { Done } from '../../work.ts';

/** A person pressed a control of a card that changes its ticket at once (B25, B26). */
export async function pressButton(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  return answerInTime(
    bridge,
    ctx,
    (answer) => respond(bridge, action.responseUrl, answer),
    { changes: true, outcome: `button ${action.actionId}`, seen: !isInAnswer(action.blockId) },
    () => changeTicket(bridge, action),
  );
}

async function changeTicket(bridge: Bridge, action: ChatAction): Promise<ActionAnswer> {
  const { team, user, actionId, blockId, value } = action;
  const ticket = await readTicket(bridge, ticketOfControls(blockId) ?? '');
  if (!ticket) return { text: TICKET_GONE, refused: true };
  const person = await personOf(bridge, team, user);
  switch (actionId) {
    case CARD_ACTIONS.assignMe:
      return assignTo(bridge, ticket, person);
    case CARD_ACTIONS.status:
      return chooseStatus(bridge, ticket, person, value);
    default:
      return closeOrReopen(bridge, ticket, person, actionId === CARD_ACTIONS.close ? 'close' : 'reopen');
  }
}

/** *Send to requester* in the menu of an internal note: posts its text as a public reply of the user (B15). */
export async function sendToRequester(bridge: Bridge, ctx: EventContext<EventOf<'shortcut'>>): Promise<Done> {
  const { shortcut } = ctx.event;
  return answerInTime(
    bridge,
    ctx,
    (answer) => respond(bridge, shortcut.responseUrl, answer),
    { changes: true, outcome: 'send to requester' },
    () => send(bridge, ctx, shortcut),
  );
}

const NOT_A_NOTE = {
  text: 'This is not an internal note of a ticket: choose *Send to requester* on a message in the thread of a card where your team works.',
  refused: true,
};

async function send(
  bridge: Bridge,
  ctx: EventContext<unknown>,
  { team, user, message }: ChatShortcut<{ team: string; channel: string; ts: string }>,
): Promise<ActionAnswer> {
  const { db } = bridge.database;
  const conversation = await findByMessage(db, message);
  const link = await findLink(db, message);
  if (!conversation?.ticket_id || conversation.role !== 'triage' || !link) return NOT_A_NOTE;
  const ticket = await readTicket(bridge, conversation.ticket_id);
  if (!ticket) return { text: TICKET_GONE, refused: true };
  const person = await personOf(bridge, team, user);
  const refusal = await refusalFor(bridge, ticket, person, 'reply');
  if (refusal) return refusal;
  const noteId = link.ticket_message_id;
  const note = await messageNamed(bridge, { id: ticket.id, workspaceId: workspaceOfTicket(ticket) }, noteId);
  if (!note || note.deleted) return { text: 'This note was deleted.', refused: true };
  if (!note.private) return { text: 'The requester has this message already.', refused: true };
  // Once per version; an edited note may be sent again.
  const key = `note ${noteId} ${link.version ?? 'not edited'}`;
  await writeMessage(bridge, ctx, ticket.id, person, { kind: 'answer', key, markdown: note.content });
  return { text: 'Sent to the requester as you. The note stays here.' };
}
