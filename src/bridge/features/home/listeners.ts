import { type Listeners, listener } from '../../inbox/listener.ts';
import { HOME_CALLBACK } from './blocks.ts';
import { openHome, pressHome } from './press.ts';

export const homeListeners: Listeners = (app, bridge) => {
  app.event('app_home_opened', listener(bridge, 'home', openHome));
  app.action({ callback_id: HOME_CALLBACK, action_id: /^home_/ }, listener(bridge, 'action', pressHome));
};
