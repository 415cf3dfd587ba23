import { Check } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Button as Pressable } from 'react-aria-components/Button';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem, ListBoxSection, Header } from 'react-aria-components/ListBox';
import { SearchField } from 'react-aria-components/SearchField';

import { useFirstChoice } from './first-choice.ts';
import type { Option, PickerProps } from './types.ts';
import styles from './picker.module.css';
import { useWords } from './words.ts';

/** The search field and the list of a picker. */
export function Choices({
  label,
  options,
  selected,
  multiple = false,
  onChange,
  onSearch,
  isLoading = false,
  onCreate,
  close,
}: Omit<PickerProps, 'children' | 'isOpen' | 'onOpenChange'> & { close: () => void }) {
  const words = useWords();
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // The search field keeps the focus; a list that scrolls can be reached by itself as well. After the list is there:
  // Autocomplete does not move through one that has a tabindex of its own.
  useEffect(() => list.current?.setAttribute('tabindex', '0'), []);
  const groups = Map.groupBy(options, ({ group }) => group ?? '');
  const canCreate = onCreate && text.trim() && !options.some((option) => option.text === text.trim());
  const pick = (ids: string[]) => {
    onChange(ids);
    if (!multiple) close();
  };
  const chooseFirst = () => {
    const [first] = options;
    if (!first) return;
    const others = multiple ? selected.filter((id) => id !== first.id) : [];
    // Choosing one of several again takes it back.
    pick(multiple && selected.includes(first.id) ? others : [...others, first.id]);
  };
  const onKey = useFirstChoice({ field, list }, { text, isLoading, choose: chooseFirst });
  return (
    <Autocomplete
      {...(!onSearch && { filter: contains })}
      inputValue={text}
      onInputChange={(value) => {
        setText(value);
        onSearch?.(value);
      }}
    >
      <SearchField aria-label={label} autoFocus className={styles['search'] ?? ''}>
        <Input ref={field} className={styles['input'] ?? ''} placeholder={label} onKeyDownCapture={onKey} />
      </SearchField>
      <ListBox
        ref={list}
        aria-label={label}
        className={styles['list'] ?? ''}
        // Escape closes the list; it does not take the choice back.
        escapeKeyBehavior="none"
        selectionMode={multiple ? 'multiple' : 'single'}
        selectedKeys={selected.map((id) => id || NONE)}
        onSelectionChange={(keys) => {
          if (keys === 'all') return;
          const ids = [...keys].map(String).map((id) => (id === NONE ? '' : id));
          // Pressing the chosen one again chooses it, it does not leave nothing.
          pick(!multiple && ids.length === 0 ? [...selected] : ids);
        }}
        renderEmptyState={() => (
          <p className={styles['empty']}>{isLoading ? words.loading : words.nothingFound}</p>
        )}
      >
        {[...groups].map(([group, items]) => (
          // A section and an option may not have the same key.
          <ListBoxSection key={group} id={`section ${group}`} className={styles['section'] ?? ''}>
            {saysMore(group, items) && <Header className={styles['group'] ?? ''}>{group}</Header>}
            {items.map((option) => (
              <ListBoxItem
                key={option.id}
                id={option.id || NONE}
                textValue={`${option.text} ${option.detail ?? ''}`}
                className={styles['item'] ?? ''}
              >
                {({ isSelected }) => (
                  <>
                    {option.sign && <span className={styles['sign']}>{option.sign}</span>}
                    <span className={styles['text']}>{option.text}</span>
                    {option.detail && <span className={styles['detail']}>{option.detail}</span>}
                    {isSelected && <Check size={14} aria-hidden />}
                  </>
                )}
              </ListBoxItem>
            ))}
          </ListBoxSection>
        ))}
      </ListBox>
      {canCreate && (
        <Pressable
          className={styles['create'] ?? ''}
          onPress={() => {
            onCreate(text.trim());
            if (!multiple) close();
          }}
        >
          {words.create(text.trim())}
        </Pressable>
      )}
    </Autocomplete>
  );
}

/** A heading that only repeats its one option says nothing. */
const saysMore = (group: string, [first, ...others]: readonly Option[]): boolean =>
  group !== '' && (others.length > 0 || first?.text !== group);

/** A collection has no empty keys. */
const NONE = '\u{2}none';
