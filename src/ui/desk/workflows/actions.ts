import { useOperation } from '../api/query.ts';

/** The possible steps of workflows by the names of their actions; undefined while they are read. */
export function useActions() {
  const { data, isPending } = useOperation('listWorkflowApps');
  if (isPending) return undefined;
  return new Map((data ?? []).flatMap(({ actions }) => actions).map((action) => [action.name, action]));
}

type Actions = NonNullable<ReturnType<typeof useActions>>;
export type Action = NonNullable<ReturnType<Actions['get']>>;
