import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf } from '../api/people.ts';
import { useOperation } from '../api/query.ts';
import type { ItemOf, Person, TicketDetail } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { useAwayText } from '../kit/away.tsx';
import styles from './composer.module.css';
import type { Token } from './text-edits.ts';

const MOST = 8;

interface Item {
  key: string;
  sign?: React.ReactNode;
  text: string;
  detail?: string | undefined;
  pick: () => void;
}

interface Around {
  ticket: TicketDetail;
  me: Person | undefined;
  requester: Person | undefined;
  isTeam: boolean;
  onPick: (text: string, mentioned?: { name: string; id: string }) => void;
}

export interface SuggestionsState {
  items: readonly Item[];
  active: number;
  /** Returns whether the key was meant for the suggestions. */
  onKey: (key: string) => boolean;
  point: (index: number) => void;
}

/** All emoji, once one is typed: no page needs them at first. */
function useEmoji(isWanted: boolean) {
  return useQuery({
    queryKey: ['emoji'],
    queryFn: () => import('./emoji.ts').then(({ EMOJI }) => EMOJI),
    enabled: isWanted,
    staleTime: Infinity,
    gcTime: Infinity,
  });
}

/** Suggestions for the text being typed: people after `@`, emoji after `:`, canned replies after `/`. */
export function useSuggestions(token: Token | undefined, around: Around): SuggestionsState {
  const { ticket, me, requester, isTeam, onPick } = around;
  const awayText = useAwayText();
  const place = token && `${token.trigger}${token.from}`;
  const [closed, setClosed] = useState<string>();
  const [at, setAt] = useState({ words: '', index: 0 });
  const isOpen = token !== undefined && closed !== place;
  // At once: Enter picks from what fits to all that was typed, not to what was typed a moment ago.
  const words = (token?.words ?? '').toLocaleLowerCase();
  const searched = useDeferredValue(words);
  const people = useOperation(
    'listUsers',
    { query: { search: searched, limit: 20 } },
    { enabled: isOpen && isTeam && token.trigger === '@', keep: true },
  ).data?.items;
  const replies = useOperation(
    'listCannedReplies',
    { query: { limit: 1000 } },
    { enabled: isOpen && isTeam && token.trigger === '/' },
  ).data?.items;

  const isEmoji = isOpen && token.trigger === ':';
  const { data: emoji, isLoading } = useEmoji(isEmoji);

  async function insertReply(content: string): Promise<void> {
    // Loaded when it is needed: the contract brings the library of its schemas along.
    const { renderCannedReply } = await import('../../../contract/saved/canned-reply-text.ts');
    onPick(
      renderCannedReply(content, {
        'requester.first_name': requester?.firstName ?? '',
        'requester.name': requester ? nameOf(requester) : '',
        'agent.first_name': me?.firstName ?? '',
        'agent.name': me ? nameOf(me) : '',
        'ticket.reference': ticket.code,
        'ticket.title': ticket.title ?? '',
        'queue.name': ticket.queue?.name ?? '',
      }),
    );
  }

  const itemsOf = {
    ':': () => emojiItems(emoji ?? [], words, onPick),
    '@': () =>
      peopleItems([...(requester ? [requester] : []), ...(people ?? [])], { words, awayText, onPick }),
    '/': () => replyItems(replies ?? [], { ticket, words, onPick: (content) => void insertReply(content) }),
  };
  const items = isOpen ? itemsOf[token.trigger]().slice(0, MOST) : [];
  const index = at.words === `${place}${words}` ? Math.min(at.index, items.length - 1) : 0;
  // Enter may come before the emoji are loaded: then it picks as soon as they are.
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined || !emoji) return;
    const [first] = items;
    if (wanted.current === `${place}${words}`) first?.pick();
    wanted.current = undefined;
  });
  const go = (to: number) => setAt({ words: `${place}${words}`, index: (to + items.length) % items.length });
  return {
    items,
    active: index,
    point: go,
    onKey: (key) => {
      if (isEmoji && isLoading && (key === 'Enter' || key === 'Tab')) {
        wanted.current = `${place}${words}`;
        return true;
      }
      if (items.length === 0) return false;
      if (key === 'ArrowDown') go(index + 1);
      else if (key === 'ArrowUp') go(index - 1);
      else if (key === 'Enter' || key === 'Tab') items[index]?.pick();
      else if (key === 'Escape') setClosed(place);
      else return false;
      return true;
    },
  };
}

/** Emoji whose name has what is typed; those that begin with it first. */
function emojiItems(
  emoji: readonly { name: string; sign: string }[],
  words: string,
  onPick: Around['onPick'],
): Item[] {
  return emoji
    .filter(({ name }) => name.includes(words))
    .toSorted((one, other) => Number(other.name.startsWith(words)) - Number(one.name.startsWith(words)))
    .map(({ name, sign }) => ({ key: name, sign, text: `:${name}:`, pick: () => onPick(sign) }));
}

/** People one of whose names begins as what is typed, each once. */
function peopleItems(
  people: readonly Person[],
  {
    words,
    awayText,
    onPick,
  }: Pick<Around, 'onPick'> & { words: string; awayText: ReturnType<typeof useAwayText> },
): Item[] {
  const isNamed = (person: Person) =>
    nameOf(person)
      .toLocaleLowerCase()
      .split(/\s+/)
      .some((name) => name.startsWith(words));
  const known = new Map(people.map((person) => [person.id, person]));
  return [...known.values()]
    .filter((person) => !person.isBot && !person.deactivatedAt && isNamed(person))
    .map((person) => ({
      key: person.id,
      sign: <Avatar person={person} />,
      text: nameOf(person),
      detail: awayText(person),
      pick: () => onPick(`@${nameOf(person)} `, { name: nameOf(person), id: person.id }),
    }));
}

/** Canned replies of the ticket's queue whose shortcut or title has what is typed; that very shortcut first. */
function replyItems(
  replies: readonly ItemOf<'listCannedReplies'>[],
  { ticket, words, onPick }: { ticket: TicketDetail; words: string; onPick: (content: string) => void },
): Item[] {
  return replies
    .filter(
      ({ title, shortcut, queueIds }) =>
        (queueIds.length === 0 || (ticket.queueId !== null && queueIds.includes(ticket.queueId))) &&
        (shortcut.includes(words) || title.toLocaleLowerCase().includes(words)),
    )
    .toSorted((one, other) => Number(other.shortcut === words) - Number(one.shortcut === words))
    .map(({ id, title, shortcut, content }) => ({
      key: id,
      text: title,
      detail: `/${shortcut}`,
      pick: () => onPick(content),
    }));
}

/** The list of suggestions, above the field that keeps the focus. */
export function Suggestions({ id, suggestions }: { id: string; suggestions: SuggestionsState }) {
  const t = useTranslations('ticket');
  const { items, active, point } = suggestions;
  return (
    <>
      {items.length > 0 && (
        <ul className={styles['suggestions']} role="listbox" id={`${id}-list`} aria-label={t('suggestions')}>
          {items.map(({ key, sign, text, detail, pick }, index) => (
            <li
              key={key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onPointerMove={() => index !== active && point(index)}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={pick}
            >
              {sign !== undefined && <span className={styles['sign']}>{sign}</span>}
              <span className={styles['suggestion']}>{text}</span>
              {detail && <span className={styles['detail']}>{detail}</span>}
            </li>
          ))}
        </ul>
      )}
      <span className="visually-hidden" role="status">
        {items.length > 0 ? t('suggestionsCount', { count: items.length }) : ''}
      </span>
    </>
  );
}
