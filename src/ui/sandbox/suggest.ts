import { type Child, h } from './dom.ts';
import { emojiNode, findEmoji } from './emoji.ts';
import { store } from './store.ts';

interface Suggestion {
  text: string;
  hint?: string | undefined;
  picture?: string;
  sign?: Child;
}

/** Offers people after `@`, channels after `#`, emoji after `:` and commands after a leading `/`. */
export function suggest(area: HTMLTextAreaElement, form: HTMLFormElement): void {
  const list = h('ul.suggestions', {
    role: 'listbox',
    id: `${area.id}-suggestions`,
    'aria-label': 'Suggestions',
  });
  list.hidden = true;
  form.prepend(list);
  area.setAttribute('aria-controls', list.id);
  area.setAttribute('aria-autocomplete', 'list');
  let options: Suggestion[] = [];
  let chosen = 0;
  let start = 0;

  const close = () => {
    list.hidden = true;
    options = [];
    area.removeAttribute('aria-activedescendant');
  };
  const take = ({ text }: Suggestion) => {
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
          option.picture && h('img', { src: option.picture, alt: '', width: 22, height: 22 }),
          option.sign && h('span.suggestion-sign', { 'aria-hidden': 'true' }, option.sign),
          h('strong', option.text),
          option.hint && h('span.suggestion-hint', option.hint),
        ),
      ),
    );
    list.hidden = options.length === 0;
    if (options.length === 0) return;
    area.setAttribute('aria-activedescendant', `${list.id}-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };

  area.addEventListener('input', () => {
    const before = area.value.slice(0, area.selectionStart);
    const match = /(?:^|\s)([@#])([\w.-]*)$|(?:^|\s)(:)([a-z0-9_+-]{2,})$|^(\/)([\w-]*)$/i.exec(before);
    if (!match) {
      close();
      return;
    }
    const mark = match[1] ?? match[3] ?? match[5];
    const typed = match[2] ?? match[4] ?? match[6] ?? '';
    start = before.length - typed.length - 1;
    options = optionsFor(mark, typed.toLowerCase());
    chosen = 0;
    draw();
  });
  area.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : options.length - 1)) % options.length;
      draw();
    } else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') {
      const option = options[chosen];
      if (option) take(option);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else return;
    event.preventDefault();
  });
  area.addEventListener('blur', close);
}

function optionsFor(mark: string | undefined, typed: string): Suggestion[] {
  if (mark === '/')
    return store.commands
      .filter(({ command }) => command.slice(1).startsWith(typed))
      .map(({ command, hint }) => ({ text: command, hint }));
  if (mark === ':')
    return findEmoji(typed).map((name) => {
      const sign = emojiNode(name);
      return { text: `:${name}:`, sign: sign === `:${name}:` ? undefined : sign };
    });
  if (mark === '#')
    return store
      .visible()
      .filter(({ name }) => name.startsWith(typed))
      .map(({ name }) => ({ text: `#${name}` }));
  return store.people
    .filter(
      ({ name, real_name, deleted }) =>
        !deleted &&
        (name.startsWith(typed) ||
          real_name
            .toLowerCase()
            .split(/\s/)
            .some((part) => part.startsWith(typed))),
    )
    .map(({ id, name, real_name, is_bot }) => ({
      text: `@${name}`,
      hint: is_bot ? 'app' : real_name,
      picture: store.pictureOf(id),
    }))
    .slice(0, 8);
}
