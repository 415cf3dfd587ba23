import { append, focused, h } from '../dom.ts';
import { emojiNode, findEmoji, FIRST, GROUPS, HAS_FONT } from '../emoji.ts';
import { openPopup, type Popup } from './popup.ts';

/** Opens an emoji picker at `anchor`; `take` gets the name. Arrow keys move, typing searches. */
export function openEmojiPicker(
  anchor: HTMLElement,
  take: (name: string) => unknown,
  { end = true } = {},
): void {
  const grid = h('div', { class: HAS_FONT ? 'emoji-grid' : 'emoji-grid names' });
  const one = (name: string) =>
    h(
      'button.emoji-choice',
      {
        title: `:${name}:`,
        'aria-label': name.replaceAll('_', ' '),
        onclick: () => {
          picker.close();
          take(name);
        },
      },
      emojiNode(name),
    );
  const draw = (typed: string) => {
    grid.replaceChildren();
    if (typed) {
      append(grid, findEmoji(typed, 48).map(one));
      return;
    }
    append(grid, [h('h3', 'Often used'), FIRST.map(one)]);
    for (const { title, emoji } of GROUPS)
      append(grid, [h('h3', title), emoji.map(([, name]) => name && one(name))]);
  };
  const search = h('input', {
    type: 'search',
    placeholder: 'Search emoji',
    'aria-label': 'Search emoji',
    autocomplete: 'off',
    oninput: (event) => draw(event.currentTarget.value.trim().replaceAll(':', '')),
    onkeydown: (event) => {
      const first = grid.querySelector('button');
      if (event.key === 'ArrowDown') first?.focus();
      else if (event.key === 'Enter') first?.click();
      else return;
      event.preventDefault();
    },
  });
  grid.addEventListener('keydown', (event) => {
    const all = [...grid.querySelectorAll('button')];
    const at = all.findIndex((node) => node === focused());
    const top = all[0]?.offsetTop ?? 0;
    const perRow = all.findIndex((node) => node.offsetTop > top);
    const row = perRow > 0 ? perRow : all.length;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    (all[at + step] ?? (step < 0 ? search : all.at(-1)))?.focus();
  });
  draw('');
  const picker: Popup = openPopup(anchor, h('div.emoji-picker', search, grid), { label: 'Emoji', end });
  search.focus();
}
