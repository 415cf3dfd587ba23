// The conversation: which thread is which ticket's, which message which ticket message, and what crosses in both
// directions. It registers its posts, jobs and handlers as a feature does, and belongs to the core.

import { z } from 'zod';

import { transaction } from '../../platform/database/open.ts';
import { SHORTCUTS } from '../blocks/modals.ts';
import { ACTIONS } from '../blocks/results.ts';
import { type Feature, jobKind, on } from '../feature.ts';
import { EventContext } from '../inbox/event-context.ts';
import { OpenRequest } from '../outbox/outbox.ts';
import { refreshPerson } from '../people/people.ts';
import { openRequested, openByShortcut } from '../tickets/new-ticket.ts';
import { makeOwnTicket, forwardMessage } from './forward-message.ts';
import { mirrorTicket } from './mirror-ticket.ts';
import { posts } from './posts.ts';
import { CopyPlace, recordCard, recordCopy, recordThread } from './ticket-messages.ts';
import { forwardDeletion, forwardEdit } from './forward-change.ts';

export const threads: Feature = {
  posts,
  jobs: [
    // The record of this ticket may have changed.
    jobKind('mirror', z.object({ mirror: z.string() }), async (bridge, job, { mirror: ticketId }) => {
      const ctx = new EventContext(bridge, job, {
        id: null,
        kind: 'mirror',
        event: { ticketId },
        conversationId: job.orderingKey,
        receivedAt: job.enqueuedAt,
        notice: bridge.hooks.notificationCheck(ticketId),
      });
      return mirrorTicket(bridge, ctx);
    }),
    // A command's parent message is posted: open its ticket.
    jobKind('open', z.object({ open: OpenRequest, conversation: z.string() }), (bridge, job, payload) =>
      openRequested(
        bridge,
        new EventContext(bridge, job, {
          id: null,
          kind: 'open',
          event: payload.open,
          conversationId: payload.conversation,
          receivedAt: job.enqueuedAt,
        }),
      ),
    ),
    // A message was posted: its place is recorded in the service.
    jobKind(
      'copied',
      z.object({ copied: z.string(), place: CopyPlace.optional() }),
      async (bridge, job, payload) => {
        const { copied, place } = payload;
        await recordCopy(bridge, copied, place);
        const write = await bridge.hooks.messagePosted(copied);
        if (!write) return;
        await transaction(bridge.database.db, async (tx) => {
          await write(tx);
          await job.completeLast(tx);
        });
      },
    ),
    jobKind('carded', z.object({ carded: z.string() }), (bridge, _job, { carded }) =>
      recordCard(bridge, carded),
    ),
    // A conversation goes on in another thread. `replaces` is the place of one that never stood in chat.
    jobKind(
      'moved',
      z.object({ moved: z.string(), replaces: z.string().optional() }),
      (bridge, _job, { moved, replaces }) => recordThread(bridge, moved, replaces),
    ),
  ],
  handlers: [
    on('message', forwardMessage),
    on('message-edited', forwardEdit),
    on('message-deleted', forwardDeletion),
    on('person', refreshPerson),
    on('shortcut', openByShortcut, ({ shortcut }) => shortcut.callbackId === SHORTCUTS.createTicket),
    on('action', makeOwnTicket, ({ action }) => action.actionId === ACTIONS.ownTicket),
  ],
};
