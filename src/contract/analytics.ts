import { z } from 'zod';

import { id, timeZone, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';

// Specification, Analytics previews; docs/api.md, Analytics, has the details it leaves open.

/** Returns an enumeration whose error message includes the value sent, because a query may hold many. */
function closed<const Values extends readonly [string, ...string[]]>(what: string, values: Values) {
  return z.enum(values, {
    error: ({ input }) => `Unknown ${what} ${excerpt(input)}: expected one of ${values.join(', ')}`,
  });
}

/** `JSON.stringify` returns undefined for undefined, which its type does not say. */
function excerpt(input: unknown): string {
  return input === undefined ? 'nothing' : JSON.stringify(input).slice(0, LIMITS.shortText);
}

const SUBJECTS = [
  'statusId',
  'priority',
  'queueId',
  'requestTypeId',
  'assigneeId',
  'requesterId',
  'tags',
  'source',
  'csatScore',
] as const;

const DATES = [
  'createdAt',
  'updatedAt',
  'publishedAt',
  'assignedAt',
  'dueAt',
  'snoozeUntil',
  'approvedAt',
  'declinedAt',
  'startAt',
  'respondedAt',
  'resolvedAt',
  'closedAt',
  'archivedAt',
  'deletedAt',
] as const;

export const analyticsSource = closed('dataSource', ['Ticket', 'TicketMessage']);
export const aggregationType = closed('aggregation', ['count', 'sum', 'avg', 'min', 'max', 'median', 'p90']);
export const measure = closed('field', [
  'id',
  'responseTime',
  'timeToResolution',
  'timeToClose',
  'timeToAssignment',
  'csat',
]);
/** The field that records are grouped by; over time each bucket is a group, as `createdAt` implies. */
export const subject = closed('field', SUBJECTS);
export const metricGroup = closed('field', [...SUBJECTS, 'createdAt']);
export const dateField = closed('field', DATES);
export const filterField = closed('field', [...SUBJECTS, ...DATES]);
export const filterCondition = closed('condition', [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'not_in',
  'is_null',
  'is_not_null',
  'between',
]);
export const period = closed('period', ['hour', 'day', 'week', 'month', 'quarter', 'year']);

export type AnalyticsSource = z.output<typeof analyticsSource>;
export type AggregationType = z.output<typeof aggregationType>;
export type Measure = z.output<typeof measure>;
export type MetricGroup = z.output<typeof metricGroup>;
export type DateField = z.output<typeof dateField>;
export type FilterField = z.output<typeof filterField>;
export type Period = z.output<typeof period>;

/** `in` and `not_in` take several values, separated by commas or as an array. */
const filterValue = z.union([
  z.string().max(LIMITS.analytics.filterText),
  z.array(z.string().max(LIMITS.shortText)).max(LIMITS.arrayItems),
]);
export const analyticsFilter = z.object({
  field: filterField,
  condition: filterCondition,
  value: filterValue.nullish(),
  /** The second bound of `between`. */
  given: z.string().max(LIMITS.shortText).nullish(),
});
export type AnalyticsFilter = z.output<typeof analyticsFilter>;

const filters = z.array(analyticsFilter).max(LIMITS.analytics.filters);

/** The name of a value in the response. `timestamp` is the rows' own key, and `__proto__` cannot be a key. */
const alias = z
  .string()
  .min(1)
  .max(LIMITS.analytics.alias)
  .refine((name) => name !== 'timestamp' && name !== '__proto__', 'This name is already used');

export const aggregation = z
  .object({ type: aggregationType, field: measure.nullish(), alias: alias.nullish() })
  .refine(({ type, field }) => type === 'count' || (field ?? 'id') !== 'id', {
    path: ['field'],
    message: 'The field "id" can only be counted',
  });
export type Aggregation = z.output<typeof aggregation>;

const query = {
  dataSource: analyticsSource.nullish(),
  /** A record matches if it matches all filters of at least one group. */
  filterGroups: z.array(filters).max(LIMITS.analytics.filterGroups).nullish(),
  dateField: dateField.nullish(),
  limit: z.int().min(1).max(LIMITS.list.maxLimit).nullish(),
  sortOrder: closed('sortOrder', ['ASC', 'DESC']).nullish(),
  hideEmptyValues: z.boolean().nullish(),
};

/** An instant, or a day in the query's time zone; the end of a range includes its whole day. */
const moment = z.string().max(LIMITS.shortText);

const surroundings = {
  workspaceId: id,
  dateRange: z.object({ from: moment.nullish(), to: moment.nullish() }).nullish(),
  ravFilters: filters.nullish(),
  /** Beyond the specification: IANA name; default UTC. */
  timeZone: timeZone.nullish(),
};

/** `POST /analytics/preview-metric`: one number, or one per group. */
export const metricPreview = z.object({
  query: z.object({
    ...query,
    aggregations: z.array(aggregation).max(1, 'A metric has one aggregation').nullish(),
    groupBy: metricGroup.nullish(),
  }),
  ...surroundings,
  /** The length of a bucket if records are grouped by `createdAt`; default day. */
  period: period.nullish(),
});

/** `POST /analytics/preview-trend`: numbers over time. */
export const trendPreview = z.object({
  query: z.object({
    ...query,
    aggregations: z.array(aggregation).max(LIMITS.analytics.aggregations).nullish(),
    groupBy: z.array(subject).max(LIMITS.analytics.groups).nullish(),
    timeInterval: period.nullish(),
  }),
  ...surroundings,
});

export const chartConfig = z.strictObject({
  type: z.enum(['number', 'bar', 'line']),
  series: z.array(z.strictObject({ key: z.string(), label: z.string(), color: z.string() })),
  xKey: z.string(),
});
export type ChartConfig = z.output<typeof chartConfig>;

export const metric = z
  .strictObject({
    type: z.enum(['single', 'grouped']),
    data: z.array(
      z.strictObject({ groupId: z.string().nullable(), groupName: z.string(), value: z.number() }),
    ),
    chartConfig,
  })
  .meta({ id: 'Metric' });
export type Metric = z.output<typeof metric>;

/** Every row has the same keys: those of `chartConfig.series`. */
export const trend = z
  .strictObject({ data: z.array(z.object({ timestamp }).catchall(z.number())), chartConfig })
  .meta({ id: 'Trend' });
export type Trend = z.output<typeof trend>;
