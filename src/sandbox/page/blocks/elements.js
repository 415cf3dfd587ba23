import { h } from '../dom.js';
import { json } from '../parts/json.js';
import { button, feedback, iconButton } from './buttons.js';
import { checkboxes, radioButtons } from './choices.js';
import { dateField, dateTimeField, timeField } from './pickers.js';
import { overflow, select } from './select.js';
import { picture } from './text.js';
import { fileField, richField, textField } from './typing.js';

const SELECT = /^(multi_)?(static|external|users|conversations|channels)_select$/;

const KINDS = {
  button,
  workflow_button: button,
  icon_button: iconButton,
  feedback_buttons: feedback,
  overflow,
  checkboxes,
  radio_buttons: radioButtons,
  datepicker: dateField,
  timepicker: timeField,
  datetimepicker: dateTimeField,
  plain_text_input: textField,
  email_text_input: textField,
  url_text_input: textField,
  number_input: textField,
  rich_text_input: richField,
  file_input: fileField,
  image: (element) => picture(element),
};

/**
 * Draws an element of a block. The surface holds its value; with `tells` (everywhere but in input blocks
 * without `dispatch_action`) the app is notified at once.
 */
export function drawElement(element, block, surface, { tells = true, label } = {}) {
  const draw = SELECT.test(element.type)
    ? select
    : Object.hasOwn(KINDS, element.type)
      ? KINDS[element.type]
      : undefined;
  if (!draw) return json(element, { title: `Element “${element.type}”, not drawn here` });
  const tool = {
    surface,
    block,
    /** The accessible name. */
    label: label ?? element.accessibility_label ?? element.placeholder?.text ?? 'Choose',
    key: `${block.block_id ?? ''} ${element.action_id ?? ''}`,
    given: surface.given(block, element),
    /** Stores the value. */
    put: (value) => surface.put(block, element, value),
    /** Notifies the app. */
    tell: (value) => (tells ? surface.act(block, element, value) : undefined),
    /** Stores the value and notifies the app, for elements without typing. */
    choose: (value) => {
      surface.put(block, element, value);
      if (tells) surface.act(block, element, value);
    },
    tells,
  };
  const drawn = draw(element, tool);
  return h('span', { class: `element element-${element.type}` }, drawn);
}
