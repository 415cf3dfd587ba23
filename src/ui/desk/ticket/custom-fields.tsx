import type { ComponentProps } from 'react';
import { useTranslations } from 'use-intl';

import { shortenAtWord } from '../../../contract/cut.ts';
import { askedOf } from '../../../contract/form/asked.ts';
import { useChoices } from '../api/query.ts';
import type { ItemOf, TicketDetail } from '../api/types.ts';
import { useChange, WORDS_SAID } from './change.ts';
import styles from './details.module.css';
import {
  ADDRESS,
  conditionValue,
  type CustomField,
  FieldControl,
  fileName,
  toList,
  SILENT,
  useFieldValue,
  toWords,
} from './field-control.tsx';
import { Row, Section, Value } from './row.tsx';

/**
 * A ticket's custom fields, by their type: those that its request type asks for, else those that it has. One that
 * stands for a field of the ticket is changed there.
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
  const fields: CustomField[] = [
    ...(form ? askedFields(form, given) : []),
    // If the request type has fields, the service leaves all others unchanged.
    ...(form?.customFields.length
      ? []
      : others
          .flatMap(([key]) => known.find((field) => field.key === key) ?? [])
          .filter(({ type }) => !SILENT.has(type))),
  ];
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
            {linksOf(value).length > 0 ? (
              <Links addresses={linksOf(value)} />
            ) : (
              <span className={styles['plain']}>{toWords(value)}</span>
            )}
          </Row>
        ))}
      </dl>
    </Section>
  );
}

/**
 * The custom fields that a request type asks for with these answers, in its order, without those that only show
 * something.
 */
export function askedFields(
  { customFields }: ItemOf<'listForms'>,
  given: TicketDetail['customFields'],
): CustomField[] {
  return askedOf(customFields, ({ customField }) => conditionValue(customField, given[customField.key]))
    .filter(({ ticketField, customField }) => !ticketField && !SILENT.has(customField.type))
    .map(({ customField }) => customField);
}

/** The addresses of an answer to a question for files. */
const linksOf = (value: unknown): string[] => toList(value).filter((address) => ADDRESS.test(address));

function Links({ addresses }: { addresses: readonly string[] }) {
  return (
    <ul className={styles['list']}>
      {addresses.map((address) => (
        <li key={address}>
          <a href={address} target="_blank" rel="noopener noreferrer">
            {fileName(address)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A custom field of a ticket; without a value only for those who may set one. */
export function Field({
  field,
  ticket,
  canChange,
}: {
  field: CustomField;
  ticket: TicketDetail;
  canChange: boolean;
}) {
  const t = useTranslations('ticket');
  const changeTicket = useChange(ticket);
  const { key, label, type } = field;
  const value = ticket.customFields[key] ?? null;
  const { shown, wordsOf } = useFieldValue(field, value);
  const links = type === 'FILE_PICKER' ? linksOf(value) : [];
  if (!canChange)
    return shown ? (
      <Row label={label}>
        {links.length > 0 ? <Links addresses={links} /> : <span className={styles['plain']}>{shown}</span>}
      </Row>
    ) : null;
  const change: ComponentProps<typeof FieldControl>['onChange'] = (next, editor) => {
    const words = shortenAtWord(wordsOf(next), WORDS_SAID);
    return changeTicket(
      { customFields: { [key]: next } },
      {
        said: words ? t('said.field', { label, value: words }) : t('said.fieldEmptied', { label }),
        shown: { customFields: { ...ticket.customFields, [key]: next } },
        ...(editor && {
          opened: { ...ticket, customFields: { ...ticket.customFields, [key]: editor.opened } },
          onConflict: editor.onConflict,
        }),
      },
    );
  };
  return (
    <Row label={label}>
      <FieldControl field={field} value={value} onChange={change}>
        {(text) => <Value label={label} text={text || t('none')} isEmpty={!text} />}
      </FieldControl>
      {links.length > 0 && <Links addresses={links} />}
    </Row>
  );
}
