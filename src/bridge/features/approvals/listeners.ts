import { type Listeners, listener } from '../../inbox/listener.ts';
import { ASK_ACTIONS, ASK_MODALS, SCORE_ACTIONS } from './blocks.ts';
import { pressAsk, submitAsk } from './press.ts';

export const approvalListeners: Listeners = (app, bridge) => {
  for (const id of [...Object.values(ASK_ACTIONS), ...SCORE_ACTIONS])
    app.action(id, listener(bridge, 'action', pressAsk));
  for (const id of Object.values(ASK_MODALS)) app.view(id, listener(bridge, 'submission', submitAsk));
};
