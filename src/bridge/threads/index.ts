// The conversation: which thread is which ticket's, which message which ticket message, and what crosses in both
// directions. It registers its posts, work and listeners as a feature does, and belongs to the core.

import type { Bridge } from '../bridge.ts';
import { checkOf, type Feature, workOf } from '../feature.ts';
import { EventContext } from '../inbox/event-context.ts';
import { openRequested } from './new-ticket.ts';
import { mirrorTicket } from './mirror-ticket.ts';
import { leaveTicket } from './make-own-ticket.ts';
import { LEAVE, OPEN, posts } from './posts.ts';
import { recordCard, recordCopy, recordThread } from '../tickets/ticket-messages.ts';
import { type BodyOf, CARDED, type Done, keyOfLane, MIRROR, MOVED, POSTED, type Work } from '../work.ts';

export const threads: Feature = {
  posts,
  works: () => [
    checkOf(MIRROR, workMirror),
    workOf(OPEN, workOpen),
    workOf(LEAVE, leaveTicket),
    workOf(POSTED, workPosted),
    checkOf(CARDED, async (bridge, { body }) => {
      await recordCard(bridge, body.conversation);
      return { outcome: 'the service knows the card' };
    }),
    workOf(MOVED, async (bridge, { body }) => {
      await recordThread(bridge, body.conversation, body.replaces);
      return { outcome: 'the service knows the thread' };
    }),
  ],
};

/** The record of this ticket may have changed. */
async function workMirror(bridge: Bridge, work: Work<BodyOf<typeof MIRROR>>): Promise<Done> {
  const { ticket: ticketId } = work.body;
  const ctx = new EventContext(bridge, work, {
    id: null,
    kind: 'mirror',
    event: { ticketId },
    conversationId: keyOfLane(work.lane),
    receivedAt: work.addedAt,
    notice: bridge.hooks.notificationCheck(ticketId),
  });
  return mirrorTicket(bridge, ctx);
}

/** The first message of a ticket was posted. */
async function workOpen(bridge: Bridge, work: Work<BodyOf<typeof OPEN>>): Promise<Done> {
  const ctx = new EventContext(bridge, work, {
    id: null,
    kind: 'open',
    event: work.body.open,
    conversationId: work.body.conversation,
    receivedAt: work.addedAt,
  });
  return openRequested(bridge, ctx);
}

async function workPosted(bridge: Bridge, { body: { link } }: Work<BodyOf<typeof POSTED>>): Promise<Done> {
  await recordCopy(bridge, link);
  return { outcome: 'the service knows the post', write: await bridge.hooks.messagePosted(link) };
}
