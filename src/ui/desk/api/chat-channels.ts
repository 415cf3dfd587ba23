import { useQuery } from '@tanstack/react-query';

import { request } from './call.ts';

/** A channel as `GET /desk/channels` lists it. */
interface ChatChannel {
  id: string;
  name: string;
  isPrivate: boolean;
  teamId: string;
}

/** The channels that the bot can see, for admins; empty where chat does not list them. */
export function useChatChannels({ enabled = true } = {}) {
  const { data, isPending } = useQuery({
    queryKey: ['chat channels'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/desk/channels', { signal })) as { items: ChatChannel[] },
    retry: false,
    enabled,
  });
  return { channels: data?.items ?? [], isPending, isConnected: data !== undefined };
}
