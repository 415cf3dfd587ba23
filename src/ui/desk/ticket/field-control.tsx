import { parseDate } from '@internationalized/date';
import { type ReactElement, useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { useFormatter, useTranslations } from 'use-intl';

import { knownPerson, nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { readNumber } from '../kit/number.ts';
import { PersonPicker } from '../kit/person-picker.tsx';
import { type Option, Picker } from '../../kit/picker.tsx';
import { DateChooser, DayChooser } from './date-chooser.tsx';
import styles from './details.module.css';

export type CustomField = ItemOf<'listCustomFields'>;

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
/** Fields of these types only show something. */
export const SILENT: ReadonlySet<string> = new Set(['HEADING', 'DIVIDER', 'TEXT_BLOCK']);
export const ADDRESS = /^https?:\/\/\S+$/i;
const TIME = /^([01]\d|2[0-3]):[0-5]\d/;

export const toList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
export const toWords = (value: unknown): string =>
  [value].flat().every((each) => typeof each !== 'object')
    ? [value].flat().join(', ')
    : JSON.stringify(value);

/** The file name of an address: the end of its path, or the fragment of one of the desk's files (files/record.ts). */
export function fileName(address: string): string {
  if (!URL.canParse(address)) return address;
  const { pathname, hash } = new URL(address);
  const isOwn = pathname.startsWith('/desk/files/') && hash.length > 1;
  const last = isOwn ? hash.slice(1) : (pathname.split('/').at(-1) ?? '');
  try {
    return decodeURIComponent(last) || address;
  } catch {
    return last;
  }
}

/** A value that is no list, as text; empty for none. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns a field's value as form conditions compare it (`askedOf`): a text or several. */
export function conditionValue({ type }: { type: string }, value: unknown): string | string[] | null {
  if (type === 'BOOLEAN' && typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(String);
  return value === null || value === undefined ? null : textOf(value);
}

interface Choice {
  options: Option[];
  selected: string[];
  multiple?: boolean;
  pick: (ids: string[]) => unknown;
}

/** A field's value, and others that it may get, in words; and what can be chosen if its type is a choice. */
export function useFieldValue(
  field: CustomField,
  value: unknown,
): { shown: string; wordsOf: (value: unknown) => string; chosen: Choice | undefined; isPeople: boolean } {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const format = useFormatter();
  const { type } = field;
  const isPeople = type === 'USER_SELECT' || type === 'USER_MULTI_SELECT';
  const idsOf = (given: unknown) => (type === 'USER_SELECT' && given ? [textOf(given)] : toList(given));
  const people = usePeople(isPeople ? idsOf(value) : []);
  const statuses = useChoices('listStatuses', type === 'STATUS_SELECT');
  const tags = useChoices('listTags', type === 'TAG_SELECT');
  // The service stores the id or the value of an option.
  const named = (given: string) => field.options.find(({ id }) => id === given)?.value ?? given;
  const none: Option = { id: '', text: t('none') };

  function choiceOf(value: unknown): Choice | undefined {
    const list = toList(value);
    const one = (ids: string[]) => ids[0] || null;
    switch (type) {
      case 'BOOLEAN':
        return {
          options: [none, { id: 'true', text: t('yes') }, { id: 'false', text: t('no') }],
          selected: [value === null ? '' : textOf(value)],
          pick: ([id = '']) => (id === '' ? null : id === 'true'),
        };
      case 'SELECT':
      case 'MULTI_SELECT': {
        const chosen = (type === 'SELECT' ? (value === null ? [] : [textOf(value)]) : list).map(named);
        const options = field.options.toSorted((a, b) => a.order - b.order).map((option) => option.value);
        const all = [...new Set([...options, ...chosen])].map((id) => ({ id, text: id }));
        return type === 'SELECT'
          ? { options: [none, ...all], selected: chosen.length > 0 ? chosen : [''], pick: one }
          : { options: all, selected: chosen, multiple: true, pick: (ids) => ids };
      }
      case 'PRIORITY_SELECT':
        return {
          options: [none, ...PRIORITIES.map((id) => ({ id, text: common(`priority.${id}` as never) }))],
          selected: [textOf(value)],
          pick: one,
        };
      case 'STATUS_SELECT':
        return {
          options: [none, ...statuses.map(({ id, label: text }) => ({ id, text }))],
          selected: [textOf(value)],
          pick: one,
        };
      case 'TAG_SELECT':
        return {
          options: tags.map(({ id, name }) => ({ id, text: name })),
          selected: list,
          multiple: true,
          pick: (ids) => ids,
        };
      default:
        return undefined;
    }
  }

  function wordsOf(value: unknown): string {
    if (value === null || (Array.isArray(value) && value.length === 0)) return '';
    if (isPeople)
      return idsOf(value)
        .map((id) => nameOf(people.get(id) ?? knownPerson(id)))
        .join(', ');
    const chosen = choiceOf(value);
    if (chosen) {
      const gone = type === 'STATUS_SELECT' ? t('removedStatus') : t('removedTag');
      return chosen.selected
        .filter(Boolean)
        .map((id) => chosen.options.find((option) => option.id === id)?.text ?? gone)
        .join(', ');
    }
    if (type === 'FILE_PICKER') return toList(value).map(fileName).join(', ');
    const date = type === 'DATETIME' || type === 'DATE' ? new Date(textOf(value)) : undefined;
    if (date && !Number.isNaN(date.getTime()))
      return type === 'DATETIME'
        ? format.dateTime(date, { dateStyle: 'medium', timeStyle: 'short' })
        : format.dateTime(date, { dateStyle: 'medium', timeZone: 'UTC' });
    return toWords(value);
  }
  return { shown: wordsOf(value), wordsOf, chosen: choiceOf(value), isPeople };
}

/** Writes a field's value; `editor` is where it was typed, if it was open while others could write. */
type ChangeField = (value: unknown, editor?: { opened: unknown; onConflict: () => void }) => Promise<boolean>;

/** Changes a custom field, by its type: a button that shows its value and opens what it is chosen or typed in. */
export function FieldControl({
  field,
  value,
  isNeeded = false,
  onChange,
  children,
}: {
  field: CustomField;
  value: unknown;
  /** An answer cannot be taken back: none is not offered. */
  isNeeded?: boolean;
  /** Resolves to whether the value was taken. */
  onChange: ChangeField;
  /** The button, for the value in words. */
  children: (shown: string) => ReactElement;
}) {
  const t = useTranslations('ticket');
  const { label, type } = field;
  const { shown, chosen, isPeople } = useFieldValue(field, value);
  return isPeople ? (
    <PersonPicker
      label={label}
      multiple={type === 'USER_MULTI_SELECT'}
      {...(type === 'USER_SELECT' && !isNeeded && { none: t('none') })}
      selected={type === 'USER_SELECT' ? [textOf(value)] : toList(value)}
      onChange={(ids) => void onChange(type === 'USER_SELECT' ? ids[0] || null : ids)}
    >
      {children(shown)}
    </PersonPicker>
  ) : chosen ? (
    <Picker
      label={label}
      options={isNeeded ? chosen.options.filter(({ id }) => id !== '') : chosen.options}
      selected={chosen.selected}
      multiple={chosen.multiple ?? false}
      onChange={(ids) => void onChange(chosen.pick(ids))}
    >
      {children(shown)}
    </Picker>
  ) : (
    <Pop label={label} button={children(shown)}>
      {(close) =>
        type === 'DATETIME' ? (
          <DateChooser
            kind="due"
            value={value === null ? null : textOf(value)}
            removeLabel={t('removeDate')}
            onChoose={(date) => {
              close();
              void onChange(date?.toISOString() ?? null);
            }}
          />
        ) : type === 'DATE' ? (
          <div className={styles['chooser']}>
            <DayChooser
              label={label}
              value={dayOf(value)}
              onChange={(day) => {
                close();
                void onChange(day.toString());
              }}
            />
            {value !== null && (
              <Button
                onPress={() => {
                  close();
                  void onChange(null);
                }}
              >
                {t('removeDate')}
              </Button>
            )}
          </div>
        ) : (
          <Typed field={field} value={value} close={close} onChange={onChange} />
        )
      }
    </Pop>
  );
}

function dayOf(value: unknown) {
  try {
    return parseDate(textOf(value).slice(0, 10));
  } catch {
    return null;
  }
}

function Pop({
  label,
  button,
  children,
}: {
  label: string;
  button: ReactElement;
  children: (close: () => void) => ReactElement;
}) {
  return (
    <DialogTrigger>
      {button}
      <Popover className={styles['popover'] ?? ''} placement="bottom end" offset={4}>
        <Dialog aria-label={label} className={styles['dialog'] ?? ''}>
          {({ close }) => children(close)}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** Reads what was typed for a field as its value, or says why it is none. */
export function useReadTyped(): (
  field: { type: string },
  text: string,
  former?: unknown,
) => { value: unknown } | { error: string } {
  const t = useTranslations('ticket');
  return ({ type }, text, former) => {
    const typed = text.trim();
    if (type === 'FILE_PICKER') {
      const addresses = typed.split(/\s+/).filter(Boolean);
      const known = new Set(toList(former));
      if (addresses.some((address) => !ADDRESS.test(address) && !known.has(address)))
        return { error: t('addressError') };
      return { value: addresses };
    }
    if (typed === '') return { value: null };
    if (type === 'NUMBER') {
      const number = readNumber(typed);
      return number === undefined ? { error: t('numberError') } : { value: number };
    }
    if (type === 'TIME' && !TIME.test(typed.padStart(5, '0'))) return { error: t('timeError') };
    return { value: type === 'TIME' ? typed.padStart(5, '0') : typed };
  };
}

/** Texts, numbers, times and addresses; a refused text stays in its field. */
function Typed({
  field,
  value,
  close,
  onChange,
}: {
  field: CustomField;
  value: unknown;
  close: () => void;
  onChange: ChangeField;
}) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const { label, type } = field;
  const isFiles = type === 'FILE_PICKER';
  const isLong = type === 'TEXT_AREA' || isFiles;
  const [text, setText] = useState(isFiles ? toList(value).join('\n') : value === null ? '' : textOf(value));
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  /** The value that it was opened with; after a conflict, the one that the person was told of. */
  const [before, setBefore] = useState<{ value: unknown } | undefined>({ value });
  const readTyped = useReadTyped();
  const save = async () => {
    const found = readTyped(field, text, value);
    if ('error' in found) {
      setError(found.error);
      return;
    }
    setBusy(true);
    const isDone = await onChange(found.value, {
      opened: (before ?? { value }).value,
      onConflict: () => setBefore(undefined),
    });
    setBusy(false);
    if (isDone) close();
    return undefined;
  };
  return (
    <form
      className={styles['chooser']}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label={label}
        value={text}
        onChange={(next) => {
          setText(next);
          setError(undefined);
        }}
        error={error}
        autoFocus
        {...(isLong && { rows: 4 })}
        {...(isFiles && { help: t('addressHelp') })}
      />
      <Button kind="primary" type="submit" isPending={isBusy}>
        {common('save')}
      </Button>
    </form>
  );
}
