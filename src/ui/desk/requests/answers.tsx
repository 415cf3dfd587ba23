import { useTranslations } from 'use-intl';

import { useChoices } from '../api/query.ts';
import type { TicketDetail } from '../api/types.ts';
import { askedFields, Field } from '../ticket/custom-fields.tsx';
import details from '../ticket/details.module.css';
import styles from './requests.module.css';

/** The answers on a request's form. */
export function Answers({ ticket, isOwn }: { ticket: TicketDetail; isOwn: boolean }) {
  const t = useTranslations('requests');
  const form = useChoices('listForms').find(({ id }) => id === ticket.requestTypeId);
  const answered = form
    ? askedFields(form, ticket.customFields).filter(({ key }) => !isEmpty(ticket.customFields[key]))
    : [];
  if (answered.length === 0) return null;
  const title = t(isOwn ? 'answers' : 'answersOther');
  return (
    <section className={styles['answers']} aria-label={title}>
      <h2>{title}</h2>
      <dl className={details['rows']}>
        {answered.map((field) => (
          <Field key={field.key} field={field} ticket={ticket} canChange={false} />
        ))}
      </dl>
    </section>
  );
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
