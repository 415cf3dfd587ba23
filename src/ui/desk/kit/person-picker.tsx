import { type ReactElement, useDeferredValue, useState } from 'react';

import { nameOf, rememberPeople, usePeople } from '../api/people.ts';
import { useOperation } from '../api/query.ts';
import type { Person } from '../api/types.ts';
import { Avatar } from './avatar.tsx';
import { useAwayText } from './away.tsx';
import { type Option, Picker } from '../../kit/picker.tsx';

/** Chooses people by name: the server is asked for what is typed, and those at hand stand first. */
export function PersonPicker({
  label,
  selected,
  first = [],
  only = 'all',
  apart,
  none,
  ...props
}: {
  label: string;
  selected: readonly string[];
  /** Shown before others, such as oneself. */
  first?: readonly string[];
  /** `team`: only agents and admins. */
  only?: 'all' | 'team';
  /** Two groups, with their headings: some people stand apart from the others. */
  apart?: { isFirst: (person: Person) => boolean; first: string; others: string };
  /** The text for nobody, where that can be chosen. */
  none?: string;
  multiple?: boolean;
  onChange: (ids: string[]) => void;
  children?: ReactElement;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
}) {
  const [typed, setTyped] = useState('');
  const [isOwnOpen, setOwnOpen] = useState(false);
  // A closed picker reads nobody: a page may have many.
  const isShown = !props.children || (props.isOpen ?? isOwnOpen);
  const search = useDeferredValue(typed.trim());
  const { data, isPending, isPlaceholderData } = useOperation(
    'listUsers',
    { query: { search, limit: 30 } },
    { enabled: isShown, keep: true },
  );
  const known = usePeople(isShown ? [...first, ...selected].filter(Boolean) : []);
  const found = (data?.items ?? []).filter(
    ({ role, isBot, deactivatedAt }) =>
      !isBot && !deactivatedAt && (only === 'all' || role === 'agent' || role === 'admin' || role === null),
  );
  const awayText = useAwayText();
  const isWanted = (person: Person) =>
    nameOf(person).toLocaleLowerCase().includes(search.toLocaleLowerCase());
  const people = new Map(
    [...[...first, ...selected].flatMap((id) => known.get(id) ?? []).filter(isWanted), ...found].map(
      (person) => [person.id, person],
    ),
  );
  const shown = [...people.values()];
  const ordered = apart
    ? [...shown.filter(apart.isFirst), ...shown.filter((person) => !apart.isFirst(person))]
    : shown;
  const options: Option[] = ordered.map((person) => {
    // There is room for one of the two beside the name.
    const detail = awayText(person) ?? (person.firstName && person.email);
    return {
      id: person.id,
      text: nameOf(person),
      sign: <Avatar person={person} />,
      ...(apart && { group: apart.isFirst(person) ? apart.first : apart.others }),
      ...(detail && { detail }),
    };
  });
  return (
    <Picker
      {...props}
      label={label}
      selected={selected}
      options={none && !search ? [{ id: '', text: none }, ...options] : options}
      onSearch={setTyped}
      onOpenChange={(isOpen) => {
        setTyped('');
        setOwnOpen(isOpen);
        props.onOpenChange?.(isOpen);
      }}
      isLoading={isPending || isPlaceholderData || search !== typed.trim()}
      onChange={(ids) => {
        rememberPeople(ids.flatMap((id) => people.get(id) ?? []));
        props.onChange(ids);
      }}
    />
  );
}
