import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';

export type User = Answer<'listUsers'>['items'][number];

const IDS_AT_ONCE = 50;

/**
 * Returns those of these users that exist in the service, in any workspace: a list without a workspace covers only the
 * key's home. Throws ServiceError.
 */
export async function usersOf(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  userIds: readonly string[],
): Promise<User[]> {
  let missing = [...new Set(userIds)];
  const found: User[] = [];
  if (missing.length === 0) return found;
  for (const workspaceId of await channels.workspaceIds()) {
    for (let at = 0; at < missing.length; at += IDS_AT_ONCE) {
      const some = missing.slice(at, at + IDS_AT_ONCE);
      const query = { set: some.join(','), workspaceId, limit: IDS_AT_ONCE };
      const { items } = await service.listUsers({ query });
      // A service without this filter returns other users too.
      found.push(...items.filter(({ id }) => some.includes(id)));
    }
    const known = new Set(found.map(({ id }) => id));
    missing = missing.filter((id) => !known.has(id));
    if (missing.length === 0) break;
  }
  return found;
}

/** Returns the first matching user in the lists of all workspaces. Throws ServiceError. */
export async function findUser(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  by: { email: string } | { chatUserId: string },
  isWanted: (user: User) => boolean,
): Promise<User | undefined> {
  for (const workspaceId of await channels.workspaceIds()) {
    const { items } = await service.listUsers({ query: { ...by, workspaceId } });
    const user = items.find(isWanted);
    if (user) return user;
  }
  return undefined;
}
