import { h } from './dom.js';
import { store } from './store.js';

/** Offers people after `@`, channels after `#` and commands after a leading `/`; arrows choose, Enter or Tab takes. */
export function suggest(area, form) {
  const list = h('ul', {
    class: 'suggestions',
    role: 'listbox',
    id: `${area.id}-suggestions`,
    'aria-label': 'Suggestions',
  });
  list.hidden = true;
  form.prepend(list);
  area.setAttribute('aria-controls', list.id);
  area.setAttribute('aria-autocomplete', 'list');
  let options = [];
  let chosen = 0;
  let start = 0;

  const close = () => {
    list.hidden = true;
    options = [];
    area.removeAttribute('aria-activedescendant');
  };
  const take = ({ text }) => {
    area.setRangeText(`${text} `, start, area.selectionStart, 'end');
    close();
    area.dispatchEvent(new Event('input'));
    area.focus();
  };
  const draw = () => {
    list.replaceChildren(
      ...options.map((option, index) =>
        h(
          'li',
          {
            role: 'option',
            id: `${list.id}-${index}`,
            'aria-selected': String(index === chosen),
            onpointerdown: (event) => {
              event.preventDefault();
              take(option);
            },
          },
          h('strong', {}, option.text),
          option.hint && h('span', {}, option.hint),
        ),
      ),
    );
    list.hidden = options.length === 0;
    if (options.length > 0) area.setAttribute('aria-activedescendant', `${list.id}-${chosen}`);
  };

  area.addEventListener('input', () => {
    const before = area.value.slice(0, area.selectionStart);
    const match = /(?:^|\s)([@#])([\w.-]*)$|^(\/)([\w-]*)$/.exec(before);
    if (!match) return close();
    const [, mark = match[3], typed = match[4] ?? ''] = match;
    start = before.length - typed.length - 1;
    options = optionsFor(mark, typed.toLowerCase());
    chosen = 0;
    return draw();
  });
  area.addEventListener('keydown', (event) => {
    if (list.hidden || event.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : options.length - 1)) % options.length;
      draw();
    } else if (event.key === 'Enter' || event.key === 'Tab') take(options[chosen]);
    else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else return;
    event.preventDefault();
  });
  area.addEventListener('blur', close);
}

function optionsFor(mark, typed) {
  if (mark === '/')
    return store.commands
      .filter(({ command }) => command.slice(1).startsWith(typed))
      .map(({ command, hint }) => ({ text: command, hint }));
  if (mark === '#')
    return store
      .visible()
      .filter(({ name }) => name.startsWith(typed))
      .map(({ name }) => ({ text: `#${name}` }));
  return store.people
    .filter(({ name, real_name }) => name.startsWith(typed) || real_name.toLowerCase().startsWith(typed))
    .map(({ name, real_name, is_bot }) => ({ text: `@${name}`, hint: is_bot ? 'app' : real_name }))
    .slice(0, 8);
}
