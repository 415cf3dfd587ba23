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
 * Draws an element of a block. What is chosen is kept by the surface; with `tells` (everywhere but in input blocks,
 * unless they ask for it) the app hears of it at once.
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
    /** What it is called for those who do not see it. */
    label: label ?? element.accessibility_label ?? element.placeholder?.text ?? 'Choose',
    key: `${block.block_id ?? ''} ${element.action_id ?? ''}`,
    given: surface.given(block, element),
    /** Keeps what was put in. */
    put: (value) => surface.put(block, element, value),
    /** Tells the app of it. */
    tell: (value) => (tells ? surface.act(block, element, value) : undefined),
    /** Both, for what is chosen rather than typed. */
    choose: (value) => {
      surface.put(block, element, value);
      if (tells) surface.act(block, element, value);
    },
    tells,
  };
  const drawn = draw(element, tool);
  return h('span', { class: `element element-${element.type}` }, drawn);
}
