import { append, h } from '../dom.js';
import { icon } from '../icons.js';
import { place } from './popup.js';

let ids = 0;

/**
 * A text box that chooses from a list (WAI-ARIA combobox): typing filters, arrows move, Enter selects, Escape
 * closes. `load(typed)` returns groups `{ label?, options: [{ value, label, hint? }] }`, now or later;
 * `onchange` gets the chosen options and may reject them with `false`. With `multi`, chosen options are shown
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
}) {
  const id = `combo-${(ids += 1)}`;
  let values = [...chosen];
  let options = [];
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
  const change = async (next) => {
    const before = values;
    values = next;
    show();
    if ((await onchange(values)) !== false) return;
    values = before;
    show();
  };
  const chip = (option) =>
    h(
      'span.combo-chip',
      option.label,
      h(
        'button',
        {
          'aria-label': `Remove ${option.label}`,
          onclick: () => {
            change(values.filter(({ value }) => value !== option.value));
            input.focus();
          },
        },
        icon('close'),
      ),
    );
  const take = (option) => {
    const has = values.some(({ value }) => value === option.value);
    if (!multi) {
      close();
      change([option]);
      return;
    }
    if (!has && max !== undefined && values.length >= max) {
      status.textContent = `No more than ${max}`;
      return;
    }
    input.value = '';
    change(has ? values.filter(({ value }) => value !== option.value) : [...values, option]);
    search('');
  };
  const mark = (index) => {
    active = index;
    [...list.querySelectorAll('[role=option]')].forEach((node, at) => {
      node.classList.toggle('active', at === index);
      if (at === index) {
        input.setAttribute('aria-activedescendant', node.id);
        node.scrollIntoView({ block: 'nearest' });
      }
    });
  };
  const draw = (groups) => {
    options = groups.flatMap((group) => group.options);
    let at = 0;
    const row = (option) => {
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
  const say = (text) => {
    options = [];
    list.replaceChildren(h('div.combo-none', text));
    open();
  };
  const search = async (typed) => {
    const mine = (asked += 1);
    if (typed.length < minQuery)
      return say(minQuery === 1 ? 'Type to search' : `Type at least ${minQuery} letters`);
    try {
      const answer = load(typed);
      if (answer instanceof Promise) say('Searching…');
      const groups = await answer;
      if (mine === asked && document.activeElement === input) draw(groups);
    } catch (error) {
      if (mine === asked) say(error.message);
    }
    return undefined;
  };

  input.addEventListener('input', () => search(input.value.trim()));
  input.addEventListener('click', () => {
    if (isOpen()) return;
    input.select();
    search('');
  });
  input.addEventListener('blur', () => {
    asked += 1;
    close();
    // Chosen options are not redrawn: one of them may be the pressed element.
    showText();
  });
  input.addEventListener('keydown', (event) => {
    const { key: pressed } = event;
    if (pressed === 'Backspace' && multi && input.value === '' && values.length > 0)
      return change(values.slice(0, -1));
    if (pressed === 'ArrowDown' || pressed === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen()) return search('');
      const step = pressed === 'ArrowDown' ? 1 : -1;
      return options.length > 0 && mark((active + step + options.length) % options.length);
    }
    if (!isOpen()) return undefined;
    if (pressed === 'Enter') {
      event.preventDefault();
      if (options[active]) take(options[active]);
    } else if (pressed === 'Escape') {
      // Closes only the list; the dialog around it stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
      show();
    }
    return undefined;
  });
  box.addEventListener('click', (event) => {
    if (event.target === box || event.target.closest('.icon')?.parentElement === box) {
      input.focus();
      input.click();
    }
  });
  show();
  return element;
}

/** The options of `groups` whose label contains the typed text; for lists that are known in full. */
export function narrow(groups, typed) {
  const wanted = typed.toLowerCase();
  return groups
    .map((group) => ({
      ...group,
      options: group.options.filter(({ label }) => label.toLowerCase().includes(wanted)),
    }))
    .filter(({ options }) => options.length > 0);
}
