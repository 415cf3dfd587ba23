import { h } from '../dom.js';
import { agreed } from './buttons.js';
import { textObject } from './text.js';

let groups = 0;

export function checkboxes(element, tool) {
  const chosen = new Set(tool.given ?? []);
  return group(element, tool, 'checkbox', chosen, (value, checked) => {
    if (checked) chosen.add(value);
    else chosen.delete(value);
    return element.options.map((option) => option.value).filter((each) => chosen.has(each));
  });
}

export function radioButtons(element, tool) {
  return group(element, tool, 'radio', new Set([tool.given].filter(Boolean)), (value) => value);
}

function group(element, tool, type, chosen, next) {
  const name = `choice-${(groups += 1)}`;
  const box = (option) =>
    h('input', {
      type,
      name,
      value: option.value,
      checked: chosen.has(option.value),
      data: { key: `${tool.key} ${option.value}` },
      onchange: async (event) => {
        const { target } = event;
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
