// A ticket's card in its thread, its copies for the team and in direct messages, their buttons and modals; and the
// other signs of its state in the thread: the emoji on its first message and the lines that announce changes.

import { sql } from 'kysely';
import { z } from 'zod';

import { CARD_ACTIONS } from '../../blocks/card.ts';
import { MODALS, SHORTCUTS } from '../../blocks/modals.ts';
import { isInAnswer } from '../../blocks/results.ts';
import { type Feature, on } from '../../feature.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { respond } from '../../slack/respond.ts';
import { mirrorCards, CardCopy, planCard, statusPost } from './draw-card.ts';
import { cardWindow, fillActions, fillWindow, opensWindow, refuseModal, submitModal } from './windows.ts';
import { planCopies, cardCall, copyCall } from './send-card.ts';
import { pressCard, sendToRequester } from './press.ts';
import { announceChanges, announcedState, changePost, recordAnnounced } from './changes.ts';

export { endClaims, redrawCards } from './draw-card.ts';
export { cardNotifiesAssignee } from './rules.ts';

const { assignMe, status, close, reopen } = CARD_ACTIONS;
/** What changes a ticket at once. */
const PRESSES: readonly string[] = [assignMe, status, close, reopen];

export const cards: Feature = {
  posts: [
    postKind('card', 'card', z.object({ copy: CardCopy.optional() }), (bridge, writer, row, { copy }) =>
      copy ? copyCall(bridge, writer, row, copy) : cardCall(bridge, writer, row),
    ),
    statusPost,
    changePost,
  ],
  handlers: [
    on(
      'action',
      (bridge, ctx) => {
        const { action } = ctx.event;
        const outcome = `button ${action.actionId}`;
        return answerInTime(
          bridge,
          ctx,
          (answer) => respond(bridge, action.responseUrl, answer),
          { changes: true, outcome, seen: !isInAnswer(action.blockId) },
          () => pressCard(bridge, action),
        );
      },
      ({ action }) => PRESSES.includes(action.actionId),
    ),
    on('action', fillWindow, ({ action }) => opensWindow(action)),
    on('shortcut', fillActions, ({ shortcut }) => shortcut.callbackId === SHORTCUTS.ticketActions),
    on('shortcut', sendToRequester, ({ shortcut }) => shortcut.callbackId === SHORTCUTS.sendToRequester),
    on('submission', submitModal, ({ submission }) =>
      Object.values<string>(MODALS).includes(submission.callbackId),
    ),
  ],
  window: (_, event) => cardWindow(event),
  answer: refuseModal,
  hooks: (bridge) => ({
    ticketOpened: (tx, { conversation, ticket }) => recordAnnounced(tx, conversation, announcedState(ticket)),
    threadStarted: (tx, conversation) => planCard(tx, bridge, conversation),
    ticketChanged: async ({ ticket, conversation: request, copies: existing, begun }) =>
      ticket && planCopies(bridge, begun, ticket, { request, existing }),
    threadChanged: ({ ticket, conversation, visible }) =>
      announceChanges(bridge, ticket, conversation, visible),
    readWith: () => ({ card: sql`(select to_json(card) from card where conversation_id = conversation.id)` }),
    threadsMirrored: (changed) => mirrorCards(bridge, changed),
  }),
};
