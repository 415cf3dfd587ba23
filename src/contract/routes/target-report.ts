import { route } from '../route.ts';
import { targetReport, targetReportQuery } from '../target-report.ts';

export const targetReportRoutes = {
  readTargetReport: route({
    method: 'GET',
    path: '/target-report',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'Read which targets were met or missed in a period, and where the time went',
    query: targetReportQuery,
    answer: targetReport,
  }),
};
