import { viewerOf } from '../access/viewer.ts';
import type { Handlers } from '../handler.ts';
import { unknownZone } from '../problem.ts';
import { requireWorkspace } from '../references.ts';
import { previewMetric } from './metric.ts';
import { previewTrend } from './trend.ts';

export const analyticsHandlers = {
  async previewMetric({ caller, body }, tx) {
    const workspaceId = requireWorkspace(caller, body.workspaceId);
    return previewMetric(tx, { workspaceId, viewer: viewerOf(caller) }, body).catch(unknownZone);
  },

  async previewTrend({ caller, body, now }, tx) {
    const workspaceId = requireWorkspace(caller, body.workspaceId);
    return previewTrend(tx, { workspaceId, viewer: viewerOf(caller) }, body, now).catch(unknownZone);
  },
} satisfies Pick<Handlers, 'previewMetric' | 'previewTrend'>;
