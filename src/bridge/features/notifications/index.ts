// Notifications about a ticket by direct message: one message per check, to the level that the user chose (B43).

import { type Feature, checkOf } from '../../feature.ts';
import { noticePost } from './notice.ts';
import { NOTIFY } from '../../work.ts';
import { notificationCheck, checkNotifications } from './check.ts';

export { chooseNotices } from './blocks.ts';

export const notifications: Feature = {
  posts: [noticePost],
  works: () => [checkOf(NOTIFY, checkNotifications)],
  hooks: (bridge) => ({
    notificationCheck: (ticketId) => notificationCheck(bridge, ticketId),
  }),
};
