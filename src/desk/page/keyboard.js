import { filterBy } from './filter.js';
import { beginEdit } from './parts/edit-ticket.js';
import { goTo, listAddress } from './route.js';
import { change, state } from './state.js';
import { undo } from './write.js';

export const KEYS = [
  ['j', 'next ticket of the list'],
  ['k', 'previous ticket'],
  ['Enter', 'open it'],
  ['/', 'search'],
  ['r', 'reply to the requester'],
  ['n', 'add an internal note'],
  ['e', 'edit title and description'],
  ['z', 'undo your last change'],
  ['c', 'create a ticket'],
  ['u', 'back to the list'],
  ['?', 'this help'],
  ['Ctrl+Enter', 'send what you typed'],
  ['Esc', 'leave a field, close what is open'],
];

const OFF = 'desk-keys-off';
/** Users who dictate, or press keys by accident, can turn them off (WCAG 2.1.4). */
export const single = {
  get on() {
    return localStorage.getItem(OFF) === null;
  },
  set on(value) {
    if (value) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
  },
};

const focus = (selector) => document.querySelector(selector)?.focus();

function step(by) {
  const rows = [...document.querySelectorAll('.row')];
  const held = rows.indexOf(document.activeElement);
  const from = held >= 0 ? held : rows.findIndex(({ dataset }) => dataset.code === state.route.code);
  rows[from < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, from + by))]?.focus();
}

const ACTS = {
  j: () => step(1),
  k: () => step(-1),
  '/': () => focus('#search'),
  r: () => focus('#reply'),
  n: () => focus('#note'),
  e: beginEdit,
  z: () => void undo(),
  c: () => goTo('#/new'),
  u: () => goTo(listAddress(state.filters)),
  '?': () => change({ help: true }),
};

export function keyboard() {
  document.addEventListener('keydown', (event) => {
    // A dialog has its own keys.
    if (!state.session || event.defaultPrevented || document.querySelector('dialog[open]')) return;
    const { target, key } = event;
    const isField = target.matches('input, textarea, select');
    if (key === 'Escape') return escape(target, isField);
    if (isField || event.ctrlKey || event.metaKey || event.altKey || !single.on) return;
    const act = Object.hasOwn(ACTS, key) ? ACTS[key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function escape(target, isField) {
  if (target.id === 'search' && target.value) {
    target.value = '';
    filterBy({ search: undefined });
  } else if (isField) target.blur();
  else if (state.route.name !== 'list') goTo(listAddress(state.filters));
}
