import { h } from '../dom.ts';
import type { BlockElement, Value } from '../types.ts';
import { agreed } from './buttons.ts';
import { textIn } from './state.ts';
import type { Tool } from './surface.ts';

/** Date, time, and both: the browser's own pickers, with keyboard support and every locale. */
export function dateField(element: BlockElement, tool: Tool): HTMLElement {
  return picker('date', textIn(tool.given), element, tool, (value) => value || null);
}

export function timeField(element: BlockElement, tool: Tool): HTMLElement {
  return picker('time', textIn(tool.given), element, tool, (value) => value || null);
}

export function dateTimeField(element: BlockElement, tool: Tool): HTMLElement {
  const local = tool.given ? localMinute(new Date(Number(tool.given) * 1000)) : '';
  return picker('datetime-local', local, element, tool, (value) =>
    value ? Math.floor(new Date(value).getTime() / 1000) : null,
  );
}

function picker(
  type: string,
  value: string,
  element: BlockElement,
  tool: Tool,
  read: (value: string) => Value,
): HTMLElement {
  return h('input.block-input.block-date', {
    type,
    value,
    'aria-label': tool.label,
    data: { key: tool.key },
    onchange: async (event) => {
      const { currentTarget: target } = event;
      if (await agreed(element)) tool.choose(read(target.value));
      else target.value = value;
    },
  });
}

function localMinute(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
