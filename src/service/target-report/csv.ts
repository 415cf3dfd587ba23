import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

import type { TargetReport, targetReportCsvQuery } from '../../contract/index.ts';
import { attachmentNamed } from '../../platform/http/index.ts';
import { toCsv } from '../../platform/text/csv.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { breachesOf, reportGroups, reportedOf, waitingOf } from './report.ts';

export type CsvQuery = z.output<typeof targetReportCsvQuery>;

/** Sends one table of the report as CSV. */
export async function sendTargetReport(
  db: ServiceDb,
  caller: Caller,
  query: CsvQuery,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const rows = await rowsOf(db, caller, query);
  return reply
    .headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': attachmentNamed(`target-report-${query.table}.csv`),
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
    })
    .send(toCsv(rows.map((row) => row.map(cell))));
}

type Cell = string | number | boolean | null;

/** The headings, and a row of each record. */
async function rowsOf(db: ServiceDb, caller: Caller, query: CsvQuery): Promise<Cell[][]> {
  const reported = reportedOf(caller, query);
  switch (query.table) {
    case 'groups':
      return [
        [...GROUP_HEADINGS[query.groupBy], ...FIGURE_HEADINGS],
        ...(await reportGroups(db, reported, query)).map((group) => groupRow(query.groupBy, group)),
      ];
    case 'breaches':
      return [BREACH_HEADINGS, ...(await breachesOf(db, reported, query)).map(breachRow)];
    case 'waiting':
      return [WAITING_HEADINGS, ...(await waitingOf(db, reported, query)).map(waitingRow)];
  }
}

/** The names of a priority and a week are their ids. */
const GROUP_HEADINGS: Record<CsvQuery['groupBy'], string[]> = {
  queue: ['Queue', 'Queue id'],
  assignee: ['Assignee', 'Assignee id'],
  'request-type': ['Request type', 'Request type id'],
  priority: ['Priority'],
  week: ['Week'],
};
const FIGURE_HEADINGS = [
  'First replies in time',
  'First replies late',
  'First reply, median minutes',
  'Resolutions in time',
  'Resolutions late',
  'Resolution, median minutes',
  'Open minutes',
  'Held minutes',
  'Waited without a reply',
];
const TICKET_HEADINGS = ['Ticket', 'Title', 'Queue', 'Priority', 'Assignee'];
const BREACH_HEADINGS = [
  ...TICKET_HEADINGS,
  'Target',
  'Ended',
  'Target minutes',
  'Open minutes',
  'Held minutes',
  'Minutes outside hours',
  'Waited without a reply',
];
const WAITING_HEADINGS = [...TICKET_HEADINGS, 'Waited from', 'Waited until'];

const groupRow = (groupBy: CsvQuery['groupBy'], group: TargetReport['groups'][number]): Cell[] => [
  group.groupName,
  ...(GROUP_HEADINGS[groupBy].length > 1 ? [group.groupId] : []),
  ...[group.firstReply, group.resolution].flatMap(({ attained, missed, medianMinutes }) => [
    attained,
    missed,
    medianMinutes,
  ]),
  group.openMinutes,
  group.heldMinutes,
  group.waitedWithoutReply,
];

const ticketCells = ({
  code,
  title,
  queueName,
  priority,
  assigneeName,
}: TargetReport['waiting'][number] | TargetReport['breaches'][number]): Cell[] => [
  code,
  title,
  queueName,
  priority,
  assigneeName,
];

const breachRow = (breach: TargetReport['breaches'][number]): Cell[] => [
  ...ticketCells(breach),
  breach.target,
  breach.at,
  breach.minutes,
  breach.openMinutes,
  breach.heldMinutes,
  breach.outsideMinutes,
  breach.waitedWithoutReply,
];

const waitingRow = (waited: TargetReport['waiting'][number]): Cell[] => [
  ...ticketCells(waited),
  waited.from,
  waited.until,
];

/** Minutes to the hundredth; what is absent is empty. */
function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value;
}
