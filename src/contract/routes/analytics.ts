import { metric, metricPreview, trend, trendPreview } from '../analytics.ts';
import { route } from '../route.ts';

export const analyticsRoutes = {
  previewMetric: route({
    method: 'POST',
    path: '/analytics/preview-metric',
    role: 'read',
    person: 'agent',
    ext: false,
    summary: 'Compute a number over tickets or messages, in total or by group',
    body: metricPreview,
    answer: metric,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
  previewTrend: route({
    method: 'POST',
    path: '/analytics/preview-trend',
    role: 'read',
    person: 'agent',
    ext: false,
    summary: 'Compute numbers over tickets or messages over time',
    body: trendPreview,
    answer: trend,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
};
