import type { Handlers } from '../handler.ts';
import { breachesOf, reportGroups, reportedOf, totalOf, waitingOf } from './report.ts';

/** Which targets were met (docs/api.md, Target report), of the tickets that the caller sees. */
export const targetReportHandlers: Pick<Handlers, 'readTargetReport'> = {
  async readTargetReport({ caller, query }, db) {
    const reported = reportedOf(caller, query);
    return {
      total: await totalOf(db, reported),
      groups: await reportGroups(db, reported, query),
      breaches: await breachesOf(db, reported, query),
      waiting: await waitingOf(db, reported, query),
    };
  },
};
