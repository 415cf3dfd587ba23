import { type ComponentType, createElement, useReducer } from 'react';

import { Json } from '../parts/json.tsx';
import type { BlockElement } from '../types.ts';
import { ButtonElement, FeedbackElement, IconButtonElement } from './buttons.tsx';
import { CheckboxesElement, RadioElement } from './choices.tsx';
import { DateElement, DateTimeElement, TimeElement } from './pickers.tsx';
import { OverflowElement, SelectElement } from './select.tsx';
import type { ElementAria, ElementProps, Placed, Surface, Tool } from './surface.ts';
import { Picture } from './text.tsx';
import { FileElement, RichElement, TextElement } from './typing.tsx';

const SELECT = /^(multi_)?(static|external|users|conversations|channels)_select$/;

const KINDS: Partial<Record<string, ComponentType<ElementProps>>> = {
  button: ButtonElement,
  workflow_button: ButtonElement,
  icon_button: IconButtonElement,
  feedback_buttons: FeedbackElement,
  overflow: OverflowElement,
  checkboxes: CheckboxesElement,
  radio_buttons: RadioElement,
  datepicker: DateElement,
  timepicker: TimeElement,
  datetimepicker: DateTimeElement,
  plain_text_input: TextElement,
  email_text_input: TextElement,
  url_text_input: TextElement,
  number_input: TextElement,
  rich_text_input: RichElement,
  file_input: FileElement,
  image: ({ element }) => <Picture image={element} />,
};

function kindOf({ type }: BlockElement): ComponentType<ElementProps> | undefined {
  if (SELECT.test(type)) return SelectElement;
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

/**
 * Draws an element of a block. The surface holds its value; with `tells` (everywhere but in input blocks without
 * `dispatch_action`) the app is notified at once.
 */
export function Element({
  element,
  block,
  surface,
  tells = true,
  label,
  aria = {},
}: {
  element: BlockElement;
  block: Placed;
  surface: Surface;
  tells?: boolean;
  label?: string;
  aria?: ElementAria;
}) {
  // The surface holds what is typed and chosen, and says nothing of it.
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const Kind = kindOf(element);
  if (!Kind) return <Json value={element} title={`Element “${element.type}”, not drawn here`} />;
  const put: Tool['put'] = (value) => {
    surface.put(block, element, value);
    drawAgain();
  };
  const tool: Tool = {
    surface,
    block,
    label: label ?? element.accessibility_label ?? element.placeholder?.text ?? 'Choose',
    aria,
    given: surface.given(block, element),
    put,
    tell: (value) => (tells ? surface.act(block, element, value) : undefined),
    choose: (value) => {
      put(value);
      if (tells) void surface.act(block, element, value);
    },
    tells,
  };
  return <span className={`element element-${element.type}`}>{createElement(Kind, { element, tool })}</span>;
}
