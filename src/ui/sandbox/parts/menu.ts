import { type Child, focused, h } from '../dom.ts';
import { openPopup, type Popup } from './popup.ts';

export type MenuItem =
  'line' | { label: string; sign?: Child; hint?: string | undefined; danger?: boolean; act: () => unknown };

interface MenuOptions {
  label: string;
  end?: boolean | undefined;
}

/**
 * Opens a menu at a button; the item `'line'` is a divider. Arrows, Home, End and first letters move, Enter and
 * Space choose, Escape closes.
 */
function openMenu(button: HTMLElement, items: readonly MenuItem[], { label, end = true }: MenuOptions): void {
  const rows = items.map((item) =>
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
          item.sign !== undefined && h('span.menu-sign', { 'aria-hidden': 'true' }, item.sign),
          h('span.menu-label', item.label),
          item.hint && h('span.menu-hint', item.hint),
        ),
  );
  const list = h('div.menu', { role: 'menu', 'aria-label': label }, rows);
  list.addEventListener('keydown', (event) => move(event, list));
  button.setAttribute('aria-expanded', 'true');
  const menu: Popup = openPopup(button, list, {
    label,
    end,
    onclose: () => button.setAttribute('aria-expanded', 'false'),
  });
  list.querySelector<HTMLElement>('[role=menuitem]')?.focus();
}

function move(event: KeyboardEvent, list: HTMLElement): void {
  const all = [...list.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = all.findIndex((item) => item === focused());
  const to = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at + all.length - 1) % all.length,
    Home: 0,
    End: all.length - 1,
  }[event.key];
  const typed = event.key.toLowerCase();
  const letter =
    event.key.length === 1 && event.key !== ' '
      ? all.findIndex((item) =>
          item.querySelector('.menu-label')?.textContent.toLowerCase().startsWith(typed),
        )
      : -1;
  const target = to ?? (letter >= 0 ? letter : undefined);
  if (target === undefined) return;
  event.preventDefault();
  all[target]?.focus();
}

/** A button that opens a menu; `items` is called when it opens. */
export function menuButton({
  label,
  sign,
  className = 'icon-button',
  key,
  items,
  end,
}: MenuOptions & {
  sign: Child;
  className?: string;
  key?: string;
  items: () => readonly MenuItem[];
}): HTMLElement {
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
    sign,
  );
}
