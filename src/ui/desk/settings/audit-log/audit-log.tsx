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
import { fateOf, nameIn, type Sides } from './operation-words.ts';

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

/** The page of the audit log; read-only. */
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

interface Known {
  people: ReadonlyMap<string, Person>;
  keys: readonly { id: string; name: string }[];
}

/** An entry in one line, which opens if there is more. */
function One({ entry, ...known }: Known & { entry: Entry }) {
  const t = useTranslations('access.auditLog');
  const format = useFormatter();
  const { rows, summary } = useWordsOf(entry, known);
  const head = <Head entry={entry} summary={summary} hasMore={rows.length > 0} {...known} />;
  if (rows.length === 0) return <div className={styles['plain']}>{head}</div>;
  return (
    <details>
      <summary>{head}</summary>
      <dl className={styles['changes']}>
        <div>
          <dt>{t('at')}</dt>
          <dd>{format.dateTime(new Date(entry.createdAt), { dateStyle: 'long', timeStyle: 'medium' })}</dd>
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

/** What an entry says: in a line, and each detail with its name. */
function useWordsOf(
  entry: Entry,
  { people }: Known,
): { rows: (readonly [string, string])[]; summary: string } {
  const t = useTranslations('access.auditLog');
  const queues = useChoices('listQueues');
  const fieldName = (field: string) =>
    fieldWords(field, (part) => {
      const key = `fields.${part}` as 'fields.deactivatedAt';
      return t.has(key) ? t(key) : undefined;
    });
  const wordOf = (value: unknown): string => {
    if (typeof value === 'boolean') return value ? t('on') : t('off');
    const id = String(value);
    const person = people.get(id);
    if (person) return nameOf(person);
    const queue = queues.find((known) => known.id === id);
    return queue?.name ?? (typeof value === 'object' ? JSON.stringify(value) : id);
  };
  const wordsOf = (given: unknown): string => [given ?? []].flat().map(wordOf).join(', ') || t('nothing');
  const changeOf = (sides: Sides): string =>
    (['before', 'after'] as const)
      .flatMap((side) => (side in sides ? [wordsOf(sides[side])] : []))
      .join(' → ') || t('changed');
  const { changes: stored, operation, ...others } = entry.detail ?? {};
  const changes = (stored ?? {}) as Record<string, Sides>;
  const changed = Object.entries(changes);
  /** In the place of what the service calls the operation. */
  const didOf = (): string => {
    const fate = fateOf(changes);
    const key = `operations.${String(operation)}` as 'operations.saveAgent';
    const name = nameIn(changes);
    const did = [t.has(key) && t(key, { fate }).trim(), name !== undefined && t('quoted', { name })]
      .filter(Boolean)
      .join(' ');
    const fields = fate === 'changed' ? changed.map(([field]) => fieldName(field)).join('; ') : '';
    return [did, fields].filter(Boolean).join(': ');
  };
  return {
    rows: [
      ...Object.entries(others).map(([name, value]) => [name, wordsOf(value)] as const),
      ...changed.map(([name, sides]) => [fieldName(name), changeOf(sides)] as const),
    ],
    summary: operation === undefined ? reasonOf(entry, people) : didOf(),
  };
}

/** Why it was done, with people by their names. */
function reasonOf({ action, reason }: Entry, people: Known['people']): string {
  if (action === 'session.ended') return '';
  return reason.replaceAll(USER_IDS, (id) => (people.has(id) ? nameOf(people.get(id)) : id));
}

/** Who did what to whom, and when. */
function Head({
  entry: { actorId, actorKeyId, subjectId, action, createdAt },
  summary,
  hasMore,
  people,
  keys,
}: Known & { entry: Entry; summary: string; hasMore: boolean }) {
  const t = useTranslations('access.auditLog');
  const subject = subjectId && subjectId !== actorId ? people.get(subjectId) : undefined;
  const words = [subject && nameOf(subject), summary].filter(Boolean).join(': ');
  // A summary that opens has no link within.
  const ticketId = action.startsWith('ticket.') && !hasMore ? subjectId : null;
  const person = people.get(actorId ?? '');
  const actorOf = (): string => {
    // While it is being read there is no name.
    if (actorId) return person ? nameOf(person) : '…';
    if (actorKeyId) return t('key', { name: keys.find(({ id }) => id === actorKeyId)?.name ?? actorKeyId });
    return t('service');
  };
  return (
    <span className={styles['head']}>
      {actorId ? (
        <Avatar person={person} size={28} />
      ) : actorKeyId ? (
        <KeyRound size={18} aria-hidden />
      ) : (
        <Server size={18} aria-hidden />
      )}
      <span className={styles['main']}>
        <strong>{actorOf()}</strong> <Badge>{t(`actions.${keyOf(action)}`)}</Badge>
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
      <ChevronRight size={14} className={styles['more']} data-none={!hasMore || undefined} aria-hidden />
    </span>
  );
}
