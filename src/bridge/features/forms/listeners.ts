import { SHORTCUTS } from '../../blocks/modals.ts';
import { type Listeners, listener } from '../../inbox/listener.ts';
import { asksForForm } from '../../tickets/command-rules.ts';
import { FORM_ACTIONS, FORM_BUTTONS, FORM_CALLBACK } from './blocks.ts';
import { changeForm, fillForm } from './open-form.ts';
import { submitForm } from './submit-form.ts';

export const formListeners: Listeners = (app, bridge) => {
  app.command(
    /^/,
    listener(bridge, 'command', fillForm, ({ command }) => asksForForm(command.escaped)),
  );
  app.shortcut(SHORTCUTS.fillForm, listener(bridge, 'shortcut', fillForm));
  app.shortcut(SHORTCUTS.newTicket, listener(bridge, 'global-shortcut', fillForm));
  for (const id of Object.values(FORM_BUTTONS)) app.action(id, listener(bridge, 'action', fillForm));
  // Other questions follow from these answers.
  for (const id of [FORM_ACTIONS.type, FORM_ACTIONS.parent])
    app.action(id, listener(bridge, 'action', changeForm));
  app.view(FORM_CALLBACK, listener(bridge, 'submission', submitForm));
};
