import { type Feature, on } from '../../feature.ts';
import { answerAtOnce } from './answer-at-once.ts';
import { FORM_CALLBACK } from './blocks.ts';
import { FORM_ACTIONS } from './form-input.ts';
import { changeForm, fillForm, formWanted, formWindow } from './open-form.ts';
import { submitForm } from './submit-form.ts';

export { FORM_BUTTONS } from './blocks.ts';

const CHANGES: readonly string[] = [FORM_ACTIONS.type, FORM_ACTIONS.parent];
const asksForForm = (event: Parameters<typeof formWanted>[0]) => formWanted(event) !== undefined;

/**
 * The form for new tickets, with the request types and their fields (B37): opened by command, shortcut or button,
 * checked while it is open, kept once it is submitted until it is a ticket.
 */
export const forms: Feature = {
  handlers: [
    on('command', fillForm, asksForForm),
    on('shortcut', fillForm, asksForForm),
    on('global-shortcut', fillForm, asksForForm),
    on('action', fillForm, asksForForm),
    on('action', changeForm, ({ action }) => CHANGES.includes(action.actionId)),
    on('submission', submitForm, ({ submission }) => submission.callbackId === FORM_CALLBACK),
  ],
  window: (_, event) => formWindow(event),
  answer: answerAtOnce,
};
