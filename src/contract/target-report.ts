import { z } from 'zod';

import { priority, slaTarget } from './enums.ts';
import { id, instant, inWorkspace, timestamp, timeZone } from './fields.ts';
import { LIMITS } from './limits.ts';

/** What the results of a report are grouped by; a week is named by its Monday. */
export const reportGroup = z.enum(['queue', 'assignee', 'priority', 'request-type', 'week']);

/** `GET /target-report` (beyond the specification): the targets that were met, or missed, between two instants. */
export const targetReportQuery = inWorkspace.extend({
  from: instant,
  to: instant,
  groupBy: reportGroup,
  queueId: id.nullish(),
  /** In which weeks are counted; default UTC. */
  timeZone: timeZone.nullish(),
  /** Of `breaches` and `waiting` each; default 1,000. */
  limit: z.int().min(0).max(LIMITS.targetReport.maxRows).nullish(),
});

/** The tables of a report; as CSV each is a file. */
export const reportTable = z.enum(['groups', 'breaches', 'waiting']);

/** `GET /target-report/csv` (beyond the specification): one table of the report. */
export const targetReportCsvQuery = targetReportQuery.extend({ table: reportTable });

const outcome = z.strictObject({
  attained: z.int(),
  missed: z.int(),
  /** The median of the business time that it took; null without results. */
  medianMinutes: z.number().nullable(),
});

const figures = {
  firstReply: outcome,
  resolution: outcome,
  /** The business time of these tickets until they were resolved, and how much of it they were held. */
  openMinutes: z.number(),
  heldMinutes: z.number(),
  /** Tickets that began to wait for their requester before anybody had replied publicly. */
  waitedWithoutReply: z.int(),
};

/** A ticket of the report. */
const reported = {
  ticketId: id,
  code: z.string(),
  title: z.string().nullable(),
  queueId: id,
  queueName: z.string().nullable(),
  priority,
  assigneeId: id.nullable(),
  assigneeName: z.string().nullable(),
};

/** A target that was missed, and where the time until then went, in minutes. */
const breach = z.strictObject({
  ...reported,
  target: slaTarget,
  /** Of the target. */
  minutes: z.number(),
  openMinutes: z.number(),
  heldMinutes: z.number(),
  outsideMinutes: z.number(),
  /** The ticket waited for its requester before anybody had replied publicly. */
  waitedWithoutReply: z.boolean(),
  at: timestamp,
});

/** A ticket that began to wait for its requester before anybody had replied publicly: when, and until when. */
const waiting = z.strictObject({ ...reported, from: timestamp, until: timestamp.nullable() });

export const targetReport = z
  .strictObject({
    total: z.strictObject(figures),
    groups: z.array(
      z.strictObject({ groupId: z.string().nullable(), groupName: z.string().nullable(), ...figures }),
    ),
    /** The newest ones. */
    breaches: z.array(breach),
    /** The newest ones. */
    waiting: z.array(waiting),
  })
  .meta({ id: 'TargetReport' });
export type TargetReport = z.output<typeof targetReport>;
