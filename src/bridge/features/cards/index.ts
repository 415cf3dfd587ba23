// A ticket's card in its thread, its copies for the team and in direct messages, their buttons and modals; and the
// other signs of its state in the thread: the emoji on its first message and the lines that announce changes.

import { sql } from 'kysely';
import { z } from 'zod';

import { type Feature, workOf } from '../../feature.ts';
import { messageKind } from '../../outbox/post-kind.ts';
import { mirrorCards, CardCopy, statusPost } from './draw-card.ts';
import { planCard, redrawCards } from './redraw.ts';
import { endPromise, PROMISE } from './promise.ts';
import { unnameSimilar } from './similar.ts';
import { planCopies, cardCall, copyCall } from './send-card.ts';
import { announceChanges, announcedState, changePost, recordAnnounced } from './changes.ts';

export { endClaims, redrawCards } from './redraw.ts';
export { cardNotifiesAssignee } from './rules.ts';

export const cards: Feature = {
  posts: [
    messageKind('card', 'card', z.object({ copy: CardCopy.optional() }), (bridge, writer, row, { copy }) =>
      copy ? copyCall(bridge, writer, row, copy) : cardCall(bridge, writer, row),
    ),
    statusPost,
    changePost,
  ],
  works: () => [workOf(PROMISE, endPromise)],
  hooks: (bridge) => ({
    ticketOpened: (tx, { conversation, ticket }) => recordAnnounced(tx, conversation, announcedState(ticket)),
    threadStarted: async (tx, conversation) => {
      await planCard(tx, bridge, conversation);
      // The team's card leads there.
      if (conversation.ticket_id !== null) await redrawCards(tx, bridge, conversation.ticket_id);
    },
    ticketChanged: async ({ ticket, conversation: request, copies: existing, begun }) => {
      if (!ticket) return undefined;
      const planned = await planCopies(bridge, begun, ticket, { request, existing });
      const unnamed = ticket.mergedIntoId ? await unnameSimilar(bridge, ticket.id) : undefined;
      return async (tx) => {
        await planned?.(tx);
        await unnamed?.(tx);
      };
    },
    ticketHidden: (ticketId) => unnameSimilar(bridge, ticketId),
    threadChanged: ({ ticket, conversation, visible }) =>
      announceChanges(bridge, ticket, conversation, visible),
    readWith: () => ({ card: sql`(select to_json(card) from card where conversation_id = conversation.id)` }),
    threadsMirrored: (changed) => mirrorCards(bridge, changed),
  }),
};
