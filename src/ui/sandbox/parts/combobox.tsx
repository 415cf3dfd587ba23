import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';

import { Icon } from '../icons.tsx';
import { messageOf } from '../notice.tsx';
import type { Option } from '../types.ts';
import { classNames } from './class-names.ts';
import { placePopup } from './popup.ts';

export interface Choice {
  value: string;
  label: string;
  hint?: string | undefined;
  /** As the app sent it. */
  option?: Option;
}

export interface ChoiceGroup {
  label?: string;
  options: Choice[];
}

interface ComboboxProps {
  label: string;
  placeholder?: string;
  chosen?: readonly Choice[];
  multi?: boolean;
  max?: number | undefined;
  clearable?: boolean;
  /** Minimum number of characters to type. */
  minQuery?: number;
  /** Its list opens when it gets the focus. */
  opensOnFocus?: boolean;
  aria?: object;
  load: (typed: string) => ChoiceGroup[] | Promise<ChoiceGroup[]>;
  /** May reject the choice with `false`. */
  onChange: (chosen: Choice[]) => unknown;
}

/** The content of the list: groups of options, or a sentence. */
type Shown = { groups: ChoiceGroup[] } | { says: string };

/**
 * A text box that chooses from a list (WAI-ARIA combobox): typing filters, arrows move, Enter selects, Escape closes. With
 * `multi`, chosen options are shown before the box and Backspace removes the last.
 */
export function Combobox({
  label,
  placeholder = '',
  chosen = [],
  multi = false,
  max,
  clearable = multi,
  minQuery = 0,
  opensOnFocus = false,
  aria = {},
  load,
  onChange,
}: ComboboxProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const asked = useRef(0);
  const [values, setValues] = useState(chosen);
  const [typed, setTyped] = useState<string>();
  const [shown, setShown] = useState<Shown>();
  const [active, setActive] = useState(-1);
  const [limit, setLimit] = useState('');
  // The app may have changed what is chosen.
  const given = JSON.stringify(chosen);
  const [drawn, setDrawn] = useState(given);
  if (drawn !== given) {
    setDrawn(given);
    setValues(chosen);
  }

  const options = shown && 'groups' in shown ? shown.groups.flatMap((group) => group.options) : [];
  const isOpen = shown !== undefined;
  const isChosen = ({ value }: Choice) => values.some((other) => other.value === value);

  useLayoutEffect(() => {
    const popup = list.current;
    if (!popup || !box.current) return;
    if (isOpen && !popup.matches(':popover-open')) popup.showPopover();
    if (!isOpen && popup.matches(':popover-open')) popup.hidePopover();
    if (isOpen) placePopup(popup, box.current, { wide: true });
  }, [isOpen, shown]);
  useLayoutEffect(() => {
    list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }, [active, shown]);

  const close = () => {
    asked.current += 1;
    setShown(undefined);
    setTyped(undefined);
    setActive(-1);
  };
  const search = async (text: string): Promise<void> => {
    const mine = (asked.current += 1);
    setLimit('');
    if (text.length < minQuery) {
      setShown({ says: minQuery === 1 ? 'Type to search' : `Type at least ${minQuery} letters` });
      return;
    }
    try {
      const answer = load(text);
      if (answer instanceof Promise) setShown({ says: 'Searching…' });
      const groups = await answer;
      if (mine !== asked.current) return;
      const found = groups.flatMap((group) => group.options);
      setShown(found.length === 0 ? { says: 'Nothing matches' } : { groups });
      setActive(found.length === 0 ? -1 : multi ? 0 : Math.max(0, found.findIndex(isChosen)));
    } catch (error) {
      if (mine === asked.current) setShown({ says: messageOf(error) });
    }
  };
  const change = async (next: readonly Choice[]) => {
    setValues(next);
    if ((await onChange([...next])) === false) setValues(values);
  };
  const take = (option: Choice) => {
    if (!multi) {
      close();
      void change([option]);
      return;
    }
    const has = isChosen(option);
    if (!has && max !== undefined && values.length >= max) {
      setLimit(`No more than ${max}`);
      return;
    }
    setTyped(undefined);
    void change(has ? values.filter(({ value }) => value !== option.value) : [...values, option]);
    void search('');
  };
  const openAll = () => {
    if (isOpen) return;
    input.current?.select();
    void search('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'Backspace' && multi && !typed && values.length > 0) {
      void change(values.slice(0, -1));
      return;
    }
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) void search('');
      else if (options.length > 0)
        setActive((active + (key === 'ArrowDown' ? 1 : -1) + options.length) % options.length);
      return;
    }
    if (!isOpen) return;
    if (key === 'Enter') {
      event.preventDefault();
      const option = options[active];
      if (option) take(option);
    } else if (key === 'Escape') {
      // Closes only the list; the dialog around it stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };

  const rowOf = (option: Choice) => {
    const at = options.indexOf(option);
    return (
      <div
        key={option.value}
        className={classNames('combo-option', at === active && 'active')}
        role="option"
        id={`${id}-option-${at}`}
        aria-selected={isChosen(option)}
        onPointerDown={(event) => event.preventDefault()}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => take(option)}
      >
        <span>
          {option.label}
          {option.hint && <small>{option.hint}</small>}
        </span>
        {isChosen(option) && <Icon name="check" />}
      </div>
    );
  };
  const count = options.length === 1 ? '1 choice' : `${options.length} choices`;
  return (
    <span className={classNames('combo', multi && 'multi')}>
      <span
        ref={box}
        className="combo-box"
        onClick={(event) => {
          const { target } = event;
          const isSign = target instanceof Element && target.closest('.icon')?.parentElement === box.current;
          if (target !== box.current && !isSign) return;
          input.current?.focus();
          openAll();
        }}
      >
        <span className="combo-chips">
          {multi &&
            values.map((option) => (
              <span key={option.value} className="combo-chip">
                {option.label}
                <button
                  type="button"
                  aria-label={`Remove ${option.label}`}
                  onClick={() => {
                    void change(values.filter(({ value }) => value !== option.value));
                    input.current?.focus();
                  }}
                >
                  <Icon name="close" />
                </button>
              </span>
            ))}
        </span>
        <input
          ref={input}
          className="combo-input"
          type="text"
          role="combobox"
          autoComplete="off"
          spellCheck={false}
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-activedescendant={isOpen && active >= 0 ? `${id}-option-${active}` : undefined}
          aria-label={label}
          {...aria}
          placeholder={multi && values.length > 0 ? '' : placeholder}
          value={typed ?? (multi ? '' : (values[0]?.label ?? ''))}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            void search(event.currentTarget.value.trim());
          }}
          onClick={openAll}
          onFocus={() => {
            if (opensOnFocus && !isOpen) void search('');
          }}
          onBlur={close}
          onKeyDown={onKeyDown}
        />
        {clearable && values.length > 0 && (
          <button
            type="button"
            className="combo-clear"
            aria-label={`Clear ${label}`}
            onClick={() => void change([])}
          >
            <Icon name="close" />
          </button>
        )}
        <Icon name="down" />
      </span>
      <div
        ref={list}
        className="popup combo-list"
        popover="manual"
        role="listbox"
        id={`${id}-list`}
        aria-label={label}
        aria-multiselectable={multi || undefined}
      >
        {shown && 'says' in shown && <div className="combo-none">{shown.says}</div>}
        {shown &&
          'groups' in shown &&
          shown.groups.map((group, index) =>
            group.label ? (
              <div key={`group ${index}`} role="group" aria-label={group.label}>
                <div className="combo-group" aria-hidden="true">
                  {group.label}
                </div>
                {group.options.map(rowOf)}
              </div>
            ) : (
              group.options.map(rowOf)
            ),
          )}
      </div>
      <span className="visually-hidden" aria-live="polite">
        {limit || (isOpen && count)}
      </span>
    </span>
  );
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
