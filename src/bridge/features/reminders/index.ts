import type { Feature } from '../../feature.ts';
import { noticesSince } from '../../tickets/own-settings.ts';
import { beginReminders, REMINDER_QUEUE, ReminderPayload, workReminders } from './remind-team.ts';

export { keepReminders, wantedReminders } from './remind-team.ts';

/** Reminds a ticket's team where it works of what is due, late, or snoozed until now. */
export const reminders: Feature = {
  queues: (bridge) => [
    {
      queue: REMINDER_QUEUE,
      concurrency: 2,
      handle: async (job) =>
        workReminders(bridge, job, ReminderPayload.parse(job.payload), await noticesSince(bridge)),
      begin: () => beginReminders(bridge),
    },
  ],
};
