import type { Answer } from '../api/types.ts';
import { READER_TIME_ZONE } from '../kit/locale.ts';
import type { Figures } from './figures.ts';
import type { Span } from './question.ts';
import type { ReportGroup } from './report-groups.ts';
import { intervalName } from './units.ts';

type Report = Answer<'readTargetReport'>;
type Outcome = Report['total']['firstReply'];
export type Breach = Report['breaches'][number];

/** Breaches and waiting tickets that the page shows; the files have all. */
export const SHOWN = 50;
/** Rows of the service's answer and of its files at most. */
const MOST = 10_000;

/** The queries for a period. */
export interface Asked {
  workspaceId: string;
  span: Span;
  queueId: string | undefined;
}

/** The query of the report; without `limit` with all of its rows, as for a file. */
export function reportQuery({ workspaceId, span, queueId }: Asked, groupBy: ReportGroup, limit = MOST) {
  return {
    workspaceId,
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    timeZone: READER_TIME_ZONE,
    groupBy,
    limit,
    ...(queueId && { queueId }),
  };
}

/** The address of a table as a file. */
export function csvAddress(asked: Asked, groupBy: ReportGroup, table: 'groups' | 'breaches' | 'waiting') {
  const words = new URLSearchParams({ table });
  for (const [name, value] of Object.entries(reportQuery(asked, groupBy))) words.set(name, String(value));
  return `/desk/target-report/csv?${words.toString()}`;
}

/** How many percent were in time; null without results. */
export function attained({ attained: inTime, missed }: Outcome): number | null {
  const all = inTime + missed;
  return all === 0 ? null : (inTime / all) * 100;
}

/** How much of the business time until the resolution the tickets waited for their requesters, in percent. */
export function heldShare({
  openMinutes,
  heldMinutes,
}: Pick<Report['total'], 'openMinutes' | 'heldMinutes'>): number | null {
  const all = openMinutes + heldMinutes;
  return all === 0 ? null : (heldMinutes / all) * 100;
}

export const secondsOf = (minutes: number | null) => (minutes === null ? null : minutes * 60);

/** Returns whether no target was met or missed. */
export const isWithoutResults = ({ total: { firstReply, resolution } }: Report): boolean =>
  [firstReply, resolution].every((outcome) => attained(outcome) === null);

/** A Monday as the service names it, at midnight in the browser's zone. */
function dayOf(week: string): Date {
  const [year = 0, month = 1, day = 1] = week.split('-').map(Number);
  return new Date(year, month - 1, day);
}

export const weekName = (week: string) => intervalName('week', dayOf(week).toISOString());

const nameOf = (day: Date) =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');

/** The Mondays of a span, as the service names them. */
export function weeksOf({ from, to }: Span): string[] {
  const weeks: string[] = [];
  const monday = new Date(from.getFullYear(), from.getMonth(), from.getDate() - ((from.getDay() + 6) % 7));
  for (; monday <= to; monday.setDate(monday.getDate() + 7)) weeks.push(nameOf(monday));
  return weeks;
}

/** Returns the share of targets met by week; a week without results has no value. */
export function byWeek(
  { groups }: Pick<Report, 'groups'>,
  span: Span,
  names: { series: string[]; weekOf: (day: string) => string },
): Figures {
  const known = new Map(groups.map((group) => [group.groupId, group]));
  return {
    kind: 'lines',
    unit: 'percent',
    series: names.series,
    isCut: false,
    rows: weeksOf(span).map((week) => {
      const { short, long } = weekName(week);
      const group = known.get(week);
      const values = group ? [attained(group.firstReply), attained(group.resolution)] : [null, null];
      return { short, name: names.weekOf(long), values };
    }),
  };
}

/** Where the time of a breach went, in the order of the bar; parts without time are left out. */
export function partsOf({ minutes, openMinutes, heldMinutes, outsideMinutes }: Breach) {
  const parts = {
    within: Math.min(openMinutes, minutes),
    over: Math.max(0, openMinutes - minutes),
    held: heldMinutes,
    outside: outsideMinutes,
  };
  return (Object.keys(parts) as (keyof typeof parts)[])
    .map((part) => ({ part, minutes: parts[part] }))
    .filter((one) => one.minutes > 0);
}
