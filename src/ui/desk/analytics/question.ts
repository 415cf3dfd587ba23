import type { BodyOf } from '../api/types.ts';
import { READER_TIME_ZONE } from '../kit/locale.ts';
import { REPORT_GROUPS, type ReportGroup } from './report-groups.ts';
import { type Interval, INTERVALS, type Unit } from './units.ts';

export type MetricBody = NonNullable<BodyOf<'previewMetric'>>;
export type TrendBody = NonNullable<BodyOf<'previewTrend'>>;

/** `dateField` says by which date a range selects tickets, for example the date of the first reply. */
interface Measure {
  unit: Unit;
  dateField: 'createdAt' | 'resolvedAt' | 'respondedAt' | 'assignedAt';
  dataSource?: 'TicketMessage';
  field?: 'responseTime' | 'timeToAssignment' | 'timeToResolution' | 'csat';
}

/** The figures that can be queried; their names are in the message catalogue. */
export const WHAT = {
  opened: { unit: 'count', dateField: 'createdAt' },
  resolved: { unit: 'count', dateField: 'resolvedAt' },
  messages: { unit: 'count', dateField: 'createdAt', dataSource: 'TicketMessage' },
  response: { unit: 'seconds', dateField: 'respondedAt', field: 'responseTime' },
  assignment: { unit: 'seconds', dateField: 'assignedAt', field: 'timeToAssignment' },
  resolution: { unit: 'seconds', dateField: 'resolvedAt', field: 'timeToResolution' },
  csat: { unit: 'score', dateField: 'createdAt', field: 'csat' },
} as const satisfies Record<string, Measure>;
export type What = keyof typeof WHAT;

/** How many times or ratings are summarized in one value. */
export const TYPICAL = ['median', 'p90', 'avg', 'min', 'max'] as const;
export type Typical = (typeof TYPICAL)[number];

export const GROUPS = [
  ...(['statusId', 'queueId', 'priority', 'requestTypeId', 'assigneeId'] as const),
  ...(['requesterId', 'tags', 'source', 'csatScore'] as const),
];
export type Group = (typeof GROUPS)[number];

export const RANGES = ['24h', '7d', '30d', '13w', '12m', 'own'] as const;
export type Range = (typeof RANGES)[number];
const PER: Partial<Record<Range, Interval>> = {
  '24h': 'hour',
  '7d': 'day',
  '30d': 'day',
  '13w': 'week',
  '12m': 'month',
};
const HOURS: Record<Interval, number> = {
  hour: 1,
  day: 24,
  week: 168,
  month: 672,
  quarter: 2160,
  year: 8760,
};
/** More points than this are hard to read on a screen and in the table. */
const MOST_POINTS = 400;
/** The maximum of lines and bars in a readable chart. */
export const SERIES = 8;
export const BARS = 20;

/** A question of the query builder or to the SLA report, as its address says it. */
export interface Question {
  what: What;
  typical: Typical;
  show: 'time' | 'groups';
  by: Group | undefined;
  range: Range;
  from?: string | undefined;
  to?: string | undefined;
  per: Interval | undefined;
  queueId: string | undefined;
  workspaceId: string | undefined;
  /** The grouping of the SLA report. */
  group: ReportGroup;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the question from an address; missing or unknown parts get their default. */
export function readQuestion(search: Record<string, unknown>): Question {
  const one = <T extends string>(key: string, known: readonly T[]): T | undefined =>
    known.find((each) => each === search[key]);
  const text = (key: string) => (typeof search[key] === 'string' && search[key] ? search[key] : undefined);
  const day = (key: string) => (DAY.test(text(key) ?? '') ? text(key) : undefined);
  const what = one('what', Object.keys(WHAT) as What[]) ?? 'opened';
  const show = search['show'] === 'groups' ? 'groups' : 'time';
  return {
    what,
    show,
    range: one('range', RANGES) ?? '30d',
    per: one('per', INTERVALS),
    typical: one('typical', TYPICAL) ?? (what === 'csat' ? 'avg' : 'median'),
    by: one('by', GROUPS) ?? (show === 'groups' ? 'statusId' : undefined),
    from: day('from'),
    to: day('to'),
    queueId: text('queueId'),
    workspaceId: text('workspaceId'),
    group: one('group', REPORT_GROUPS) ?? 'queue',
  };
}

export interface Span {
  from: Date;
  to: Date;
}

/** The range from the start of an interval to now, or the chosen whole days, in the time zone of the browser. */
export function rangeOf({ range, from, to }: Pick<Question, 'range' | 'from' | 'to'>, now: Date): Span {
  const day = (back: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  const wall = (text: string, daysMore: number) => {
    const [year = 0, month = 1, date = 1] = text.split('-').map(Number);
    return new Date(year, month - 1, date + daysMore);
  };
  switch (range) {
    case '24h':
      return {
        from: new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours() - 23),
        to: now,
      };
    case '7d':
      return { from: day(6), to: now };
    case '30d':
      return { from: day(29), to: now };
    case '13w':
      // Weeks begin on Monday.
      return { from: day(((now.getDay() + 6) % 7) + 12 * 7), to: now };
    case '12m':
      return { from: new Date(now.getFullYear(), now.getMonth() - 11, 1), to: now };
    case 'own':
      return { from: from ? wall(from, 0) : day(29), to: to ? new Date(wall(to, 1).getTime() - 1) : now };
  }
}

/** The same length of time before a range, to compare with. */
export function before({ from, to }: Span): Span {
  return {
    from: new Date(from.getTime() - (to.getTime() - from.getTime())),
    to: new Date(from.getTime() - 1),
  };
}

/** The intervals that suit a chart of a range: at least two points if possible, and not too many. */
export function intervalsOf({ from, to }: Span): Interval[] {
  const hours = (to.getTime() - from.getTime()) / 3_600_000;
  const fitting = INTERVALS.filter((per) => hours / HOURS[per] <= MOST_POINTS);
  const telling = fitting.filter((per) => hours / HOURS[per] >= 1.5);
  return telling.length > 0 ? telling : fitting.slice(0, 1);
}

export function intervalOf(question: Pick<Question, 'per' | 'range'>, range: Span): Interval {
  const possible = intervalsOf(range);
  const wanted = [question.per, PER[question.range]].find((per) => per && possible.includes(per));
  if (wanted) return wanted;
  // About as many points as a month has days.
  const hours = (range.to.getTime() - range.from.getTime()) / 3_600_000;
  return possible.findLast((per) => hours / HOURS[per] >= 12) ?? possible[0] ?? 'day';
}

const surroundings = (workspaceId: string, { from, to }: Span) => ({
  workspaceId,
  timeZone: READER_TIME_ZONE,
  dateRange: { from: from.toISOString(), to: to.toISOString() },
});

interface Asked {
  workspaceId: string;
  span: Span;
  typical?: Typical | undefined;
  queueId?: string | undefined;
}

function queryOf(what: What, { typical, queueId }: Asked) {
  const { field, dateField, dataSource }: Measure = WHAT[what];
  return {
    dataSource: dataSource ?? ('Ticket' as const),
    dateField,
    aggregations: [
      {
        type: field ? (typical ?? 'median') : ('count' as const),
        field: field ?? ('id' as const),
        alias: 'value',
      },
    ],
    ...(queueId && {
      filterGroups: [[{ field: 'queueId' as const, condition: 'equals' as const, value: queueId }]],
    }),
  };
}

/** The request for one number, or for one per group (one more than is shown, to detect whether there are more). */
export function metricBody(what: What, asked: Asked, groupBy?: Group): MetricBody {
  const query = { ...queryOf(what, asked), ...(groupBy && { groupBy, limit: BARS + 1 }) };
  return { query, ...surroundings(asked.workspaceId, asked.span) };
}

/** The request for numbers over time. */
export function trendBody(what: What, asked: Asked, timeInterval: Interval, by?: Group): TrendBody {
  const query = { ...queryOf(what, asked), timeInterval, ...(by && { groupBy: [by], limit: SERIES + 1 }) };
  return { query, ...surroundings(asked.workspaceId, asked.span) };
}
