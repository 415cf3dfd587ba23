import { z } from 'zod';

import { priority, slaTarget } from './enums.ts';
import { id, instant, inWorkspace, timestamp, timeZone } from './fields.ts';

/** What the results of a report are grouped by; a week is named by its Monday. */
export const reportGroup = z.enum(['queue', 'assignee', 'priority', 'request-type', 'week']);

/** `GET /target-report` (beyond the specification): the targets that were met, or missed, between two instants. */
export const targetReportQuery = inWorkspace.extend({
  from: instant,
  to: instant,
  groupBy: reportGroup,
  /** In which weeks are counted; default UTC. */
  timeZone: timeZone.nullish(),
});

const outcome = z.strictObject({ attained: z.int(), missed: z.int() });

/** A target that was missed, and where the time until then went, in minutes. */
const breach = z.strictObject({
  ticketId: id,
  code: z.string(),
  title: z.string().nullable(),
  target: slaTarget,
  queueId: id,
  priority,
  assigneeId: id.nullable(),
  /** Of the target. */
  minutes: z.number(),
  openMinutes: z.number(),
  heldMinutes: z.number(),
  outsideMinutes: z.number(),
  /** The ticket waited for its requester before anybody had replied publicly. */
  waitedWithoutReply: z.boolean(),
  at: timestamp,
});

export const targetReport = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        groupId: z.string().nullable(),
        groupName: z.string().nullable(),
        firstReply: outcome,
        resolution: outcome,
        /** The business time of these tickets until they were resolved, and how much of it they were held. */
        openMinutes: z.number(),
        heldMinutes: z.number(),
        /** Tickets that waited for their requester before anybody had replied publicly. */
        waitedWithoutReply: z.int(),
      }),
    ),
    /** The newest ones. */
    breaches: z.array(breach),
  })
  .meta({ id: 'TargetReport' });
export type TargetReport = z.output<typeof targetReport>;
