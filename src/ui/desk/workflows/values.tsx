import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';

import { inWords } from '../analytics/units.ts';
import { nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useTicket } from '../api/tickets.ts';
import { Moment } from '../kit/time.tsx';
import type { Action } from './actions.ts';
import { capitalized, spaced } from './words.ts';
import styles from './workflows.module.css';

type Values = Readonly<Record<string, unknown>>;

type Field = Action['inputs'][number];

const isGiven = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** What a step is given, or what came of it, with the words of the catalogue; nothing if that is nothing. */
export function ValueList({
  title,
  values,
  fields,
}: {
  /** Absent within another list. */
  title?: string;
  values: Values | null;
  /** What the catalogue says of these values; absent of an action that it does not have. */
  fields: readonly Field[] | undefined;
}) {
  const entries = Object.entries(values ?? {}).filter(([, value]) => isGiven(value));
  if (entries.length === 0) return null;
  return (
    <dl {...(title && { 'aria-label': title })} className={styles['values']}>
      {entries.map(([key, value]) => {
        const field = fields?.find((each) => each.key === key);
        return (
          <div key={key}>
            <dt>{field?.label ?? capitalized(spaced(key))}</dt>
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
  const text = useValueText();
  const ids = (Array.isArray(value) ? value : [value]).map(String);
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
    case 'request-type':
    case 'chat-channel':
      return <RecordNames ids={ids} kind={field.resourceType} />;
    default:
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return <ValueList values={value as Values} fields={FIELDS} />;
      return ids.map((id) => text(field?.key ?? '', id, field?.type)).join(', ');
  }
}

/** What the fields of a ticket hold, where a value contains several by their names in the API. */
const FIELDS = (
  [
    ['assigneeId', 'user'],
    ['requesterId', 'user'],
    ['approverId', 'user'],
    ['queueId', 'queue'],
    ['statusId', 'status'],
    ['tagId', 'tag'],
    ['requestTypeId', 'request-type'],
    ['parentId', 'ticket'],
    ['priority', 'priority'],
    ['statusGroup', null],
  ] as const
).map(([key, resourceType]) => ({
  key,
  label: capitalized(spaced(key)),
  placeholder: null,
  span: 1,
  type: 'text' as const,
  resourceType,
}));

/** The words for a value that is no record: of a choice, a number of minutes, a day, yes and no. */
export function useValueText(): (key: string, value: string, type?: string) => string {
  const t = useTranslations('workflows');
  const common = useTranslations('common');
  const format = useFormatter();
  return (key, value, type) => {
    if (value === 'true' || value === 'false') return t(value === 'true' ? 'yes' : 'no');
    if (PRIORITIES.has(value)) return common(`priority.${value as 'HIGH'}`);
    if (STATUS_GROUPS.has(value)) return t(`statusGroups.${value as 'OPEN'}`);
    if (key === 'condition' && t.has(`operators.${value}` as never)) return t(`operators.${value}` as never);
    if (key === 'minutes' && Number(value) >= 60)
      return t('minutesAs', { minutes: Number(value), time: inWords('seconds', Number(value) * 60) });
    if (key === 'days' && /^[1-7]$/.test(value))
      return format.dateTime(new Date(Date.UTC(2024, 0, Number(value))), {
        weekday: 'long',
        timeZone: 'UTC',
      });
    return (type === 'select' || type === 'multiselect') && WORD.test(value) ? spaced(value) : value;
  };
}

/** A choice as the API names it: `team-reply`, `assigneeId`. */
const WORD = /^[a-z]+(?:[A-Z-][a-z]+)*$/;

/** Ids of this service. Other values are references to another step, or to a part of the ticket. */
const TICKET = /^tkt_\w+$/;
const PERSON = /^usr_\w+$/;

const STATUS_GROUPS = new Set(['OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED']);
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

type Kind = 'queue' | 'status' | 'tag' | 'request-type' | 'chat-channel';

function RecordNames({ ids, kind }: { ids: readonly string[]; kind: Kind }) {
  const names = useNames(kind);
  return ids.map((id) => names.get(id) ?? id).join(', ');
}

/** The names of all records of a kind, by their ids. */
export function useNames(kind: Kind): ReadonlyMap<string, string> {
  const queues = useChoices('listQueues', kind === 'queue');
  const statuses = useChoices('listStatuses', kind === 'status');
  const tags = useChoices('listTags', kind === 'tag');
  const types = useChoices('listRequestTypes', kind === 'request-type');
  const workspaces = useChoices('listWorkspaces', kind === 'chat-channel');
  switch (kind) {
    case 'status':
      return new Map(statuses.map(({ id, label }) => [id, label]));
    case 'chat-channel':
      return new Map(
        workspaces.flatMap(({ chatTriageChannels }) =>
          chatTriageChannels.map(({ channelId, channelName }) => [
            channelId ?? '',
            `#${channelName ?? channelId}`,
          ]),
        ),
      );
    default: {
      const records = { queue: queues, tag: tags, 'request-type': types }[kind];
      return new Map(records.map(({ id, name }) => [id, name]));
    }
  }
}
