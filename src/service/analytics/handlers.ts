import { databaseErrorCode } from '../../platform/database/open.ts';
import { viewerOf } from '../access/viewer.ts';
import type { Handlers } from '../handler.ts';
import { malformed } from '../problem.ts';
import { requireWorkspace } from '../references.ts';
import { previewMetric } from './metric.ts';
import { previewTrend } from './trend.ts';

/** Postgres's own list of time zones may be older than ours. */
const INVALID_PARAMETER_VALUE = '22023';

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

function unknownZone(error: unknown): never {
  if (databaseErrorCode(error) !== INVALID_PARAMETER_VALUE) throw error;
  throw malformed([{ path: 'timeZone', message: 'The database does not know this time zone' }]);
}
