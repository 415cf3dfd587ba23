import { CARD_ACTIONS } from '../../blocks/card.ts';
import { MODALS, SHORTCUTS } from '../../blocks/modals.ts';
import { type Listeners, listener } from '../../inbox/listener.ts';
import { pressButton, sendToRequester } from './press.ts';
import { fillActions, fillWindow, submitModal, WINDOW_ACTIONS } from './windows.ts';

const { assignMe, status, close, reopen } = CARD_ACTIONS;

export const cardListeners: Listeners = (app, bridge) => {
  // These change a ticket at once.
  for (const id of [assignMe, status, close, reopen]) app.action(id, listener(bridge, 'action', pressButton));
  for (const id of WINDOW_ACTIONS) app.action(id, listener(bridge, 'action', fillWindow));
  app.shortcut(SHORTCUTS.ticketActions, listener(bridge, 'shortcut', fillActions));
  app.shortcut(SHORTCUTS.sendToRequester, listener(bridge, 'shortcut', sendToRequester));
  for (const id of Object.values(MODALS)) app.view(id, listener(bridge, 'submission', submitModal));
};
