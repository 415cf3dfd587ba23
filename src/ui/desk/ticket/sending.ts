import { skipToken, useQuery } from '@tanstack/react-query';

import { queryClient } from '../api/query.ts';
import type { Message } from '../api/types.ts';

/** Messages that this page shows before the service has stored them have such ids. */
const SENDING = 'sending-';
export const newSendingId = () => `${SENDING}${crypto.randomUUID()}`;
export const isSending = ({ id }: { id: string }) => id.startsWith(SENDING);

export interface Sending {
  message: Message;
  /** The messages that were there before it. */
  known: ReadonlySet<string>;
}

const NONE: readonly Sending[] = [];
const sendingKey = (code: string) => ['sending', code];

export const hasArrived = ({ message, known }: Sending, read: Message): boolean =>
  !known.has(read.id) &&
  read.content === message.content &&
  read.private === message.private &&
  (message.authorId === null || read.authorId === message.authorId);

/** Changes which messages of a ticket are on their way. */
export const setSending = (code: string, change: (items: readonly Sending[]) => readonly Sending[]) =>
  queryClient.setQueryData<readonly Sending[]>(sendingKey(code), (items = []) => change(items));

/**
 * The messages of a ticket, newest first, with those on their way, which are kept apart: each read replaces the others.
 * @param read the messages as they were read; undefined while they are.
 */
export function useWithSending(
  code: string,
  read: readonly Message[] | undefined,
): readonly Message[] | undefined {
  const { data: sending = NONE } = useQuery<readonly Sending[]>({
    queryKey: sendingKey(code),
    queryFn: skipToken,
  });
  const missing = sending.filter((one) => !read?.some((each) => hasArrived(one, each)));
  return missing.length > 0 && read ? [...missing.map(({ message }) => message), ...read] : read;
}
