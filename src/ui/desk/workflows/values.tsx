import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import { useChoices, useOperation } from '../api/query.ts';
import { useTicket } from '../api/tickets.ts';
import { Moment } from '../kit/time.tsx';
import styles from './workflows.module.css';

type Values = Readonly<Record<string, unknown>>;

/** The possible steps of workflows by the names of their actions. */
export function useActions() {
  const { data } = useOperation('listWorkflowApps');
  return new Map((data ?? []).flatMap(({ actions }) => actions).map((action) => [action.name, action]));
}

type Action = NonNullable<ReturnType<ReturnType<typeof useActions>['get']>>;
type Field = Action['inputs'][number];

const isGiven = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** What a step is given, or what came of it, with the words of the catalogue; nothing if that is nothing. */
export function ValueList({
  title,
  values,
  fields,
}: {
  title: string;
  values: Values | null;
  /** What the catalogue says of these values; absent of an action that it does not have. */
  fields: readonly Field[] | undefined;
}) {
  const entries = Object.entries(values ?? {}).filter(([, value]) => isGiven(value));
  if (entries.length === 0) return null;
  return (
    <dl aria-label={title} className={styles['values']}>
      {entries.map(([key, value]) => {
        const field = fields?.find((each) => each.key === key);
        return (
          <div key={key}>
            <dt>{field?.label ?? key}</dt>
            <dd>
              <Value value={value} field={field} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A value as people say it: the name of a record, a word for yes and no, an instant as a time. */
function Value({ value, field }: { value: unknown; field: Field | undefined }) {
  const t = useTranslations('workflows');
  const common = useTranslations('common');
  const ids = (Array.isArray(value) ? value : [value]).map(String);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (field?.type === 'datetime' && !Number.isNaN(Date.parse(String(value))))
    return <Moment at={String(value)} />;
  switch (field?.resourceType) {
    case 'ticket':
      return ids.map((id) => (TICKET.test(id) ? <TicketName key={id} id={id} /> : id));
    case 'user':
      return <PersonNames ids={ids} />;
    case 'queue':
    case 'status':
    case 'tag':
      return <RecordNames ids={ids} kind={field.resourceType} />;
    case 'priority':
      return ids.map((id) => (PRIORITIES.has(id) ? common(`priority.${id}` as never) : id)).join(', ');
    default:
      if (field?.key === 'condition' && t.has(`operators.${String(value)}` as never))
        return t(`operators.${String(value)}` as never);
      if (field?.key === 'statusGroup' && ids.every(isStatusGroup))
        return ids.map((id) => t(`statusGroups.${id}` as never)).join(', ');
      return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
  }
}

/** Ids of this service. Other values are references to another step, or to a part of the ticket. */
const TICKET = /^tkt_\w+$/;
const PERSON = /^usr_\w+$/;

const STATUS_GROUPS = new Set(['OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED']);
const isStatusGroup = (id: string) => STATUS_GROUPS.has(id);
const PRIORITIES = new Set(['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY']);

function TicketName({ id }: { id: string }) {
  const { data } = useTicket(id);
  return (
    <Link to="/tickets/$code" params={{ code: data?.code ?? id }} search={{}}>
      {data?.code ?? id}
    </Link>
  );
}

function PersonNames({ ids }: { ids: readonly string[] }) {
  const people = usePeople(ids.filter((id) => PERSON.test(id)));
  return ids.map((id) => (people.has(id) ? nameOf(people.get(id)) : id)).join(', ');
}

function RecordNames({ ids, kind }: { ids: readonly string[]; kind: 'queue' | 'status' | 'tag' }) {
  const queues = useChoices('listQueues', kind === 'queue');
  const statuses = useChoices('listStatuses', kind === 'status');
  const tags = useChoices('listTags', kind === 'tag');
  const names = new Map([
    ...queues.map(({ id, name }) => [id, name] as const),
    ...statuses.map(({ id, label }) => [id, label] as const),
    ...tags.map(({ id, name }) => [id, name] as const),
  ]);
  return ids.map((id) => names.get(id) ?? id).join(', ');
}
