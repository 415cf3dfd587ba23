import { ACTIONS } from './commands/results.ts';
import { FORM_ACTIONS } from './forms/form-input.ts';
import { CARD_ACTIONS, cardOf } from '../blocks/card.ts';
import { NOTICE_CHOICE } from './notifications/blocks.ts';
import type { Bridge } from '../bridge.ts';
import { type Answer, respond } from '../slack/respond.ts';
import type { EventOf } from '../slack/chat-event.ts';
import type { ChatAction } from '../slack/interaction.ts';
import type { Turn } from '../inbox/turn.ts';
import { personOf } from '../people/people.ts';
import { answerInTime } from '../inbox/answer-in-time.ts';
import { chooseNotices } from './notifications/choose-notices.ts';
import { findTicket } from '../tickets/find-ticket.ts';
import { isInAnswer } from './commands/look.ts';
import { nextObserved } from './observe/command.ts';
import { makeOwnTicket } from '../threads/make-own-ticket.ts';
import { fillDetails, fillManage, fillReply } from './cards/open-modal.ts';
import { isMessageAction, pressMessageAction } from './delivery-status/message-actions.ts';
import { isAskAction, pressAsk } from './approvals/press-ask.ts';
import { changeForm, fillForm, formWanted } from './forms/open-form.ts';
import { isOnHome, pressHome } from './home/press-home.ts';
import { pickTicket } from './commands/pick-ticket.ts';
import { isCardPress, pressCard } from './cards/press-card.ts';
import { listTickets, readPage, sharedList } from './commands/list-tickets.ts';
import { isRating, rateAnswer } from './agents/rate-answer.ts';
import { factsOf } from '../tickets/ticket-facts.ts';

/** A button or a menu: of an answer (B34), or of a card (B25). */
export async function pressButton(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const { action } = turn.event;
  const { actionId } = action;
  if (isOnHome(action)) return pressHome(bridge, turn);
  if (formWanted(turn.event)) return fillForm(bridge, turn);
  if (actionId === FORM_ACTIONS.type || actionId === FORM_ACTIONS.parent) return changeForm(bridge, turn);
  if (actionId === ACTIONS.ownTicket) return makeOwnTicket(bridge, turn);
  if (actionId === ACTIONS.pick) return pickTicket(bridge, turn);
  if (isCardPress(actionId))
    return answerInTime(
      bridge,
      turn,
      (answer) => respond(bridge, action.responseUrl, answer),
      { changes: true, outcome: `B25 ${actionId}`, seen: !isInAnswer(action.blockId) },
      () => pressCard(bridge, action),
    );
  if (isRating(actionId))
    return answerInTime(
      bridge,
      turn,
      (answer) => respond(bridge, action.responseUrl, answer),
      { changes: true, outcome: `B42 ${actionId}` },
      () => rateAnswer(bridge, action),
    );
  if (isMessageAction(actionId)) return pressMessageAction(bridge, turn);
  if (isAskAction(actionId)) return pressAsk(bridge, turn);
  if (actionId === CARD_ACTIONS.manage) return fillManage(bridge, turn);
  if (actionId === CARD_ACTIONS.reply) return fillReply(bridge, turn);
  if (actionId === CARD_ACTIONS.addDetails) return fillDetails(bridge, turn);
  const answer = await answerOf(bridge, action);
  await turn.finish(`button ${actionId}`);
  if (answer) await respond(bridge, action.responseUrl, answer);
}

async function answerOf(
  bridge: Bridge,
  { team, channel, user, actionId, value }: ChatAction,
): Promise<Answer | undefined> {
  if (actionId === NOTICE_CHOICE)
    return { ...(await chooseNotices(bridge, { team, user }, value)), replaces: true };
  const person = await personOf(bridge, team, user);
  if (actionId === ACTIONS.moreResults) {
    const next = readPage(value);
    if (!next) return undefined;
    return { ...(await listTickets(bridge, person, next)), replaces: true };
  }
  if (actionId === ACTIONS.shareResults) {
    const page = readPage(value);
    return page && sharedList(bridge, person, page);
  }
  if (actionId === ACTIONS.moreObserved) {
    const next = await nextObserved(bridge, { team, channel }, value);
    return next && { ...next, replaces: true };
  }
  if (actionId === ACTIONS.share) {
    const found = await findTicket(bridge, value, channel, person);
    if ('refusal' in found) return { text: found.refusal };
    // What only some may see is not shown to a whole channel (B35).
    if (found.ticket.private) return { text: 'This ticket is private: it cannot be shared in a channel.' };
    return { ...cardOf(await factsOf(bridge, found.ticket)), shared: true };
  }
  return undefined;
}
