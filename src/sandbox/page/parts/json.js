import { h } from '../dom.js';

/** JSON, folded under its title. */
export function json(value, { title, open = false } = {}) {
  return h(
    'details.json',
    { open },
    h('summary', title),
    h('pre', { tabindex: '0' }, JSON.stringify(value, undefined, 2)),
  );
}
