import { type Listeners, listener } from '../../inbox/listener.ts';
import { pressRating, RATING_ACTIONS } from './rate.ts';

export const agentListeners: Listeners = (app, bridge) => {
  for (const id of Object.values(RATING_ACTIONS)) app.action(id, listener(bridge, 'action', pressRating));
};
