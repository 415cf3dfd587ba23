import { keepPreviousData, useQuery } from '@tanstack/react-query';

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

/** A person of chat as `GET /desk/members` lists them. */
export interface ChatMember {
  id: string;
  name: string;
  handle: string;
  teamId: string;
}

/**
 * The first people of chat with these words in their name, handle or e-mail address, for admins; undefined where chat
 * does not list them.
 */
export function useChatMembers(search: string) {
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: ['chat members', search],
    queryFn: async ({ signal }) =>
      (await request('GET', `/desk/members?${new URLSearchParams({ search })}`, { signal })) as {
        items: ChatMember[];
      },
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { members: data?.items, isPending, isPlaceholderData };
}
