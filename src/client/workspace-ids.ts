import type { Client } from './client.ts';
import { AnsweredError } from './errors.ts';

/**
 * Returns the workspaces to name in order to list all records that the key can access; a list that names none covers
 * only the key's home workspace. A single undefined stands for the home workspace, if a service shows no workspaces.
 * Throws ServiceError.
 */
export async function workspaceIdsOf(client: Client): Promise<[string | undefined, ...string[]]> {
  const ids: string[] = [];
  try {
    for await (const { id } of client.all('listWorkspaces', {})) ids.push(id);
  } catch (error) {
    if (!(error instanceof AnsweredError && (error.missing || error.status === 403))) throw error;
  }
  const [first, ...others] = ids;
  return [first, ...others];
}
