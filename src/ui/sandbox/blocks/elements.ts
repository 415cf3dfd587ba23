import { type Child, h } from '../dom.ts';
import type { BlockElement } from '../types.ts';
import { json } from '../parts/json.ts';
import { button, feedback, iconButton } from './buttons.ts';
import { checkboxes, radioButtons } from './choices.ts';
import { dateField, dateTimeField, timeField } from './pickers.ts';
import { overflow, select } from './select.ts';
import type { Placed, Surface, Tool } from './surface.ts';
import { picture } from './text.ts';
import { fileField, richField, textField } from './typing.ts';

const SELECT = /^(multi_)?(static|external|users|conversations|channels)_select$/;

const KINDS: Partial<Record<string, (element: BlockElement, tool: Tool) => Child>> = {
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
export function drawElement(
  element: BlockElement,
  block: Placed,
  surface: Surface,
  { tells = true, label }: { tells?: boolean; label?: string } = {},
): HTMLElement {
  const draw = SELECT.test(element.type)
    ? select
    : Object.hasOwn(KINDS, element.type)
      ? KINDS[element.type]
      : undefined;
  if (!draw) return json(element, { title: `Element “${element.type}”, not drawn here` });
  const tool: Tool = {
    surface,
    block,
    label: label ?? element.accessibility_label ?? element.placeholder?.text ?? 'Choose',
    key: `${block.block_id ?? ''} ${element.action_id ?? ''}`,
    given: surface.given(block, element),
    put: (value) => surface.put(block, element, value),
    tell: (value) => (tells ? surface.act(block, element, value) : undefined),
    choose: (value) => {
      surface.put(block, element, value);
      if (tells) void surface.act(block, element, value);
    },
    tells,
  };
  const drawn = draw(element, tool);
  return h('span', { class: `element element-${element.type}` }, drawn);
}
