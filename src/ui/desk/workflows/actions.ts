import { useQueries } from '@tanstack/react-query';

import { choices, CHOICES_STALE_MS, useOperation } from '../api/query.ts';

/** Records whose names stand in a workflow for their ids (values.tsx). */
const NAMED = ['listQueues', 'listStatuses', 'listTags', 'listRequestTypes', 'listWorkspaces'] as const;

/**
 * The possible steps of workflows by the names of their actions; undefined while they, or the names of the records that
 * steps speak of, are read.
 */
export function useActions() {
  const { data, isPending } = useOperation('listWorkflowApps');
  const names = useQueries({
    queries: NAMED.map((name) => ({ ...choices(name), staleTime: CHOICES_STALE_MS })),
  });
  if (isPending || names.some((each) => each.isPending)) return undefined;
  return new Map((data ?? []).flatMap(({ actions }) => actions).map((action) => [action.name, action]));
}

type Actions = NonNullable<ReturnType<typeof useActions>>;
export type Action = NonNullable<ReturnType<Actions['get']>>;
