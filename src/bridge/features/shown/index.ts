// What shows tickets beside their own places: previews of links, and cards and lists that somebody shared with a
// channel. It is recorded where it stands, and taken back once not everyone may read the ticket any more.

import { type Feature, workOf } from '../../feature.ts';
import { HIDE, hideTickets, beginWatch, WATCH, watchQueues } from './queues.ts';
import { sharedPost } from './share.ts';
import { planTakingBack, takeBackPost } from './take-back.ts';

export { hiddenPreview, recordShown } from './take-back.ts';
export { planShared, type Shared } from './share.ts';

export const shown: Feature = {
  posts: [sharedPost, takeBackPost],
  works: () => [workOf(WATCH, watchQueues), workOf(HIDE, hideTickets)],
  begin: beginWatch,
  hooks: (bridge) => ({ ticketHidden: (ticketId) => planTakingBack(bridge, ticketId) }),
};
