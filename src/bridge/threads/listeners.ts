import { SHORTCUTS } from '../blocks/modals.ts';
import { ACTIONS } from '../blocks/results.ts';
import { type Listeners, listener } from '../inbox/listener.ts';
import { refreshPerson } from '../people/people.ts';
import { forwardDeletion, forwardEdit } from './forward-change.ts';
import { forwardMessage } from './forward-message.ts';
import { makeOwnTicket } from './make-own-ticket.ts';
import { openByShortcut } from './new-ticket.ts';

/** Listeners for messages in threads and for the actions that open tickets. */
export const threadListeners: Listeners = (app, bridge) => {
  // The same message comes as both, in either order; whichever comes first is stored (B2).
  app.event('message', listener(bridge, 'message', forwardMessage));
  app.event('app_mention', listener(bridge, 'message', forwardMessage));
  app.event('message', listener(bridge, 'message-edited', forwardEdit));
  app.event('message', listener(bridge, 'message-deleted', forwardDeletion));
  app.event('user_change', listener(bridge, 'person', refreshPerson));
  app.shortcut(SHORTCUTS.createTicket, listener(bridge, 'shortcut', openByShortcut));
  app.action(ACTIONS.ownTicket, listener(bridge, 'action', makeOwnTicket));
};
