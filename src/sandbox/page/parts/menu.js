import { h } from '../dom.js';
import { icon } from '../icons.js';
import { openPopup } from './popup.js';

/**
 * Opens a menu at a button. An item is `{ label, sign, hint, danger, act }`; `undefined` items are left out
 * and `'line'` is a divider. Arrows, Home, End and first letters move, Enter and Space choose, Escape closes.
 */
export function openMenu(button, items, { label, end = true } = {}) {
  let menu;
  const rows = items.filter(Boolean).map((item) =>
    item === 'line'
      ? h('hr.menu-line')
      : h(
          'button',
          {
            role: 'menuitem',
            tabindex: '-1',
            class: item.danger ? 'menu-item danger' : 'menu-item',
            onclick: () => {
              menu.close();
              item.act();
            },
          },
          item.sign !== undefined && h('span.menu-sign', { 'aria-hidden': 'true' }, sign(item.sign)),
          h('span.menu-label', item.label),
          item.hint && h('span.menu-hint', item.hint),
        ),
  );
  const list = h('div.menu', { role: 'menu', 'aria-label': label }, rows);
  list.addEventListener('keydown', (event) => move(event, list));
  button.setAttribute('aria-expanded', 'true');
  menu = openPopup(button, list, {
    label,
    end,
    onclose: () => button.setAttribute('aria-expanded', 'false'),
  });
  list.querySelector('[role=menuitem]')?.focus();
  return menu;
}

function sign(what) {
  return what instanceof Node || !/^[a-z]+$/.test(what) ? what : icon(what);
}

function move(event, list) {
  const all = [...list.querySelectorAll('[role=menuitem]')];
  const at = all.indexOf(document.activeElement);
  const to = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at + all.length - 1) % all.length,
    Home: 0,
    End: all.length - 1,
  }[event.key];
  const letter =
    event.key.length === 1 && event.key !== ' '
      ? all.findIndex((item) =>
          item.querySelector('.menu-label').textContent.toLowerCase().startsWith(event.key.toLowerCase()),
        )
      : -1;
  const target = to ?? (letter >= 0 ? letter : undefined);
  if (target === undefined) return;
  event.preventDefault();
  all[target]?.focus();
}

/** A button that opens a menu; `items` is called when it opens. */
export function menuButton({ label, sign: what, className = 'icon-button', key, items, end }) {
  // A press on the button of an open menu closes it like a press elsewhere, and must not reopen it.
  let wasOpen = false;
  return h(
    'button',
    {
      class: className,
      title: label,
      'aria-label': label,
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      data: { key: key ?? label },
      onpointerdown: (event) => {
        wasOpen = event.currentTarget.getAttribute('aria-expanded') === 'true';
      },
      onclick: (event) => {
        if (!wasOpen) openMenu(event.currentTarget, items(), { label, end });
        wasOpen = false;
      },
    },
    sign(what),
  );
}
