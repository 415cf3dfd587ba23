import { append, h } from '../dom.ts';
import { icon } from '../icons.ts';
import { messageOf } from '../notice.ts';
import type { Option } from '../types.ts';
import { place } from './popup.ts';

let ids = 0;

export interface Choice {
  value: string;
  label: string;
  hint?: string | undefined;
  /** As the app gave it. */
  option?: Option;
}

export interface ChoiceGroup {
  label?: string;
  options: Choice[];
}

interface Combobox {
  label: string;
  placeholder?: string;
  chosen?: readonly Choice[];
  multi?: boolean;
  max?: number | undefined;
  clearable?: boolean;
  minQuery?: number;
  disabled?: boolean;
  key?: string;
  load: (typed: string) => ChoiceGroup[] | Promise<ChoiceGroup[]>;
  /** May reject the choice with `false`. */
  onchange: (chosen: Choice[]) => unknown;
}

/**
 * A text box that chooses from a list (WAI-ARIA combobox): typing filters, arrows move, Enter selects, Escape
 * closes. With `multi`, chosen options are shown
 * before the box and Backspace removes the last.
 */
export function combobox({
  label,
  placeholder = '',
  chosen = [],
  multi = false,
  max,
  clearable = multi,
  minQuery = 0,
  disabled = false,
  key,
  load,
  onchange,
}: Combobox): HTMLElement {
  const id = `combo-${(ids += 1)}`;
  let values = [...chosen];
  let options: Choice[] = [];
  let active = -1;
  let asked = 0;
  const input = h('input.combo-input', {
    type: 'text',
    id,
    role: 'combobox',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': `${id}-list`,
    'aria-label': label,
    disabled,
    data: { key },
  });
  const list = h('div.popup.combo-list', {
    popover: 'manual',
    role: 'listbox',
    id: `${id}-list`,
    'aria-label': label,
    'aria-multiselectable': multi ? 'true' : undefined,
  });
  const status = h('span.only-read', { 'aria-live': 'polite' });
  const clear = h(
    'button.combo-clear',
    { 'aria-label': `Clear ${label}`, onclick: () => change([]) },
    icon('close'),
  );
  const chips = h('span.combo-chips');
  const box = h('span.combo-box', chips, input, clear, icon('down'));
  const element = h('span', { class: multi ? 'combo multi' : 'combo' }, box, list, status);

  const isOpen = () => list.matches(':popover-open');
  const close = () => {
    if (isOpen()) list.hidePopover();
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
    active = -1;
  };
  const showText = () => {
    input.value = multi ? '' : (values[0]?.label ?? '');
  };
  const show = () => {
    chips.replaceChildren(...(multi ? values.map(chip) : []));
    if (!multi) showText();
    input.placeholder = multi && values.length > 0 ? '' : placeholder;
    clear.hidden = !clearable || values.length === 0 || disabled;
  };
  const change = async (next: Choice[]) => {
    const before = values;
    values = next;
    show();
    if ((await onchange(values)) !== false) return;
    values = before;
    show();
  };
  const chip = (option: Choice) =>
    h(
      'span.combo-chip',
      option.label,
      h(
        'button',
        {
          'aria-label': `Remove ${option.label}`,
          onclick: () => {
            void change(values.filter(({ value }) => value !== option.value));
            input.focus();
          },
        },
        icon('close'),
      ),
    );
  const take = (option: Choice) => {
    const has = values.some(({ value }) => value === option.value);
    if (!multi) {
      close();
      void change([option]);
      return;
    }
    if (!has && max !== undefined && values.length >= max) {
      status.textContent = `No more than ${max}`;
      return;
    }
    input.value = '';
    void change(has ? values.filter(({ value }) => value !== option.value) : [...values, option]);
    void search('');
  };
  const mark = (index: number) => {
    active = index;
    [...list.querySelectorAll('[role=option]')].forEach((node, at) => {
      node.classList.toggle('active', at === index);
      if (at === index) {
        input.setAttribute('aria-activedescendant', node.id);
        node.scrollIntoView({ block: 'nearest' });
      }
    });
  };
  const draw = (groups: readonly ChoiceGroup[]) => {
    options = groups.flatMap((group) => group.options);
    let at = 0;
    const row = (option: Choice) => {
      const has = values.some(({ value }) => value === option.value);
      return h(
        'div.combo-option',
        {
          role: 'option',
          id: `${id}-option-${at++}`,
          'aria-selected': String(has),
          onpointerdown: (event) => event.preventDefault(),
          onclick: () => take(option),
        },
        h('span', option.label, option.hint && h('small', option.hint)),
        has && icon('check'),
      );
    };
    list.replaceChildren();
    append(
      list,
      groups.map((group) =>
        group.label
          ? h(
              'div',
              { role: 'group', 'aria-label': group.label },
              h('div.combo-group', { 'aria-hidden': 'true' }, group.label),
              group.options.map(row),
            )
          : group.options.map(row),
      ),
    );
    if (options.length === 0) list.append(h('div.combo-none', 'Nothing matches'));
    status.textContent = options.length === 1 ? '1 choice' : `${options.length} choices`;
    open();
    const held = options.findIndex((option) => values.some(({ value }) => value === option.value));
    mark(options.length === 0 ? -1 : multi ? 0 : Math.max(0, held));
  };
  const open = () => {
    if (!isOpen()) list.showPopover();
    input.setAttribute('aria-expanded', 'true');
    place(list, box, { wide: true });
  };
  const say = (text: string) => {
    options = [];
    list.replaceChildren(h('div.combo-none', text));
    open();
  };
  const search = async (typed: string): Promise<void> => {
    const mine = (asked += 1);
    if (typed.length < minQuery) {
      say(minQuery === 1 ? 'Type to search' : `Type at least ${minQuery} letters`);
      return;
    }
    try {
      const answer = load(typed);
      if (answer instanceof Promise) say('Searching…');
      const groups = await answer;
      if (mine === asked && document.activeElement === input) draw(groups);
    } catch (error) {
      if (mine === asked) say(messageOf(error));
    }
  };

  input.addEventListener('input', () => void search(input.value.trim()));
  input.addEventListener('click', () => {
    if (isOpen()) return;
    input.select();
    void search('');
  });
  input.addEventListener('blur', () => {
    asked += 1;
    close();
    // Chosen options are not redrawn: one of them may be the pressed element.
    showText();
  });
  input.addEventListener('keydown', (event) => {
    const { key: pressed } = event;
    if (pressed === 'Backspace' && multi && input.value === '' && values.length > 0) {
      void change(values.slice(0, -1));
      return;
    }
    if (pressed === 'ArrowDown' || pressed === 'ArrowUp') {
      event.preventDefault();
      const step = pressed === 'ArrowDown' ? 1 : -1;
      if (!isOpen()) void search('');
      else if (options.length > 0) mark((active + step + options.length) % options.length);
      return;
    }
    if (!isOpen()) return;
    if (pressed === 'Enter') {
      event.preventDefault();
      const option = options[active];
      if (option) take(option);
    } else if (pressed === 'Escape') {
      // Closes only the list; the dialog around it stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
      show();
    }
  });
  box.addEventListener('click', (event) => {
    const { target } = event;
    if (target === box || (target instanceof Element && target.closest('.icon')?.parentElement === box)) {
      input.focus();
      input.click();
    }
  });
  show();
  return element;
}

/** The options of `groups` whose label contains the typed text; for lists that are known in full. */
export function narrow(groups: readonly ChoiceGroup[], typed: string): ChoiceGroup[] {
  const wanted = typed.toLowerCase();
  return groups
    .map((group) => ({
      ...group,
      options: group.options.filter(({ label }) => label.toLowerCase().includes(wanted)),
    }))
    .filter(({ options }) => options.length > 0);
}
