import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';

import type { ItemOf } from '../../api/types.ts';
import { Choice } from './fields.tsx';
import { useRecords } from './write.ts';

export type Workspace = ItemOf<'listWorkspaces'>;

let chosen: string | undefined;
const watchers = new Set<() => void>();

function choose(id: string): void {
  chosen = id;
  for (const watcher of watchers) watcher();
}

const useChosen = () =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => chosen,
  );

/** The workspaces that the person or key can access, usually one; empty while unknown. */
export const useWorkspaces = (): readonly Workspace[] => useRecords('listWorkspaces').data?.items ?? [];

/** The chat channels that are linked to a queue. */
export function useLinkedChannels({ id }: { id: string }): Workspace['chatTriageChannels'] {
  return useWorkspaces()
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .filter(({ queueId, deletedAt }) => queueId === id && !deletedAt);
}

/** The workspace whose settings are shown; undefined while unknown, or if the service shows none. */
export function useWorkspace(): Workspace | undefined {
  const all = useWorkspaces();
  const id = useChosen();
  return all.find((workspace) => workspace.id === id) ?? all[0];
}

/** Whether a record belongs to the workspace whose settings are shown. */
export function useIsHere(): (record: { workspaceId?: string | null }) => boolean {
  const workspace = useWorkspace();
  return ({ workspaceId }) => !workspace || workspaceId === workspace.id;
}

/** Chooses among several workspaces; nothing with one. */
export function WorkspaceChoice() {
  const t = useTranslations('settings');
  const all = useWorkspaces();
  const workspace = useWorkspace();
  if (all.length < 2) return null;
  return (
    <Choice
      label={t('workspace')}
      value={workspace?.id ?? ''}
      options={all.map(({ id, name }) => ({ id, text: name }))}
      onChange={choose}
    />
  );
}
