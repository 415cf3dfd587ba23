// Shows tickets outside of their own threads: link previews, and cards and lists that a user shared with a channel.
// Each such post is recorded, and removed once not everyone in the workspace may read the ticket any more.

import { type Feature, roundOf, workOf } from '../../feature.ts';
import {
  nextCheck,
  SHOW_QUEUE,
  startWatching,
  updateShownTickets,
  WATCH_QUEUES,
  watchQueues,
} from './queues.ts';
import { sharedPost } from './share.ts';
import { planTakingBack, takeBackPost } from './take-back.ts';

export { hiddenPreview, recordShown } from './take-back.ts';
export { planShared, type Shared } from './share.ts';

export const shown: Feature = {
  posts: [sharedPost, takeBackPost],
  works: () => [roundOf(WATCH_QUEUES, watchQueues, nextCheck), workOf(SHOW_QUEUE, updateShownTickets)],
  begin: startWatching,
  hooks: (bridge) => ({ ticketHidden: (ticketId) => planTakingBack(bridge, ticketId) }),
};
