import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { Labelled, Switch, TextField } from '../../../kit/field.tsx';
import { type Option, Picker } from '../../../kit/picker.tsx';
import styles from './fields.module.css';
import { type Saved, useInTurn, useSaved, useSavedValue, whenShown } from '../../kit/use-saved.ts';

/** "Saved" beside what was written, or why it was not. `isQuiet`: the field shows the error itself. */
export function SavedSign({ of: { state, error }, isQuiet = false }: { of: Saved; isQuiet?: boolean }) {
  const t = useTranslations('settings');
  return (
    <span className={styles['sign']} role="status" data-state={state}>
      {state === 'saving' && t('saving')}
      {state === 'saved' && <span className={styles['done']}>{t('saved')}</span>}
      {state === 'failed' && !isQuiet && <span className={styles['error']}>{error}</span>}
    </span>
  );
}

/** A text that is written when the field is left or Enter is pressed; Escape takes back what was typed. */
export function SavedText({
  value,
  save,
  check,
  ...props
}: Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'error'> & {
  value: string;
  save: (value: string) => Promise<unknown>;
  /** Why a text cannot be saved. */
  check?: (value: string) => string | undefined;
}) {
  const t = useTranslations('settings');
  const saved = useSaved();
  const inTurn = useInTurn();
  const [typed, setTyped] = useState<string>();
  /** The saved value when the user started to type; undefined after a write of their own. */
  const [before, setBefore] = useState<string>();
  const [problem, setProblem] = useState<string>();
  /** What is being written: leaving the field after Enter does not write it again. */
  const written = useRef<string>(undefined);
  const commit = async () => {
    if (typed === undefined) return;
    const next = typed.trim();
    if (next === written.current) return;
    if (next === value && written.current === undefined) {
      setTyped(undefined);
      setProblem(undefined);
      return;
    }
    const wrong = next === '' && props.isRequired ? t('required') : check?.(next);
    // Another user saved meanwhile: saved once more, it replaces theirs.
    const isOld = before !== undefined && before !== value;
    setBefore(value);
    setProblem(wrong ?? (isOld ? t('changedMeanwhile', { value }) : undefined));
    if (wrong || isOld) return;
    written.current = next;
    const isDone = await saved.save(() => inTurn(() => save(next)));
    if (written.current === next) written.current = undefined;
    if (!isDone) return;
    whenShown(() => {
      setTyped((now) => (now === typed ? undefined : now));
      setBefore(undefined);
    });
  };
  return (
    <div className={styles['saved']}>
      <TextField
        {...props}
        validationBehavior="aria"
        value={typed ?? value}
        onChange={(text) => {
          if (typed === undefined) setBefore(value);
          setTyped(text);
          setProblem(undefined);
        }}
        onBlur={() => void commit()}
        onKeyDown={({ key, ...event }) => {
          if (key === 'Enter' && !props.rows) void commit();
          else if (key === 'Escape' && typed !== undefined) setTyped(undefined);
          else event.continuePropagation();
        }}
        error={problem ?? (typed === undefined ? undefined : saved.error)}
      />
      <SavedSign of={saved} isQuiet={typed !== undefined} />
    </div>
  );
}

/** On or off: shown at once, written at once, and taken back with its reason if that fails. */
export function SavedSwitch({
  value,
  save,
  ...props
}: Pick<ComponentProps<typeof Switch>, 'label' | 'help'> & {
  value: boolean;
  save: (value: boolean) => Promise<unknown>;
}) {
  const { shown, saved, choose } = useSavedValue(value, save);
  return (
    <div className={styles['saved']}>
      <Switch {...props} isSelected={shown} onChange={(next) => void choose(next)} />
      <SavedSign of={saved} />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  help?: string;
  value: string;
  options: readonly Option[];
  /** Shown for a value that is none of the options. */
  placeholder?: string;
  onChange: (id: string) => void;
  isDisabled?: boolean;
  /** Options come from the server for what is typed; '' when the list closes. */
  onSearch?: (text: string) => void;
  isLoading?: boolean;
}

/** One of several, by a list with a search field. */
export function Choice({
  label,
  help,
  value,
  options,
  placeholder,
  onChange,
  isDisabled = false,
  isLoading = false,
  onSearch,
}: ChoiceProps) {
  const t = useTranslations('settings');
  const chosen = options.find(({ id }) => id === value);
  const text = chosen?.text ?? placeholder ?? t('choose');
  return (
    <Labelled label={label} help={help}>
      <Picker
        {...{ label, options, isLoading }}
        selected={[value]}
        onChange={([id]) => onChange(id ?? '')}
        {...(onSearch && { onSearch, onOpenChange: (isOpen) => !isOpen && onSearch('') })}
      >
        <Button aria-label={`${label}: ${text}`} isDisabled={isDisabled}>
          <span className={styles['choice']}>
            {chosen?.sign}
            <span className={chosen ? '' : styles['none']}>{text}</span>
          </span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      </Picker>
    </Labelled>
  );
}

/** A choice that is written when it is made. */
export function SavedChoice({
  value,
  save,
  ...props
}: Omit<ChoiceProps, 'onChange'> & { save: (id: string) => Promise<unknown> }) {
  const { shown, saved, choose } = useSavedValue(value, save);
  return (
    <div className={styles['saved']}>
      <Choice {...props} value={shown} onChange={(id) => id !== shown && void choose(id)} />
      <SavedSign of={saved} />
    </div>
  );
}
