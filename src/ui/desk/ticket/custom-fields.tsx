import { parseDate } from '@internationalized/date';
import { type ReactElement, useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { useFormatter, useTranslations } from 'use-intl';

import { askedOf } from '../../../contract/form/asked.ts';
import { nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import type { ItemOf, TicketDetail } from '../api/types.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { type Option, Picker } from '../kit/picker.tsx';
import { useChange } from './change.ts';
import { DateChooser, DayChooser } from './date-chooser.tsx';
import styles from './details.module.css';
import { Row, Section, Value } from './row.tsx';

type CustomField = ItemOf<'listCustomFields'>;

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
/** Fields of these types only show something. */
const SILENT = new Set(['HEADING', 'DIVIDER', 'TEXT_BLOCK']);
const ADDRESS = /^https?:\/\/\S+$/i;
const TIME = /^([01]\d|2[0-3]):[0-5]\d/;

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const wordsOf = (value: unknown): string =>
  [value].flat().every((each) => typeof each !== 'object')
    ? [value].flat().join(', ')
    : JSON.stringify(value);

/** The file name of an address: the end of its path. */
function fileName(address: string): string {
  const last = URL.canParse(address) ? (new URL(address).pathname.split('/').at(-1) ?? '') : '';
  try {
    return decodeURIComponent(last) || address;
  } catch {
    return last;
  }
}

/**
 * A ticket's custom fields, by their type: those that its request type asks for, else those that it has. One that stands
 * for a field of the ticket is changed there.
 */
export function CustomFields({ ticket, canChange }: { ticket: TicketDetail; canChange: boolean }) {
  const t = useTranslations('ticket');
  const forms = useChoices('listForms', canChange && ticket.requestTypeId !== null);
  const form = forms.find(({ id }) => id === ticket.requestTypeId);
  const given = ticket.customFields;
  const others = Object.entries(given).filter(([, value]) => value !== null);
  const isOwnKey = (key: string) => form?.customFields.some(({ customField }) => customField.key === key);
  const known = useChoices(
    'listCustomFields',
    canChange &&
      others.some(([key]) => !isOwnKey(key)) &&
      (form !== undefined || ticket.requestTypeId === null),
  );
  const asked = form
    ? askedOf(form.customFields, ({ customField: { key, type } }) => {
        const value = given[key];
        if (type === 'BOOLEAN' && typeof value === 'boolean') return value ? 'yes' : 'no';
        return Array.isArray(value)
          ? value.map(String)
          : value === null || value === undefined
            ? null
            : String(value);
      }).filter(({ ticketField }) => !ticketField)
    : [];
  const fields: CustomField[] = [
    ...asked.map(({ customField }) => customField),
    // If the request type has fields, the service leaves all others unchanged.
    ...(form?.customFields.length
      ? []
      : others.flatMap(([key]) => known.find((field) => field.key === key) ?? [])),
  ].filter(({ type }) => !SILENT.has(type));
  const shown = others.filter(
    ([key]) =>
      !fields.some((field) => field.key === key) &&
      !form?.customFields.some(({ customField, ticketField }) => customField.key === key && ticketField),
  );
  if (fields.length === 0 && shown.length === 0) return null;
  return (
    <Section title={t('fields')}>
      <dl className={styles['rows']}>
        {fields.map((field) => (
          <Field key={field.key} field={field} ticket={ticket} canChange={canChange} />
        ))}
        {shown.map(([key, value]) => (
          <Row key={key} label={known.find((field) => field.key === key)?.label ?? key}>
            <span className={styles['plain']}>{wordsOf(value)}</span>
          </Row>
        ))}
      </dl>
    </Section>
  );
}

function Field({
  field,
  ticket,
  canChange,
}: {
  field: CustomField;
  ticket: TicketDetail;
  canChange: boolean;
}) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const format = useFormatter();
  const changeTicket = useChange(ticket);
  const { key, label, type } = field;
  const value = ticket.customFields[key] ?? null;
  const list = listOf(value);
  const isPeople = type === 'USER_SELECT' || type === 'USER_MULTI_SELECT';
  const people = usePeople(isPeople ? (type === 'USER_SELECT' && value ? [String(value)] : list) : []);
  const statuses = useChoices('listStatuses', type === 'STATUS_SELECT');
  const tags = useChoices('listTags', type === 'TAG_SELECT');
  const change = (next: unknown) =>
    changeTicket(
      { customFields: { [key]: next } },
      {
        said: t('said.field', { label }),
        shown: { customFields: { ...ticket.customFields, [key]: next } },
      },
    );
  // The service stores the id or the value of an option.
  const named = (given: string) => field.options.find(({ id }) => id === given)?.value ?? given;
  const none: Option = { id: '', text: t('none') };

  function choice():
    | { options: Option[]; selected: string[]; multiple?: boolean; pick: (ids: string[]) => unknown }
    | undefined {
    const one = (ids: string[]) => ids[0] || null;
    switch (type) {
      case 'BOOLEAN':
        return {
          options: [none, { id: 'true', text: t('yes') }, { id: 'false', text: t('no') }],
          selected: [value === null ? '' : String(value)],
          pick: ([id = '']) => (id === '' ? null : id === 'true'),
        };
      case 'SELECT':
      case 'MULTI_SELECT': {
        const chosen = (type === 'SELECT' ? (value === null ? [] : [String(value)]) : list).map(named);
        const options = field.options.toSorted((a, b) => a.order - b.order).map((option) => option.value);
        const all = [...new Set([...options, ...chosen])].map((id) => ({ id, text: id }));
        return type === 'SELECT'
          ? { options: [none, ...all], selected: chosen.length > 0 ? chosen : [''], pick: one }
          : { options: all, selected: chosen, multiple: true, pick: (ids) => ids };
      }
      case 'PRIORITY_SELECT':
        return {
          options: [none, ...PRIORITIES.map((id) => ({ id, text: common(`priority.${id}` as never) }))],
          selected: [String(value ?? '')],
          pick: one,
        };
      case 'STATUS_SELECT':
        return {
          options: [none, ...statuses.map(({ id, label: text }) => ({ id, text }))],
          selected: [String(value ?? '')],
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

  const chosen = choice();
  function text(): string {
    if (value === null || (Array.isArray(value) && value.length === 0)) return '';
    if (isPeople)
      return (type === 'USER_SELECT' ? [String(value)] : list).map((id) => nameOf(people.get(id))).join(', ');
    if (chosen) {
      const gone = type === 'STATUS_SELECT' ? t('removedStatus') : t('removedTag');
      return chosen.selected
        .filter(Boolean)
        .map((id) => chosen.options.find((option) => option.id === id)?.text ?? gone)
        .join(', ');
    }
    if (type === 'FILE_PICKER') return list.map(fileName).join(', ');
    const date = type === 'DATETIME' || type === 'DATE' ? new Date(String(value)) : undefined;
    if (date && !Number.isNaN(date.getTime()))
      return type === 'DATETIME'
        ? format.dateTime(date, { dateStyle: 'medium', timeStyle: 'short' })
        : format.dateTime(date, { dateStyle: 'medium', timeZone: 'UTC' });
    return wordsOf(value);
  }
  const shown = text();
  const links = type === 'FILE_PICKER' ? list.filter((address) => ADDRESS.test(address)) : [];
  if (!canChange)
    return shown ? (
      <Row label={label}>
        <span className={styles['plain']}>{shown}</span>
      </Row>
    ) : null;
  const button = <Value label={label} text={shown || t('none')} isEmpty={!shown} />;
  return (
    <Row label={label}>
      {isPeople ? (
        <PersonPicker
          label={label}
          multiple={type === 'USER_MULTI_SELECT'}
          {...(type === 'USER_SELECT' && { none: t('none') })}
          selected={type === 'USER_SELECT' ? [String(value ?? '')] : list}
          onChange={(ids) => void change(type === 'USER_SELECT' ? ids[0] || null : ids)}
        >
          {button}
        </PersonPicker>
      ) : chosen ? (
        <Picker
          label={label}
          options={chosen.options}
          selected={chosen.selected}
          multiple={chosen.multiple ?? false}
          onChange={(ids) => void change(chosen.pick(ids))}
        >
          {button}
        </Picker>
      ) : (
        <Pop label={label} button={button}>
          {(close) =>
            type === 'DATETIME' ? (
              <DateChooser
                kind="due"
                value={value === null ? null : String(value)}
                removeLabel={t('removeDate')}
                onChoose={(date) => {
                  close();
                  void change(date?.toISOString() ?? null);
                }}
              />
            ) : type === 'DATE' ? (
              <div className={styles['chooser']}>
                <DayChooser
                  label={label}
                  value={dayOf(value)}
                  onChange={(day) => {
                    close();
                    void change(day.toString());
                  }}
                />
                {value !== null && (
                  <Button
                    onPress={() => {
                      close();
                      void change(null);
                    }}
                  >
                    {t('removeDate')}
                  </Button>
                )}
              </div>
            ) : (
              <Typed field={field} value={value} close={close} onChange={change} />
            )
          }
        </Pop>
      )}
      {links.length > 0 && (
        <ul className={styles['list']}>
          {links.map((address) => (
            <li key={address}>
              <a href={address} target="_blank" rel="noopener noreferrer">
                {fileName(address)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Row>
  );
}

function dayOf(value: unknown) {
  try {
    return parseDate(String(value).slice(0, 10));
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
      <Popover className={styles['popover']!} placement="bottom end" offset={4}>
        <Dialog aria-label={label} className={styles['dialog']!}>
          {({ close }) => children(close)}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
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
  onChange: (value: unknown) => Promise<boolean>;
}) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const { label, type } = field;
  const isFiles = type === 'FILE_PICKER';
  const isLong = type === 'TEXT_AREA' || isFiles;
  const [text, setText] = useState(isFiles ? listOf(value).join('\n') : value === null ? '' : String(value));
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const read = (): { value: unknown } | { error: string } => {
    const typed = text.trim();
    if (isFiles) {
      const addresses = typed.split(/\s+/).filter(Boolean);
      const former = new Set(listOf(value));
      if (addresses.some((address) => !ADDRESS.test(address) && !former.has(address)))
        return { error: t('addressError') };
      return { value: addresses };
    }
    if (typed === '') return { value: null };
    if (type === 'NUMBER') {
      const number = Number(typed.replace(',', '.'));
      return Number.isFinite(number) ? { value: number } : { error: t('numberError') };
    }
    if (type === 'TIME' && !TIME.test(typed.padStart(5, '0'))) return { error: t('timeError') };
    return { value: type === 'TIME' ? typed.padStart(5, '0') : typed };
  };
  const save = async () => {
    const found = read();
    if ('error' in found) return setError(found.error);
    setBusy(true);
    const isDone = await onChange(found.value);
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
