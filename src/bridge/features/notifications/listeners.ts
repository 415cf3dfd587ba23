import { type Listeners, listener } from '../../inbox/listener.ts';
import { NOTICE_CHOICE } from './blocks.ts';
import { pressChoice } from './choose.ts';

export const notificationListeners: Listeners = (app, bridge) => {
  app.action(NOTICE_CHOICE, listener(bridge, 'action', pressChoice));
};
