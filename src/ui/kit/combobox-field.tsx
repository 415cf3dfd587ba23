import { Check, ChevronDown, X } from 'lucide-react';
import { type ContextType, type KeyboardEvent, type ReactNode, use, useEffect, useState } from 'react';
import { ComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { Header, ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';

import { comboboxLook } from './combobox-look.ts';
import styles from './combobox.module.css';
import picker from './picker.module.css';
import type { ComboboxProps, Option } from './types.ts';

/**
 * A field that chooses from a list: pressing it opens the list, typing narrows it, arrows move, Enter chooses, Escape
 * closes it. Backspace takes back the last of several.
 */
export function ComboboxField({
  label,
  placeholder = '',
  options,
  selected,
  multiple = false,
  max,
  isClearable = multiple,
  isWide = false,
  isInvalid = false,
  isRequired = false,
  autoFocus = false,
  onChange,
  onSearch,
  says,
  'aria-describedby': describedBy,
}: ComboboxProps) {
  const [shown, setShown] = useShown(selected);
  const [typed, setTyped] = useState<string>();
  const [limit, setLimit] = useState('');
  const change = async (next: Option[]) => {
    setShown(next);
    if ((await onChange(next)) === false) setShown(shown);
  };
  const choose = (ids: readonly unknown[]) => {
    setTyped(undefined);
    setLimit('');
    const isSame = ids.length === shown.length && shown.every(({ id }) => ids.includes(id));
    if (isSame) return;
    if (max !== undefined && ids.length > max) setLimit(`No more than ${max}`);
    else void change(ids.flatMap((id) => [...options, ...shown].find((option) => option.id === id) ?? []));
  };
  const text = typed ?? (multiple ? '' : (shown[0]?.text ?? ''));
  const onType = (next: string) => {
    setTyped(next);
    onSearch?.(next.trim());
  };
  const groups = Map.groupBy(options, ({ group }) => group ?? '');
  return (
    <ComboBox<Option, 'single' | 'multiple'>
      {...(describedBy !== undefined && { 'aria-describedby': describedBy })}
      aria-label={label}
      className={comboboxLook({ multiple, isWide, isInvalid })}
      selectionMode={multiple ? 'multiple' : 'single'}
      value={multiple ? shown.map(({ id }) => id) : (shown[0]?.id ?? null)}
      onChange={(value) => choose([value].flat().filter((id) => id !== null))}
      inputValue={text}
      onInputChange={onType}
      defaultFilter={onSearch ? () => true : contains}
      allowsEmptyCollection
      menuTrigger={autoFocus ? 'focus' : 'input'}
      onOpenChange={(isOpen) => {
        if (isOpen && typed === undefined) onSearch?.('');
        if (!isOpen) setTyped(undefined);
      }}
      autoFocus={autoFocus}
      isInvalid={isInvalid}
      isRequired={isRequired}
      validationBehavior="aria"
    >
      <Box onBackspace={() => multiple && shown.length > 0 && void change(shown.slice(0, -1))}>
        {multiple &&
          shown.map((option) => (
            <span key={option.id} className={styles['chip']}>
              {option.text}
              <Remove
                label={`Remove ${option.text}`}
                onPress={() => void change(shown.filter(({ id }) => id !== option.id))}
              />
            </span>
          ))}
        <Field placeholder={multiple && shown.length > 0 ? '' : placeholder} />
        {isClearable && shown.length > 0 && (
          <Remove label={`Clear ${label}`} onPress={() => void change([])} />
        )}
        <ChevronDown size={16} aria-hidden />
      </Box>
      <Popover className={styles['popover'] ?? ''} offset={4} placement="bottom start">
        <ListBox
          aria-label={label}
          className={picker['list'] ?? ''}
          renderEmptyState={() => <p className={picker['empty']}>{says}</p>}
        >
          {[...groups].map(([group, items]) => (
            <ListBoxSection key={group} id={`section ${group}`} {...(!group && { 'aria-label': label })}>
              {group && <Header className={picker['group'] ?? ''}>{group}</Header>}
              {items.map((option) => (
                <Choice key={option.id} option={option} />
              ))}
            </ListBoxSection>
          ))}
        </ListBox>
      </Popover>
      <span className="visually-hidden" aria-live="polite">
        {limit}
      </span>
    </ComboBox>
  );
}

const contains = (text: string, typed: string) =>
  text.toLowerCase().includes(typed.trim().toLowerCase().replace(/^[@#]/, ''));

/** What is chosen is shown at once; whoever holds it may have changed it since. */
function useShown(selected: readonly Option[]) {
  const given = JSON.stringify(selected.map(({ id, text }) => [id, text]));
  const [before, setBefore] = useState(given);
  const [shown, setShown] = useState(selected);
  if (before !== given) {
    setBefore(given);
    setShown(selected);
  }
  return [shown, setShown] as const;
}

/** The field's frame: a press on it opens the list, and Escape closes only that. */
function Box({ onBackspace, children }: { onBackspace: () => void; children: ReactNode }) {
  const state = use(ComboBoxStateContext);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && state?.inputValue === '') onBackspace();
    // Who goes on has not chosen what is only marked.
    else if (event.key === 'Tab') state?.selectionManager.setFocusedKey(null);
    else if (event.key === 'Enter' && state?.isOpen && state.selectionManager.focusedKey === null) {
      // It came between a change of the list and the mark of its first option.
      const [first] = optionKeys(state.collection);
      if (first === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      state.selectionManager.select(first);
    } else if (event.key === 'Escape' && state?.isOpen) {
      event.preventDefault();
      event.stopPropagation();
      state.revert();
    }
  };
  return (
    <Group
      className={styles['box'] ?? ''}
      onKeyDownCapture={onKey}
      onClick={({ target, currentTarget }) => {
        if (target instanceof Element && target.closest('button')) return;
        const field = currentTarget.querySelector('input');
        field?.focus();
        if (state?.isOpen) return;
        field?.select();
        state?.open(null, 'manual');
      }}
    >
      {children}
    </Group>
  );
}

/** The keys of the options that are shown, without those of their groups. */
const optionKeys = (collection: NonNullable<ContextType<typeof ComboBoxStateContext>>['collection']) =>
  [...collection.getKeys()].filter((key) => collection.getItem(key)?.type === 'item');

/** Always marks an option: the one that is chosen, or the first. */
function Field({ placeholder }: { placeholder: string }) {
  const state = use(ComboBoxStateContext);
  const isMarked = state?.selectionManager.focusedKey !== null;
  useEffect(() => {
    if (!state?.isOpen || isMarked) return undefined;
    const { collection, selectionManager } = state;
    // After the list, which takes the mark away as it appears.
    const frame = requestAnimationFrame(() => {
      const keys = optionKeys(collection);
      const isMultiple = selectionManager.selectionMode === 'multiple';
      const chosen = isMultiple ? undefined : keys.find((key) => selectionManager.isSelected(key));
      selectionManager.setFocusedKey(chosen ?? keys[0] ?? null);
    });
    return () => cancelAnimationFrame(frame);
  }, [state, isMarked]);
  return <Input className={styles['input'] ?? ''} placeholder={placeholder} spellCheck={false} />;
}

function Choice({ option: { id, text, sign, detail } }: { option: Option }) {
  return (
    <ListBoxItem id={id} textValue={text} className={picker['item'] ?? ''}>
      {({ isSelected }) => (
        <>
          {sign && <span className={picker['sign']}>{sign}</span>}
          <span className={picker['text']}>{text}</span>
          {detail && <span className={picker['detail']}>{detail}</span>}
          {isSelected && <Check size={14} aria-hidden />}
        </>
      )}
    </ListBoxItem>
  );
}

/** A native button: React Aria's would be the one that opens the list. */
function Remove({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" className={styles['remove']} aria-label={label} onClick={onPress}>
      <X size={12} aria-hidden />
    </button>
  );
}
