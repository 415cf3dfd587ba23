// Messages that have not reached the other side: ⏳ and ⚠️ on messages that wait or failed, *Why?* and *Retry* (B54,
// B55), and a note on the ticket about what could not be posted.

import { type Feature, roundOf, workOf } from '../../feature.ts';
import {
  nextSweep,
  SWEEP,
  sweepAfter,
  updateDeliveryStatus,
  deliveryStatusPost,
} from './status-reactions.ts';
import { askForReport, reportFailedDelivery, UNDELIVERED } from './report-failed.ts';

export { explainMessage } from './explain.ts';

export const deliveryStatus: Feature = {
  posts: [deliveryStatusPost],
  works: ({ markAfterMs }) => [
    workOf(UNDELIVERED, reportFailedDelivery),
    roundOf(
      SWEEP,
      (bridge) => updateDeliveryStatus(bridge, markAfterMs),
      () => nextSweep(markAfterMs),
    ),
  ],
  begin: (bridge) => bridge.engine.transaction(async (tx) => tx.plan.add(sweepAfter(0))),
  hooks: () => ({ postFailed: askForReport }),
};
