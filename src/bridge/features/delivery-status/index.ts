// What has not reached the other side: ⏳ and ⚠️ on messages that wait or failed, *Why?* and *Retry* (B54, B55), and a
// note on the ticket about what could not be posted.

import { z } from 'zod';

import { type Feature, jobKind, on } from '../../feature.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { beginReceipts, RECEIPT_QUEUE, sweepReceipts, markCall } from './marks.ts';
import { isMessageAction, pressMessageAction } from './explain.ts';
import { askForReport, reportUndelivered } from './report-undelivered.ts';

export { explainMessage } from './explain.ts';

export const deliveryStatus: Feature = {
  posts: [
    postKind('mark', 'mark', z.object({ ts: z.string() }), (bridge, writer, row, { ts }) =>
      markCall(bridge, writer, row, ts),
    ),
  ],
  jobs: [
    jobKind('undelivered', z.object({ undelivered: z.string() }), (bridge, job, { undelivered }) =>
      reportUndelivered(bridge, job, undelivered),
    ),
  ],
  handlers: [on('action', pressMessageAction, ({ action }) => isMessageAction(action.actionId))],
  queues: (bridge, { markAfterMs }) => [
    {
      queue: RECEIPT_QUEUE,
      concurrency: 1,
      handle: (job) => sweepReceipts(bridge, job, markAfterMs),
      begin: () => beginReceipts(bridge),
    },
  ],
  hooks: () => ({ postFailed: askForReport }),
};
