import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { Button } from '../../kit/button.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import styles from './analytics.module.css';
import { Chart } from './chart.tsx';
import { Choice, PeriodChoice, QueueChoice } from './choice.tsx';
import { type Figures, isEmpty, ofGroups, ofTime, valueOf } from './figures.ts';
import { useNames } from './names.ts';
import {
  type Group,
  GROUPS,
  intervalOf,
  intervalsOf,
  metricBody,
  type Question,
  rangeOf,
  trendBody,
  TYPICAL,
  type What,
  WHAT,
} from './question.ts';
import { type Interval, inWords } from './units.ts';

interface Props {
  workspaceId: string;
  question: Question;
  ask: (part: Partial<Question>) => void;
}

/** Any question about tickets and messages: a chart and the same data as a table. The address can be shared. */
export function Builder({ workspaceId, question, ask }: Props) {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const names = useNames(question.what);
  const { what, typical, show, by, queueId } = question;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['analytics', workspaceId, question],
    queryFn: async ({ signal }) => {
      const at = new Date();
      const span = rangeOf(question, at);
      if (span.from > span.to) throw new Refusal(400, t('reversed'));
      const asked = { workspaceId, span, typical, queueId };
      const per = intervalOf(question, span);
      const [figures, whole] = await Promise.all([
        show === 'groups'
          ? call('previewMetric', { body: metricBody(what, asked, by) }, { signal }).then((answer) =>
              ofGroups(by ?? 'statusId', WHAT[what].unit, answer, names),
            )
          : call('previewTrend', { body: trendBody(what, asked, per, by) }, { signal }).then((answer) =>
              ofTime(question, per, answer, names),
            ),
        call('previewMetric', { body: metricBody(what, asked) }, { signal }),
      ]);
      return { figures, per, at, total: valueOf(WHAT[what].unit, whole.data[0]?.value) };
    },
    staleTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const isTypical = 'field' in WHAT[what];
  return (
    <section className={styles['builder']} aria-busy={isFetching}>
      <Questions workspaceId={workspaceId} question={question} ask={ask} />
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          <figure>
            <figcaption>
              {isTypical
                ? `${t(`what.${what}`)} (${t(`typical.${typical}`).toLowerCase()})`
                : t(`what.${what}`)}
              <span className={styles['number']}>{inWords(WHAT[what].unit, data.total)}</span>
            </figcaption>
            <Chart figures={data.figures} />
            {data.figures.isCut && (
              <p className={styles['muted']}>
                {t('onlyLargest', {
                  count: data.figures.kind === 'bars' ? data.figures.rows.length : data.figures.series.length,
                })}
              </p>
            )}
            {by === 'tags' && <p className={styles['muted']}>{t('manyTags')}</p>}
          </figure>
          {!isEmpty(data.figures) && (
            <Table
              figures={data.figures}
              title={t(`what.${what}`)}
              first={show === 'groups' ? t(`groups.${by ?? 'statusId'}`) : t(`intervals.${data.per}`)}
            />
          )}
          <p className={styles['muted']}>
            {t('asOf', { time: format.dateTime(data.at, { dateStyle: 'medium', timeStyle: 'short' }) })}{' '}
            <Button size="small" kind="quiet" onPress={() => void refetch()}>
              {t('refresh')}
            </Button>
          </p>
        </>
      )}
    </section>
  );
}

function Questions({ question, ask }: Props) {
  const t = useTranslations('analytics');
  const { what, typical, show, by, queueId } = question;
  const span = rangeOf(question, new Date());
  const groups = GROUPS.map((id) => ({ id, text: t(`groups.${id}`) }));
  return (
    <div className={styles['questions']} role="group" aria-label={t('show')}>
      <Choice
        label={t('show')}
        options={(Object.keys(WHAT) as What[]).map((id) => ({ id, text: t(`what.${id}`) }))}
        value={what}
        // The function for ratings differs from the one for times.
        onChange={(id) => ask({ what: id as What, typical: undefined as never })}
      />
      {'field' in WHAT[what] && (
        <Choice
          label={t('as')}
          options={TYPICAL.map((id) => ({ id, text: t(`typical.${id}`) }))}
          value={typical}
          onChange={(id) => ask({ typical: id as 'avg' })}
        />
      )}
      <Choice
        label={t('draw')}
        options={[
          { id: 'time', text: t('overTime') },
          { id: 'groups', text: t('byGroup') },
        ]}
        value={show}
        onChange={(id) => ask({ show: id as 'time', by: undefined })}
      />
      <Choice
        label={t('groupedBy')}
        options={show === 'time' ? [{ id: '', text: t('nothing') }, ...groups] : groups}
        value={by ?? ''}
        onChange={(id) => ask({ by: (id || undefined) as Group | undefined })}
      />
      <PeriodChoice question={question} ask={ask} />
      {show === 'time' && (
        <Choice
          label={t('per')}
          options={intervalsOf(span).map((id) => ({ id, text: t(`intervals.${id}`) }))}
          value={intervalOf(question, span)}
          onChange={(id) => ask({ per: id as Interval })}
        />
      )}
      <QueueChoice queueId={queueId} ask={ask} />
    </div>
  );
}

/** The values of the chart as a table, for reading, copying and screen readers. */
function Table({
  figures: { unit, series, rows },
  title,
  first,
}: {
  figures: Figures;
  title: string;
  first: string;
}) {
  const t = useTranslations('analytics');
  return (
    <div className={styles['wide']} tabIndex={0} role="region" aria-label={t('figures')}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {series.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, at) => (
                <td key={series[at]}>{inWords(unit, value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
