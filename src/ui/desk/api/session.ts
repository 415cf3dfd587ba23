import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';

import { request } from './call.ts';
import type { Person } from './types.ts';

/**
 * Who is signed in. With an API key (another service than deskbridge's) there is a `userId` only, which is null for the
 * key's own user and absent before one was chosen.
 */
export interface Session {
  id?: string;
  userId?: string | null;
  user?: Person;
  role?: 'requester' | 'agent' | 'admin';
  queueIds?: string[] | null;
}

export interface SessionAnswer {
  /** Whether people sign in as themselves; otherwise with an API key. */
  signIn: boolean;
  session: Session | null;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => (await request('GET', '/desk/session')) as SessionAnswer,
  staleTime: Infinity,
});

/** The session; null when signed out. */
export function useSession(): Session | null {
  return useSuspenseQuery(sessionQuery).data.session;
}

export type Role = 'requester' | 'agent' | 'admin';

/** The signed-in user's permissions. With an API key the desk offers everything, and the service decides. */
export function useRole(): Role {
  const session = useSession();
  return session?.role ?? 'admin';
}

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await request('DELETE', '/desk/session');
    client.clear();
    location.assign('/sign-in');
  };
}
