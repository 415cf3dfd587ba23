/** The groupings of the SLA report; their names are in the message catalogue. */
export const REPORT_GROUPS = ['queue', 'assignee', 'priority', 'request-type', 'week'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];
