import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

import { emojiOf, Emoji, findEmoji, isPicture } from './emoji.tsx';
import { store } from './store.ts';

interface Suggestion {
  text: string;
  hint?: string | undefined;
  picture?: string;
  sign?: ReactNode;
}

interface Offered {
  options: Suggestion[];
  /** Where the text that is replaced begins. */
  start: number;
}

const BEGUN = /(?:^|\s)([@#])([\w.-]*)$|(?:^|\s)(:)([a-z0-9_+-]{2,})$|^(\/)([\w-]*)$/i;

/**
 * Offers people after `@`, channels after `#`, emoji after `:` and commands after a leading `/`.
 * @param onTaken hears that the text has changed.
 */
export function useSuggestions(
  area: RefObject<HTMLTextAreaElement | null>,
  id: string,
  onTaken: () => void = () => undefined,
) {
  const [offered, setOffered] = useState<Offered>();
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const close = () => setOffered(undefined);
  const look = () => {
    const { value, selectionStart } = area.current ?? { value: '', selectionStart: 0 };
    const before = value.slice(0, selectionStart);
    const match = BEGUN.exec(before);
    const mark = match?.[1] ?? match?.[3] ?? match?.[5];
    const typed = match?.[2] ?? match?.[4] ?? match?.[6] ?? '';
    const options = mark === undefined ? [] : optionsFor(mark, typed.toLowerCase());
    setOffered(options.length === 0 ? undefined : { options, start: before.length - typed.length - 1 });
    setChosen(0);
  };
  const take = ({ text }: Suggestion) => {
    const { current } = area;
    if (!current || !offered) return;
    current.setRangeText(`${text} `, offered.start, current.selectionStart, 'end');
    close();
    onTaken();
    current.focus();
  };
  /** Returns whether the key was meant for the suggestions. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!offered) return false;
    const { options } = offered;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : options.length - 1)) % options.length);
    else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') {
      const option = options[chosen];
      if (option) take(option);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else return false;
    event.preventDefault();
    return true;
  };
  const listId = `${id}-suggestions`;
  const shown = (
    <ul
      ref={list}
      className="suggestions"
      role="listbox"
      id={listId}
      aria-label="Suggestions"
      hidden={!offered}
    >
      {offered?.options.map((option, index) => (
        <li
          key={option.text}
          role="option"
          id={`${listId}-${index}`}
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            take(option);
          }}
        >
          {option.picture && <img src={option.picture} alt="" width={22} height={22} />}
          {option.sign && (
            <span className="suggestion-sign" aria-hidden="true">
              {option.sign}
            </span>
          )}
          <strong>{option.text}</strong>
          {option.hint && <span className="suggestion-hint">{option.hint}</span>}
        </li>
      ))}
    </ul>
  );
  const aria = {
    'aria-controls': listId,
    'aria-autocomplete': 'list' as const,
    'aria-activedescendant': offered ? `${listId}-${chosen}` : undefined,
  };
  return { shown, aria, look, close, onKeyDown };
}

function optionsFor(mark: string, typed: string): Suggestion[] {
  if (mark === '/')
    return store.commands
      .filter(({ command }) => command.slice(1).startsWith(typed))
      .map(({ command, hint }) => ({ text: command, hint }));
  if (mark === ':')
    return findEmoji(typed).map((name) => ({
      text: `:${name}:`,
      sign: isPicture(name) || emojiOf(name) !== `:${name}:` ? <Emoji name={name} /> : undefined,
    }));
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
