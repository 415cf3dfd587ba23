import { call, path } from './api.js';
import { keep, kept, listOr } from './settings.js';

const PLACE = 'workspaces';

/** Loads the workspaces that the key can access, usually one. */
export async function loadWorkspaces() {
  keep(PLACE, await listOr('workspaces', () => call('GET', path(PLACE))));
}

export const workspaces = () => kept(PLACE).items ?? [];

/** The workspace whose settings are shown; undefined if the service has none. */
export function workspace() {
  const { chosen } = kept(PLACE);
  return workspaces().find(({ id }) => id === chosen) ?? workspaces()[0];
}

export const chooseWorkspace = (id) => keep(PLACE, { chosen: id });

/** Whether a record belongs to the workspace whose settings are shown. */
export const isOfWorkspace = ({ workspaceId }) => !workspace() || workspaceId === workspace().id;
