import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { useRole } from '../api/session.ts';
import type { Answer } from '../api/types.ts';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import styles from './analytics.module.css';
import { Chart } from './chart.tsx';
import { Choice, PeriodChoice, QueueChoice } from './choice.tsx';
import { before, type Question, rangeOf } from './question.ts';
import { REPORT_GROUPS, type ReportGroup } from './report-groups.ts';
import {
  type Asked,
  attained,
  byWeek,
  csvAddress,
  heldShare,
  isWithoutResults,
  reportQuery,
  secondsOf,
  SHOWN,
  weekName,
} from './sla-figures.ts';
import { Breaches, DueNext, Section, useDue, WaitedWithoutReply } from './sla-tickets.tsx';
import { inWords, type Unit } from './units.ts';

type Report = Answer<'readTargetReport'>;

interface Props {
  workspaceId: string;
  question: Question;
  ask: (part: Partial<Question>) => void;
}

/** The report, the weeks of its chart, and the period before, to compare with. */
async function readReport(asked: Asked, groupBy: ReportGroup, signal: AbortSignal) {
  const read = (of: Asked, by: ReportGroup, limit: number) =>
    call('readTargetReport', { query: reportQuery(of, by, limit) }, { signal });
  const past = { ...asked, span: before(asked.span) };
  const [report, weeks, earlier] = await Promise.all([
    read(asked, groupBy, SHOWN),
    read(asked, 'week', 0),
    read(past, 'week', 0),
  ]);
  return { asked, report, weeks, earlier: earlier.total };
}

/** The SLA report: which targets were met, what is due next, and where the time of what was late went. */
export function Sla({ workspaceId, question, ask }: Props) {
  const t = useTranslations('analytics');
  const { range, from, to, queueId, group } = question;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['target-report', workspaceId, { range, from, to, queueId, group }],
    queryFn: ({ signal }) => {
      const span = rangeOf(question, new Date());
      if (span.from > span.to) throw new Refusal(400, t('reversed'));
      return readReport({ workspaceId, span, queueId }, group, signal);
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  if (error instanceof Refusal && error.isAbsent) return <Empty title={t('sla.lacking')} />;
  return (
    <section className={styles['overview']} aria-label={t('sla.title')} aria-busy={isFetching}>
      <div className={styles['questions']} role="group" aria-label={t('show')}>
        <PeriodChoice question={question} ask={ask} />
        <QueueChoice queueId={queueId} ask={ask} />
        <Choice
          label={t('groupedBy')}
          options={REPORT_GROUPS.map((id) => ({ id, text: t(`sla.groups.${id}`) }))}
          value={group}
          onChange={(id) => ask({ group: id as ReportGroup })}
        />
      </div>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          <Numbers total={data.report.total} earlier={data.earlier} asked={data.asked} />
          {isWithoutResults(data.report) ? (
            <NoResults />
          ) : (
            <>
              <figure>
                <figcaption>{t('sla.byWeek')}</figcaption>
                <Chart
                  figures={byWeek(data.weeks, data.asked.span, {
                    series: [t('sla.targets.first-reply'), t('sla.targets.resolution')],
                    weekOf: (day) => t('weekOf', { day }),
                  })}
                  height={200}
                />
              </figure>
              <Groups report={data.report} group={group} csv={csvAddress(data.asked, group, 'groups')} />
            </>
          )}
          <DueNext workspaceId={workspaceId} queueId={queueId} />
          <Breaches
            breaches={data.report.breaches}
            total={data.report.total.firstReply.missed + data.report.total.resolution.missed}
            csv={csvAddress(data.asked, group, 'breaches')}
          />
          <WaitedWithoutReply
            waiting={data.report.waiting}
            total={data.report.total.waitedWithoutReply}
            csv={csvAddress(data.asked, group, 'waiting')}
          />
        </>
      )}
    </section>
  );
}

function NoResults() {
  const t = useTranslations('analytics');
  const role = useRole();
  return (
    <Empty title={t('sla.empty')}>
      {role === 'admin' ? (
        <Link to="/settings/{-$section}/{-$item}" params={{ section: 'queues', item: undefined }}>
          {t('sla.emptyAdmin')}
        </Link>
      ) : (
        t('sla.emptyMore')
      )}
    </Empty>
  );
}

/** Five figures; the first three with those of the period before. */
function Numbers({
  total,
  earlier,
  asked,
}: {
  total: Report['total'];
  earlier: Report['total'];
  asked: Asked;
}) {
  const t = useTranslations('analytics');
  const { workspaceId, queueId } = asked;
  const { data: late } = useDue('overdue', workspaceId, queueId);
  const share = (target: 'firstReply' | 'resolution') => {
    const { [target]: outcome } = total;
    const now = attained(outcome);
    return (
      <Figure name={t(`sla.numbers.${target}`)} unit="percent" value={now}>
        {now === null
          ? t('sla.noResult')
          : t('sla.of', { inTime: outcome.attained, all: outcome.attained + outcome.missed })}
        <Change now={now} earlier={attained(earlier[target])} />
      </Figure>
    );
  };
  return (
    <dl className={styles['numbers']}>
      {share('firstReply')}
      {share('resolution')}
      <Figure name={t('sla.numbers.median')} unit="seconds" value={secondsOf(total.firstReply.medianMinutes)}>
        {t('sla.businessTime')}
      </Figure>
      <Figure name={t('sla.numbers.held')} unit="percent" value={heldShare(total)}>
        {t('sla.ofBusinessTime')}
      </Figure>
      <Figure name={t('sla.numbers.late')} unit="count" value={late?.totalCount ?? null}>
        {late && late.totalCount > 0 ? (
          <Link
            to="/views/$view"
            params={{ view: 'all' }}
            search={{ due: 'overdue', ...(queueId && { queueId }) } as never}
          >
            {t('sla.showLate')}
          </Link>
        ) : (
          late && t('sla.noneLate')
        )}
      </Figure>
    </dl>
  );
}

function Figure({
  name,
  unit,
  value,
  children,
}: {
  name: string;
  unit: Unit;
  value: number | null;
  children: ReactNode;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={styles['number']}>{inWords(unit, value)}</span>
        <span className={styles['change']}>{children}</span>
      </dd>
    </div>
  );
}

/** The change of a share since the previous period, in percentage points. */
function Change({ now, earlier }: { now: number | null; earlier: number | null }) {
  const t = useTranslations('analytics');
  if (now === null || earlier === null) return null;
  const points = Math.round(now) - Math.round(earlier);
  return (
    <>
      {' · '}
      {points === 0 ? (
        t('same')
      ) : (
        <span className={styles['change']} data-good={points > 0}>
          <span aria-hidden>{points > 0 ? '↑' : '↓'} </span>
          {t(points > 0 ? 'sla.morePoints' : 'sla.fewerPoints', { points: Math.abs(points) })}
        </span>
      )}
    </>
  );
}

/** The figures of each group, as a table. */
function Groups({ report, group, csv }: { report: Report; group: ReportGroup; csv: string }) {
  const t = useTranslations('analytics');
  const common = useTranslations('common');
  const title = t('sla.attainedBy', { group: t(`sla.groups.${group}`).toLowerCase() });
  const nameOf = ({ groupId, groupName }: Report['groups'][number]) => {
    if (groupId === null) return group === 'assignee' ? t('no.assigneeId') : t('no.other');
    if (group === 'week') return weekName(groupId).long;
    if (group === 'priority') return common(`priority.${groupId as 'HIGH'}`);
    return groupName ?? groupId;
  };
  const rows = ORDER[group] ? report.groups.toSorted((a, b) => ORDER[group]?.(a, b) ?? 0) : report.groups;
  return (
    <Section title={title} csv={csv}>
      <div className={styles['wide']} tabIndex={0} role="region" aria-label={t('figures')}>
        <table aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t(`sla.groups.${group}`)}</th>
              {COLUMNS.map((column) => (
                <th key={column} scope="col">
                  {t(`sla.columns.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.groupId}>
                <th scope="row">{nameOf(row)}</th>
                <Outcome outcome={row.firstReply} />
                <Outcome outcome={row.resolution} />
                <td>{inWords('percent', heldShare(row))}</td>
                <td>{inWords('count', row.waitedWithoutReply)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

const COLUMNS = ['first', 'firstMedian', 'resolved', 'resolvedMedian', 'held', 'waited'] as const;

/** Two cells: how many were in time, and how long it took. */
function Outcome({ outcome }: { outcome: Report['total']['firstReply'] }) {
  const t = useTranslations('analytics');
  const all = outcome.attained + outcome.missed;
  return (
    <>
      <td>
        {all > 0 && (
          <span className={styles['counts']}>{t('sla.of', { inTime: outcome.attained, all })}</span>
        )}{' '}
        {inWords('percent', attained(outcome))}
      </td>
      <td>{inWords('seconds', secondsOf(outcome.medianMinutes))}</td>
    </>
  );
}

type Group = Report['groups'][number];
const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'];
const results = ({ firstReply, resolution }: Group) =>
  firstReply.attained + firstReply.missed + resolution.attained + resolution.missed;
const bySize = (one: Group, other: Group) => results(other) - results(one);

/** Weeks and priorities have an order of their own; others begin with the largest. */
const ORDER: Partial<Record<ReportGroup, (one: Group, other: Group) => number>> = {
  queue: bySize,
  assignee: bySize,
  'request-type': bySize,
  priority: (one, other) => PRIORITIES.indexOf(one.groupId ?? '') - PRIORITIES.indexOf(other.groupId ?? ''),
};
