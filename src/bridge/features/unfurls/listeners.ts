import { type Listeners, listener } from '../../inbox/listener.ts';
import { unfurlLinks } from './unfurl.ts';

export const unfurlListeners: Listeners = (app, bridge) => {
  app.event('link_shared', listener(bridge, 'link', unfurlLinks));
};
