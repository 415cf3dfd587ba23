// Notifications about a ticket by direct message: one message per check, to the level that the user chose (B43).

import { type Feature, on, workOf } from '../../feature.ts';
import { respond } from '../../slack/respond.ts';
import { NOTICE_CHOICE, chooseNotices } from './blocks.ts';
import { noticePost } from './notice.ts';
import { NOTIFY } from '../../work.ts';
import { notificationCheck, checkNotifications } from './check.ts';

export { chooseNotices } from './blocks.ts';

export const notifications: Feature = {
  posts: [noticePost],
  handlers: [
    on(
      'action',
      async (bridge, ctx) => {
        const { action } = ctx.event;
        const answer = await chooseNotices(bridge, action, action.value);
        ctx.afterwards(() => respond(bridge, action.responseUrl, { ...answer, replaces: true }));
        return ctx.finish(`button ${action.actionId}`);
      },
      ({ action }) => action.actionId === NOTICE_CHOICE,
    ),
  ],
  works: () => [workOf(NOTIFY, checkNotifications)],
  hooks: (bridge) => ({
    notificationCheck: (ticketId) => notificationCheck(bridge, ticketId),
  }),
};
