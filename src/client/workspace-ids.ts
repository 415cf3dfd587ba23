import type { Client } from './client.ts';
import { AnsweredError } from './errors.ts';

/**
 * The workspaces to name when a list is wanted of all that the key can access, since a list that names none is of the
 * key's home workspace alone. Undefined alone stands for the home workspace, where a service shows no workspaces.
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
