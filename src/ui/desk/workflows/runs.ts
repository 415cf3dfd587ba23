import { useQuery } from '@tanstack/react-query';

import { operation } from '../api/query.ts';
import type { Answer, ItemOf, Operation, QueryOf } from '../api/types.ts';

export type WorkflowRun = ItemOf<'listWorkflowRuns'>;
export type RunDetail = Answer<'readWorkflowRun'>;
export type RanStep = RunDetail['steps'][number];

/** What shows runs, to be read again when one of them was changed here. */
export const RUN_LISTS: readonly Operation[] = ['listWorkflowRuns', 'readWorkflowRun'];

/** Many steps of a run change nothing of its ticket, so that no live event tells of them. */
const AGAIN_MS = 5_000;

/** Whether a run goes on, or may go on: one with a failed step waits for a person. */
export const isLive = ({ state }: Pick<WorkflowRun, 'state'>): boolean =>
  state === 'running' || state === 'waiting' || state === 'failed';

/**
 * Runs, the newest first; read again and again while one of them is live.
 * @param areExpected others may start at any time: they are looked for, too.
 */
export function useRuns(query: QueryOf<'listWorkflowRuns'>, areExpected = false) {
  return useQuery({
    ...operation('listWorkflowRuns', { query }),
    refetchInterval: ({ state: { data } }) => (areExpected || data?.items.some(isLive) ? AGAIN_MS : false),
  });
}

/** One run with its steps; read again and again while it is live. */
export function useRun(id: string) {
  return useQuery({
    ...operation('readWorkflowRun', { params: { id } }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? AGAIN_MS : false),
  });
}
