// Questions to one person in their direct messages: may this be approved (B39), how was it (B40).

import { type Feature, on } from '../../feature.ts';
import { askPost } from './asks.ts';
import { askModal, isAskAction, pressAsk, isAskModal, submitAsk } from './press.ts';

export { planAsks } from './asks.ts';

export const approvals: Feature = {
  posts: [askPost],
  handlers: [
    on('action', pressAsk, ({ action }) => isAskAction(action.actionId)),
    on('submission', submitAsk, ({ submission }) => isAskModal(submission.callbackId)),
  ],
  window: async (bridge, event) => (event.kind === 'action' ? askModal(bridge, event.action) : undefined),
};
