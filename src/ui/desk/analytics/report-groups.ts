/** What the SLA report can be grouped by; the names are in the catalogue. */
export const REPORT_GROUPS = ['queue', 'assignee', 'priority', 'request-type', 'week'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];
