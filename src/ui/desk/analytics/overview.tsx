import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { Button } from '../../kit/button.tsx';
import { toCsv } from '../../../platform/text/csv.ts';
import { saveFile } from '../kit/save-file.ts';
import { Failed, Loading } from '../kit/states.tsx';
import styles from './analytics.module.css';
import { Chart } from './chart.tsx';
import { type Figures, ofTime, type Trend, valueOf } from './figures.ts';
import { useNames } from './names.ts';
import {
  before,
  intervalOf,
  metricBody,
  type Range,
  RANGES,
  rangeOf,
  trendBody,
  type What,
  WHAT,
} from './question.ts';
import { inWords } from './units.ts';

const NUMBERS = ['opened', 'resolved', 'response', 'csat'] as const;
type Number_ = (typeof NUMBERS)[number];
/** From this factor on, an increase is shown as a factor: thousands of percent are hard to read. */
const MANY_TIMES = 10;
const MINUTE_MS = 60_000;

/** One value of now and of the period before. */
interface Compared {
  now: number | null;
  before: number | null;
}

interface GroupRow {
  id: string | null;
  name: string;
  values: Partial<Record<Number_, number | null>>;
}

const typicalOf = (what: What) => (what === 'csat' ? ('avg' as const) : ('median' as const));

/** A chart of counts adds up to their number: it needs no request of its own. */
const sumOf = ({ data, chartConfig }: Trend): number =>
  data.reduce((sum, row) => sum + (valueOf('count', row[chartConfig.series[0]?.key ?? '']) ?? 0), 0);

/** The numbers and charts, in requests that run at once. */
async function readOverview(workspaceId: string, range: Range, now: Date, signal: AbortSignal) {
  const span = rangeOf({ range }, now);
  const asked = { workspaceId, span };
  const past = { workspaceId, span: before(span) };
  const per = intervalOf({ range, per: undefined }, span);
  const one = async (what: Number_, at: typeof asked): Promise<number | null> => {
    const { data } = await call(
      'previewMetric',
      { body: metricBody(what, { ...at, typical: typicalOf(what) }) },
      { signal },
    );
    return valueOf(WHAT[what].unit, data[0]?.value ?? 0);
  };
  const over = (what: What) => call('previewTrend', { body: trendBody(what, asked, per) }, { signal });
  const compared = async (what: Number_, value: Promise<number | null>): Promise<[Number_, Compared]> => {
    const [now, earlier] = await Promise.all([value, one(what, past)]);
    return [what, { now, before: earlier }];
  };
  const charts = { opened: over('opened'), resolved: over('resolved'), response: over('response') };
  const [opened, resolved, response, ...numbers] = await Promise.all([
    charts.opened,
    charts.resolved,
    charts.response,
    compared('opened', charts.opened.then(sumOf)),
    compared('resolved', charts.resolved.then(sumOf)),
    compared('response', one('response', asked)),
    compared('csat', one('csat', asked)),
  ]);
  return {
    per,
    numbers: Object.fromEntries(numbers) as Record<Number_, Compared>,
    opened,
    resolved,
    response,
  };
}

/** The tables. */
async function readGroups(workspaceId: string, range: Range, now: Date, signal: AbortSignal) {
  const asked = { workspaceId, span: rangeOf({ range }, now) };
  const groups = async (by: 'queueId' | 'assigneeId'): Promise<GroupRow[]> => {
    const all = await Promise.all(
      NUMBERS.map(async (what) => {
        const body = metricBody(what, { ...asked, typical: typicalOf(what) }, by);
        return [what, (await call('previewMetric', { body }, { signal })).data] as const;
      }),
    );
    const rows = new Map<string | null, GroupRow>();
    for (const [what, data] of all)
      for (const { groupId, groupName, value } of data) {
        const row = rows.get(groupId) ?? { id: groupId, name: groupName, values: {} };
        row.values[what] = valueOf(WHAT[what].unit, value);
        rows.set(groupId, row);
      }
    return [...rows.values()].toSorted((a, b) => (b.values.resolved ?? 0) - (a.values.resolved ?? 0));
  };
  const [queues, agents] = await Promise.all([groups('queueId'), groups('assigneeId')]);
  return { queues, agents };
}

/** Four numbers with their change, volume and first replies over time, and tables by queue and agent. */
export function Overview({
  workspaceId,
  range: given,
  onRange,
}: {
  workspaceId: string;
  range: Range;
  onRange: (range: Range) => void;
}) {
  const t = useTranslations('analytics');
  const range = given === 'own' ? '30d' : given;
  const names = useNames('opened');
  const responseNames = useNames('response');
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['analytics-overview', workspaceId, range],
    queryFn: ({ signal }) => readOverview(workspaceId, range, new Date(), signal),
    staleTime: MINUTE_MS,
    placeholderData: keepPreviousData,
  });
  // After what is looked at first: a browser sends six requests at a time.
  const tables = useQuery({
    queryKey: ['analytics-groups', workspaceId, range],
    queryFn: ({ signal }) => readGroups(workspaceId, range, new Date(), signal),
    staleTime: MINUTE_MS,
    placeholderData: keepPreviousData,
    enabled: data !== undefined,
  });
  const volumeOf = (): Figures | undefined => {
    if (!data) return undefined;
    const opened = ofTime({ what: 'opened', by: undefined, range }, data.per, data.opened, names);
    const resolved = ofTime({ what: 'resolved', by: undefined, range }, data.per, data.resolved, names);
    const solved = new Map(resolved.rows.map(({ name, values }) => [name, values[0] ?? null]));
    return {
      ...opened,
      series: [t('columns.opened'), t('columns.resolved')],
      rows: opened.rows.map((row) => ({ ...row, values: [...row.values, solved.get(row.name) ?? null] })),
    };
  };
  const volume = volumeOf();
  const download = () => {
    if (!tables.data) return;
    const { queues, agents } = tables.data;
    const rows = [
      [t('byQueue'), ...NUMBERS.map((what) => t(`columns.${what}`))],
      ...queues.map(lineOf),
      [t('byAgent'), ...NUMBERS.map((what) => t(`columns.${what}`))],
      ...agents.map(lineOf),
    ];
    saveFile(`analytics-${range}.csv`, 'text/csv', toCsv(rows));
  };
  const lineOf = ({ id, name, values }: GroupRow) => [
    names.group('assigneeId', id, name),
    ...NUMBERS.map((what) => String(values[what] ?? '')),
  ];
  return (
    <section className={styles['overview']} aria-busy={isFetching}>
      <div className={styles['ranges']} role="group" aria-label={t('period')}>
        {RANGES.filter((each) => each !== 'own').map((each) => (
          <Button
            key={each}
            size="small"
            kind={each === range ? 'plain' : 'quiet'}
            aria-pressed={each === range}
            onPress={() => onRange(each)}
          >
            {t(`ranges.${each}`)}
          </Button>
        ))}
        <Button size="small" isDisabled={!tables.data} onPress={download}>
          <Download size={14} aria-hidden />
          {t('csv')}
        </Button>
      </div>
      {error && !data ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data || !volume ? (
        <Loading />
      ) : (
        <>
          <dl className={styles['numbers']}>
            {NUMBERS.map((what) => (
              <Number key={what} what={what} compared={data.numbers[what]} />
            ))}
          </dl>
          <div className={styles['charts']}>
            <figure>
              <figcaption>{t('volume', { per: data.per })}</figcaption>
              <Chart figures={volume} height={220} />
            </figure>
            <figure>
              <figcaption>{t('firstReply')}</figcaption>
              <Chart
                figures={ofTime(
                  { what: 'response', by: undefined, range },
                  data.per,
                  data.response,
                  responseNames,
                )}
                height={220}
              />
            </figure>
          </div>
          {tables.error && !tables.data ? (
            <Failed error={tables.error} onRetry={() => void tables.refetch()} />
          ) : !tables.data ? (
            <Loading rows={4} />
          ) : (
            <>
              <GroupTable title={t('byQueue')} by="queueId" rows={tables.data.queues} />
              <GroupTable title={t('byAgent')} by="assigneeId" rows={tables.data.agents} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function Number({ what, compared }: { what: Number_; compared: Compared }) {
  const t = useTranslations('analytics');
  const { unit } = WHAT[what];
  const { now, before: earlier } = compared;
  const change = now === null || earlier === null || earlier === 0 ? null : now / earlier - 1;
  const percent = change === null ? '' : `${Math.round(Math.abs(change) * 100)}%`;
  // More is neither good nor bad for numbers of tickets.
  const isGood =
    change === null || unit === 'count' ? undefined : unit === 'seconds' ? change < 0 : change > 0;
  return (
    <div>
      <dt>{t(`numbers.${what}`)}</dt>
      <dd>
        <span className={styles['number']}>
          {unit === 'score' && now !== null ? t('ofFive', { value: inWords(unit, now) }) : inWords(unit, now)}
        </span>
        <span className={styles['change']} data-good={isGood}>
          {change === null ? (
            t('noneBefore')
          ) : Math.abs(change) < 0.005 ? (
            t('same')
          ) : (
            <>
              <span aria-hidden>{change > 0 ? '↑' : '↓'} </span>
              {change >= MANY_TIMES - 1
                ? t('times', { times: Math.round(change + 1) })
                : t(change > 0 ? 'more' : 'less', { percent })}
            </>
          )}
        </span>
      </dd>
    </div>
  );
}

function GroupTable({
  title,
  by,
  rows,
}: {
  title: string;
  by: 'queueId' | 'assigneeId';
  rows: readonly GroupRow[];
}) {
  const t = useTranslations('analytics');
  const names = useNames('opened');
  if (rows.length === 0) return null;
  return (
    <div className={styles['wide']} tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t(`groups.${by}`)}</th>
            {NUMBERS.map((what) => (
              <th key={what} scope="col">
                {t(`columns.${what}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, values }) => (
            <tr key={id}>
              <th scope="row">{names.group(by, id, name)}</th>
              {NUMBERS.map((what) => (
                <td key={what}>
                  {inWords(WHAT[what].unit, values[what] ?? (WHAT[what].unit === 'count' ? 0 : null))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
