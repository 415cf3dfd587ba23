import { MESSAGE_ACTIONS } from '../../blocks/modals.ts';
import { type Listeners, listener } from '../../inbox/listener.ts';
import { pressMessageAction } from './explain.ts';

export const deliveryStatusListeners: Listeners = (app, bridge) => {
  for (const id of Object.values(MESSAGE_ACTIONS))
    app.action(id, listener(bridge, 'action', pressMessageAction));
};
