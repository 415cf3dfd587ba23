import { type Listeners, listener } from '../../inbox/listener.ts';
import { handleReaction } from './react.ts';

export const reactionListeners: Listeners = (app, bridge) => {
  app.event('reaction_added', listener(bridge, 'reaction', handleReaction));
  app.event('reaction_removed', listener(bridge, 'reaction', handleReaction));
};
