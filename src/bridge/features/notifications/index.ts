// Notifications about a ticket by direct message: one message per check, to the level that the user chose (B43).

import { type Feature, on } from '../../feature.ts';
import { runClassified } from '../../inbox/classify.ts';
import { respond } from '../../slack/respond.ts';
import { NOTICE_CHOICE, chooseNotices } from './blocks.ts';
import { noticePost } from './notice.ts';
import { notificationCheck, NOTICE_QUEUE, checkNotifications } from './check.ts';

export { chooseNotices } from './blocks.ts';

export const notifications: Feature = {
  posts: [noticePost],
  handlers: [
    on(
      'action',
      async (bridge, ctx) => {
        const { action } = ctx.event;
        const answer = await chooseNotices(bridge, action, action.value);
        await ctx.finish(`button ${action.actionId}`);
        await respond(bridge, action.responseUrl, { ...answer, replaces: true });
      },
      ({ action }) => action.actionId === NOTICE_CHOICE,
    ),
  ],
  queues: (bridge, { concurrency }) => [
    {
      queue: NOTICE_QUEUE,
      concurrency,
      handle: (job) => runClassified(bridge, job, () => checkNotifications(bridge, job)),
    },
  ],
  hooks: (bridge) => ({
    notificationCheck: (ticketId) => notificationCheck(bridge, ticketId),
  }),
};
