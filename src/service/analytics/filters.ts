import { type RawBuilder, sql } from 'kysely';

import type { AnalyticsFilter, AnalyticsSource } from '../../contract/index.ts';
import { contains } from '../lists/filters.ts';
import { malformed } from '../problem.ts';
import { dateColumn, isText, textColumn } from './columns.ts';
import { toRange } from './ranges.ts';

type Condition = AnalyticsFilter['condition'];
type Truth = RawBuilder<boolean>;

/** The context of a filter: the source, the time zone of its days, and its path in the request. */
export interface FilterContext {
  source: AnalyticsSource;
  timeZone: string;
  path: string;
}

/** Negated conditions; a record without a value matches the negated one. */
const OPPOSITE: Partial<Record<Condition, Condition>> = {
  not_equals: 'equals',
  not_contains: 'contains',
  not_in: 'in',
  is_not_null: 'is_null',
};

const ORDER = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** Returns a filter as a condition of the statement; its values are parameters. */
export function conditionOf(filter: AnalyticsFilter, context: FilterContext): Truth {
  const opposite = OPPOSITE[filter.condition];
  if (opposite)
    return sql<boolean>`(${conditionOf({ ...filter, condition: opposite }, context)} is not true)`;
  const { field } = filter;
  if (isText(field)) return textCondition(filter, textColumn(context.source, field), context);
  if (field === 'tags') return tagCondition(filter, context);
  if (field === 'csatScore') return scoreCondition(filter, context);
  return dateCondition(filter, dateColumn(context.source, field), context);
}

/** Returns a condition that any group of filters matches; without groups everything matches. */
export function anyGroup(groups: readonly (readonly AnalyticsFilter[])[], context: FilterContext): Truth {
  if (groups.length === 0) return sql<boolean>`true`;
  return joinConditions(
    groups.map((group, index) => matchesAll(group, { ...context, path: `${context.path}.${index}` })),
    sql` or `,
  );
}

export function matchesAll(filters: readonly AnalyticsFilter[], context: FilterContext): Truth {
  if (filters.length === 0) return sql<boolean>`true`;
  const conditions = filters.map((filter, index) =>
    conditionOf(filter, { ...context, path: `${context.path}.${index}` }),
  );
  return joinConditions(conditions, sql` and `);
}

function joinConditions(conditions: readonly Truth[], word: RawBuilder<unknown>): Truth {
  return sql<boolean>`(${sql.join(conditions, word)})`;
}

function textCondition(filter: AnalyticsFilter, column: RawBuilder<string>, context: FilterContext): Truth {
  switch (filter.condition) {
    case 'equals':
      return sql<boolean>`${column} = ${oneValue(filter, context)}`;
    case 'in':
      return sql<boolean>`${column} = any(${values(filter, context)}::text[])`;
    case 'contains':
      return sql<boolean>`strpos(lower(${column}), lower(${oneValue(filter, context)})) > 0`;
    case 'is_null':
      return sql<boolean>`${column} is null`;
    default:
      throw unsupportedCondition(filter, context);
  }
}

function tagCondition(filter: AnalyticsFilter, context: FilterContext): Truth {
  const tagged = (which: RawBuilder<unknown>) =>
    sql<boolean>`exists (select 1 from ticket_tag x join tag on tag.workspace_id = x.workspace_id and tag.id = x.tag_id
      where x.workspace_id = t.workspace_id and x.ticket_id = t.id and ${which})`;
  switch (filter.condition) {
    case 'equals':
      return tagged(sql`x.tag_id = ${oneValue(filter, context)}`);
    case 'in':
      return tagged(sql`x.tag_id = any(${values(filter, context)}::text[])`);
    case 'contains': {
      const value = oneValue(filter, context);
      return tagged(sql`(x.tag_id = ${value} or ${contains(['tag.name'], value)})`);
    }
    case 'is_null':
      return sql<boolean>`not ${tagged(sql`true`)}`;
    default:
      throw unsupportedCondition(filter, context);
  }
}

function scoreCondition(filter: AnalyticsFilter, context: FilterContext): Truth {
  const rated = (which: RawBuilder<unknown>) =>
    sql<boolean>`exists (select 1 from csat x
      where x.workspace_id = t.workspace_id and x.ticket_id = t.id and ${which})`;
  const { condition } = filter;
  switch (condition) {
    case 'equals':
      return rated(sql`x.score = ${oneNumber(filter, context)}::float8`);
    case 'in': {
      const scores = values(filter, context).map((text) => numberOf(text, `${context.path}.value`));
      return rated(sql`x.score = any(${scores}::float8[])`);
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return rated(sql`x.score ${ORDER[condition]} ${oneNumber(filter, context)}::float8`);
    case 'between': {
      const most = numberOf(secondValue(filter, context), `${context.path}.given`);
      return rated(sql`x.score between ${oneNumber(filter, context)}::float8 and ${most}::float8`);
    }
    case 'is_null':
      return sql<boolean>`not ${rated(sql`true`)}`;
    default:
      throw unsupportedCondition(filter, context);
  }
}

function dateCondition(filter: AnalyticsFilter, column: RawBuilder<Date>, context: FilterContext): Truth {
  if (filter.condition === 'is_null') return sql<boolean>`${column} is null`;
  const moment = () => toRange(oneValue(filter, context), context.timeZone, `${context.path}.value`);
  switch (filter.condition) {
    case 'equals':
      return sql<boolean>`(${column} >= ${moment().start} and ${column} < ${moment().end})`;
    case 'gt':
      return sql<boolean>`${column} >= ${moment().end}`;
    case 'gte':
      return sql<boolean>`${column} >= ${moment().start}`;
    case 'lt':
      return sql<boolean>`${column} < ${moment().start}`;
    case 'lte':
      return sql<boolean>`${column} < ${moment().end}`;
    case 'between': {
      const last = toRange(secondValue(filter, context), context.timeZone, `${context.path}.given`);
      return sql<boolean>`(${column} >= ${moment().start} and ${column} < ${last.end})`;
    }
    default:
      throw unsupportedCondition(filter, context);
  }
}

function oneValue({ value, condition }: AnalyticsFilter, { path }: FilterContext): string {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof only === 'string' && only !== '') return only;
  throw malformed([{ path: `${path}.value`, message: `The condition "${condition}" takes one value` }]);
}

function values({ value, condition }: AnalyticsFilter, { path }: FilterContext): string[] {
  const list = typeof value === 'string' ? value.split(',') : (value ?? []);
  const named = list.map((text) => text.trim()).filter((text) => text !== '');
  if (named.length > 0) return named;
  throw malformed([
    { path: `${path}.value`, message: `The condition "${condition}" takes one value or more` },
  ]);
}

function secondValue({ given: second, condition }: AnalyticsFilter, { path }: FilterContext): string {
  if (second) return second;
  throw malformed([{ path: `${path}.given`, message: `The condition "${condition}" takes a second value` }]);
}

function oneNumber(filter: AnalyticsFilter, context: FilterContext): number {
  return numberOf(oneValue(filter, context), `${context.path}.value`);
}

function numberOf(text: string, path: string): number {
  if (/^[+-]?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw malformed([{ path, message: 'Expected a number' }]);
}

function unsupportedCondition({ field, condition }: AnalyticsFilter, { path }: FilterContext) {
  return malformed([
    {
      path: `${path}.condition`,
      message: `The field "${field}" does not support the condition "${condition}"`,
    },
  ]);
}
