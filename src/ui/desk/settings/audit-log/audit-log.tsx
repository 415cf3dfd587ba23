import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, KeyRound, Server } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../../api/people.ts';
import { useChoices } from '../../api/query.ts';
import { useRows } from '../../api/rows.ts';
import type { ItemOf, Person } from '../../api/types.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Button } from '../../../kit/button.tsx';
import { PersonPicker } from '../../kit/person-picker.tsx';
import { Picker } from '../../../kit/picker.tsx';
import { Empty, Failed, Loading } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { Page } from '../parts/page.tsx';
import { Badge } from '../parts/records.tsx';
import type { SectionProps } from '../section.ts';
import styles from './audit-log.module.css';
import { DayField } from '../parts/day-field.tsx';
import { fieldWords } from './field-words.ts';

type Entry = ItemOf<'listAuditEntries'>;
type Action = Entry['action'];
type WithoutDot<Text extends string> = Text extends `${infer Before}.${infer After}`
  ? `${Before}-${After}`
  : Text;

/** The service's actions in groups. */
const ACTIONS = {
  signIn: ['session.started', 'session.ended', 'sign-in.refused', 'sign-in-link.created', 'identity.removed'],
  people: [
    'user.changed',
    'user.account-linked',
    'user.role-changed',
    'user.deactivated',
    'user.reactivated',
    'user.erased',
  ],
  keys: ['api-key.created', 'api-key.revoked'],
  records: [
    'settings.changed',
    'data.exported',
    'ticket.archived',
    'ticket.opened',
    'message.changed',
    'message.deleted',
    'file.deleted',
    'webhook.deactivated',
    'workflow.paused',
    'workflow.run-changed',
    'tool.called',
    'connection.started',
    'connection.ended',
  ],
} as const satisfies Record<string, readonly Action[]>;
type Group = keyof typeof ACTIONS;

interface Filters {
  action?: Action | undefined;
  actorId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const startOf = (day: string) => new Date(`${day}T00:00`).toISOString();
const endOf = (day: string) => new Date(`${day}T23:59:59.999`).toISOString();

/** Keys of messages have no dots. */
const keyOf = (action: Action) => action.replace('.', '-') as WithoutDot<Action>;

/** Who did what, and when; read-only. */
export function AuditLogSettings(_: SectionProps) {
  const t = useTranslations('access.auditLog');
  const common = useTranslations('common');
  const sections = useTranslations('settings.sections');
  const [filters, setFilters] = useState<Filters>({});
  const { from, to, ...others } = filters;
  const { read, more } = useRows('listAuditEntries', {
    ...others,
    ...(from && { createdFrom: startOf(from) }),
    ...(to && { createdTo: endOf(to) }),
    sortBy: 'createdAt',
    sortDirection: 'desc',
  });
  const entries = read.data?.items ?? [];
  const total = read.data?.totalCount ?? 0;
  return (
    <Page title={sections('audit-log')} intro={t('intro')} size="wide">
      <FilterFields filters={filters} onChange={(part) => setFilters({ ...filters, ...part })} />
      {read.error && !read.data && <Failed error={read.error} onRetry={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {read.data && (
        <p className={styles['muted']} role="status">
          {t('count', { count: total })}
        </p>
      )}
      {read.data && entries.length === 0 && <Empty title={t('empty')}>{t('emptyMore')}</Empty>}
      <Entries entries={entries} />
      {more.isThere && (
        <div>
          <Button isPending={more.isReading} onPress={more.read}>
            {common('more')}
          </Button>
        </div>
      )}
    </Page>
  );
}

function FilterFields({ filters, onChange }: { filters: Filters; onChange: (part: Filters) => void }) {
  const t = useTranslations('access.auditLog');
  const people = usePeople(filters.actorId ? [filters.actorId] : []);
  const { action, actorId, from, to } = filters;
  const groups = Object.keys(ACTIONS) as Group[];
  const actionText = action ? t(`actions.${keyOf(action)}`) : t('anyAction');
  const actorText = actorId ? nameOf(people.get(actorId)) : t('anyone');
  return (
    <div className={styles['filters']} role="search" aria-label={t('filters')}>
      <Picker
        label={t('action')}
        options={[
          { id: '', text: t('anyAction') },
          ...groups.flatMap((group) =>
            ACTIONS[group].map((id) => ({
              id,
              text: t(`actions.${keyOf(id)}`),
              group: t(`groups.${group}`),
            })),
          ),
        ]}
        selected={[action ?? '']}
        onChange={([id]) => onChange({ action: (id || undefined) as Action | undefined })}
      >
        <Button aria-label={`${t('action')}: ${actionText}`}>
          {actionText} <ChevronDown size={14} aria-hidden />
        </Button>
      </Picker>
      <PersonPicker
        label={t('actor')}
        none={t('anyone')}
        selected={[actorId ?? '']}
        onChange={([id]) => onChange({ actorId: id || undefined })}
      >
        <Button aria-label={`${t('actor')}: ${actorText}`}>
          {actorText} <ChevronDown size={14} aria-hidden />
        </Button>
      </PersonPicker>
      <DayField label={t('from')} value={from} onChange={(day) => onChange({ from: day })} />
      <DayField label={t('to')} value={to} onChange={(day) => onChange({ to: day })} />
    </div>
  );
}

/** Stored reasons name people by their ids, so that nobody's name outlives their erasure. */
const USER_IDS = /\busr_\w+/g;

const isUser = (id: string | null): id is string => id?.startsWith('usr_') ?? false;

function Entries({ entries }: { entries: readonly Entry[] }) {
  const t = useTranslations('settings');
  const people = usePeople(
    entries.flatMap(({ actorId, subjectId, reason }) => [
      ...[actorId, subjectId].filter(isUser),
      ...(reason.match(USER_IDS) ?? []),
    ]),
  );
  const keys = useChoices('listApiKeys', entries.length > 0);
  return (
    <ul className={styles['entries']} aria-label={t('sections.audit-log')}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <One entry={entry} people={people} keys={keys} />
        </li>
      ))}
    </ul>
  );
}

function One({
  entry,
  people,
  keys,
}: {
  entry: Entry;
  people: ReadonlyMap<string, Person>;
  keys: readonly { id: string; name: string }[];
}) {
  const t = useTranslations('access.auditLog');
  const format = useFormatter();
  const queues = useChoices('listQueues');
  const { actorId, actorKeyId, subjectId, action, createdAt } = entry;
  const reason = entry.reason.replaceAll(USER_IDS, (id) => (people.has(id) ? nameOf(people.get(id)) : id));
  const fieldName = (field: string) =>
    fieldWords(field, (part) => {
      const key = `fields.${part}` as 'fields.deactivatedAt';
      return t.has(key) ? t(key) : undefined;
    });
  const wordsOf = (given: unknown): string =>
    [given ?? []]
      .flat()
      .map((each: unknown) => {
        if (typeof each === 'boolean') return each ? t('on') : t('off');
        const id = String(each);
        const person = people.get(id);
        if (person) return nameOf(person);
        const queue = queues.find((known) => known.id === id);
        return queue?.name ?? (typeof each === 'object' ? JSON.stringify(each) : id);
      })
      .join(', ') || t('nothing');
  const { changes, operation: _operation, ...others } = entry.detail ?? {};
  const changed = Object.entries((changes ?? {}) as Record<string, { before?: unknown; after?: unknown }>);
  // A value that the log does not show has neither side; of a record that was created or deleted one is missing.
  const change = (sides: { before?: unknown; after?: unknown }) =>
    ['before', 'after']
      .flatMap((side) => (side in sides ? [wordsOf(sides[side as 'before'])] : []))
      .join(' → ') || t('changed');
  const rows = [
    ...Object.entries(others).map(([name, value]) => [name, wordsOf(value)] as const),
    ...changed.map(([name, sides]) => [fieldName(name), change(sides)] as const),
  ];
  const subject = subjectId && subjectId !== actorId ? people.get(subjectId) : undefined;
  const fields = changed.map(([field]) => fieldName(field)).join('; ');
  // The reason ends with the fields by their paths.
  const raw = `: ${changed.map(([field]) => field).join(', ')}.`;
  // Of a person, the action says what was done: the fields say more than the operation.
  const summary =
    action === 'session.ended'
      ? ''
      : action.startsWith('user.') && changed.length > 0
        ? fields
        : changed.length > 0 && reason.endsWith(raw)
          ? `${reason.slice(0, -raw.length)}: ${fields}`
          : reason;
  const person = people.get(actorId ?? '');
  const actor = actorId
    ? // While it is being read there is no name.
      person
      ? nameOf(person)
      : '…'
    : actorKeyId
      ? t('key', { name: keys.find(({ id }) => id === actorKeyId)?.name ?? actorKeyId })
      : t('service');
  // A summary that opens has no link within.
  const ticketId = action.startsWith('ticket.') && rows.length === 0 ? subjectId : null;
  const words = [subject && nameOf(subject), summary].filter(Boolean).join(': ');
  const head = (
    <span className={styles['head']}>
      {actorId ? (
        <Avatar person={person} size={28} />
      ) : actorKeyId ? (
        <KeyRound size={18} aria-hidden />
      ) : (
        <Server size={18} aria-hidden />
      )}
      <span className={styles['main']}>
        <strong>{actor}</strong> <Badge>{t(`actions.${keyOf(action)}`)}</Badge>
        {(words || ticketId) && (
          <span className={styles['words']}>
            {words}{' '}
            {ticketId && (
              <Link to="/tickets/$code" params={{ code: ticketId }} search={{}}>
                {t('showTicket')}
              </Link>
            )}
          </span>
        )}
      </span>
      <Time at={createdAt} isShort />
      <ChevronRight
        size={14}
        className={styles['more']}
        data-none={rows.length === 0 || undefined}
        aria-hidden
      />
    </span>
  );
  if (rows.length === 0) return <div className={styles['plain']}>{head}</div>;
  return (
    <details>
      <summary>{head}</summary>
      <dl className={styles['changes']}>
        <div>
          <dt>{t('at')}</dt>
          <dd>{format.dateTime(new Date(createdAt), { dateStyle: 'long', timeStyle: 'medium' })}</dd>
        </div>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
