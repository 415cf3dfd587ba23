import { h } from '../dom.js';
import { agreed } from './buttons.js';

/** Date, time, and both: the browser's own pickers, with keyboard support and every locale. */
export function dateField(element, tool) {
  return picker('date', tool.given ?? '', element, tool, (value) => value || null);
}

export function timeField(element, tool) {
  return picker('time', tool.given ?? '', element, tool, (value) => value || null);
}

export function dateTimeField(element, tool) {
  const local = tool.given ? localMinute(new Date(Number(tool.given) * 1000)) : '';
  return picker('datetime-local', local, element, tool, (value) =>
    value ? Math.floor(new Date(value).getTime() / 1000) : null,
  );
}

function picker(type, value, element, tool, read) {
  return h('input.block-input.block-date', {
    type,
    value,
    'aria-label': tool.label,
    data: { key: tool.key },
    onchange: async (event) => {
      const { target } = event;
      if (await agreed(element)) tool.choose(read(target.value));
      else target.value = value;
    },
  });
}

function localMinute(date) {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
