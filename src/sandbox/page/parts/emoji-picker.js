import { append, h } from '../dom.js';
import { emojiNode, findEmoji, FIRST, GROUPS, HAS_FONT } from '../emoji.js';
import { openPopup } from './popup.js';

/** Opens an emoji picker at `anchor`; `take` gets the name. Arrow keys move, typing searches. */
export function openEmojiPicker(anchor, take, { end = true } = {}) {
  let picker;
  const grid = h('div', { class: HAS_FONT ? 'emoji-grid' : 'emoji-grid names' });
  const one = (name) =>
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
  const draw = (typed) => {
    grid.replaceChildren();
    if (typed) return append(grid, findEmoji(typed, 48).map(one));
    append(grid, [h('h3', 'Often used'), FIRST.map(one)]);
    for (const { title, emoji } of GROUPS) append(grid, [h('h3', title), emoji.map(([, name]) => one(name))]);
    return undefined;
  };
  const search = h('input', {
    type: 'search',
    placeholder: 'Search emoji',
    'aria-label': 'Search emoji',
    autocomplete: 'off',
    oninput: () => draw(search.value.trim().replaceAll(':', '')),
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
    const at = all.indexOf(document.activeElement);
    const perRow = all.findIndex((node) => node.offsetTop > all[0].offsetTop);
    const row = perRow > 0 ? perRow : all.length;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    (all[at + step] ?? (step < 0 ? search : all.at(-1))).focus();
  });
  draw('');
  picker = openPopup(anchor, h('div.emoji-picker', search, grid), { label: 'Emoji', end });
  search.focus();
}
