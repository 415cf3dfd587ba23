import { useOperation } from '../api/query.ts';

/** The possible steps of workflows by the names of their actions. */
export function useActions() {
  const { data } = useOperation('listWorkflowApps');
  return new Map((data ?? []).flatMap(({ actions }) => actions).map((action) => [action.name, action]));
}

export type Action = NonNullable<ReturnType<ReturnType<typeof useActions>['get']>>;
