// Messages that have not reached the other side: ⏳ and ⚠️ on messages that wait or failed, *Why?* and *Retry* (B54, B55), and a
// note on the ticket about what could not be posted.

import { z } from 'zod';

import { type Feature, jobKind, on } from '../../feature.ts';
import {
  scheduleDeliveryStatus,
  DELIVERY_STATUS_QUEUE,
  updateDeliveryStatus,
  deliveryStatusPost,
} from './status-reactions.ts';
import { isMessageAction, pressMessageAction } from './explain.ts';
import { askForReport, reportFailedDelivery } from './report-failed.ts';

export { explainMessage } from './explain.ts';

export const deliveryStatus: Feature = {
  posts: [deliveryStatusPost],
  jobs: [
    jobKind('undelivered', z.object({ undelivered: z.string() }), (bridge, job, { undelivered }) =>
      reportFailedDelivery(bridge, job, undelivered),
    ),
  ],
  handlers: [on('action', pressMessageAction, ({ action }) => isMessageAction(action.actionId))],
  queues: (bridge, { markAfterMs }) => [
    {
      queue: DELIVERY_STATUS_QUEUE,
      concurrency: 1,
      handle: (job) => updateDeliveryStatus(bridge, job, markAfterMs),
      begin: () => scheduleDeliveryStatus(bridge),
    },
  ],
  hooks: () => ({ postFailed: askForReport }),
};
