import { h } from '../dom.ts';
import type { BlockElement, Option, Value } from '../types.ts';
import { agreed } from './buttons.ts';
import { idsIn, textIn } from './state.ts';
import type { Tool } from './surface.ts';
import { textObject } from './text.ts';

let groups = 0;

export function checkboxes(element: BlockElement, tool: Tool): HTMLElement {
  const chosen = new Set(idsIn(tool.given));
  return group(element, tool, 'checkbox', chosen, (value, checked) => {
    if (checked) chosen.add(value);
    else chosen.delete(value);
    return (element.options ?? []).map((option) => option.value).filter((each) => chosen.has(each));
  });
}

export function radioButtons(element: BlockElement, tool: Tool): HTMLElement {
  return group(element, tool, 'radio', new Set([textIn(tool.given)]), (value) => value);
}

function group(
  element: BlockElement,
  tool: Tool,
  type: 'checkbox' | 'radio',
  chosen: ReadonlySet<string>,
  next: (value: string, checked: boolean) => Value,
): HTMLElement {
  const name = `choice-${(groups += 1)}`;
  const box = (option: Option) =>
    h('input', {
      type,
      name,
      value: option.value,
      checked: chosen.has(option.value),
      data: { key: `${tool.key} ${option.value}` },
      onchange: async (event) => {
        const { currentTarget: target } = event;
        if (await agreed(element)) tool.choose(next(option.value, target.checked));
        else target.checked = !target.checked;
      },
    });
  return h(
    'span.choices',
    { role: type === 'radio' ? 'radiogroup' : 'group', 'aria-label': tool.label },
    (element.options ?? []).map((option) =>
      h(
        'label.choice',
        box(option),
        h('span', textObject(option.text), option.description && h('small', textObject(option.description))),
      ),
    ),
  );
}
